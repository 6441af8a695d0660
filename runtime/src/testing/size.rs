//! Definitions that exceed a size limit.

use std::fmt::Write as _;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{crd::definition_size, resource::definition::Definition, schema::Descriptions};

/// The maximum number of parts in the message.
const NAMED: usize = 5;

/// Returns a note with the largest parts of a definition that is too large, and its size with fewer descriptions;
/// `foreign` are the paths of types from other crates.
pub(super) fn remedy(definition: &Definition, crd: &CustomResourceDefinition, foreign: &[String]) -> String {
    let mut text = "What weighs most:\n".to_owned();
    for part in heaviest(crd, foreign) {
        let _ = writeln!(text, "    {part}");
    }
    text + &smaller(definition, crd)
}

fn heaviest(crd: &CustomResourceDefinition, foreign: &[String]) -> Vec<String> {
    let schemas = crd.spec.versions.iter().filter_map(|version| {
        let schema = version.schema.as_ref()?.open_api_v3_schema.as_ref()?;
        Some(definition_size::heaviest(schema, foreign))
    });
    let named = schemas.flatten().take(NAMED).map(|part| {
        let path = match part.path.as_str() {
            "" => "all of it",
            path => path,
        };
        format!("{path}: {} bytes, {} of them descriptions", part.bytes, part.descriptions)
    });
    named.collect()
}

/// Returns the size of the definition with fewer descriptions.
fn smaller(definition: &Definition, crd: &CustomResourceDefinition) -> String {
    const CHOICES: &[(&str, Descriptions)] =
        &[("own", Descriptions::Own), ("first_sentence", Descriptions::FirstSentence), ("none", Descriptions::None)];
    let now = definition_size::bytes(crd);
    let smaller = CHOICES.iter().filter_map(|(name, descriptions)| {
        let less = definition.descriptions(*descriptions).render().ok()?;
        let bytes = definition_size::bytes(&less);
        (bytes < now).then(|| format!("`#[crd(descriptions = \"{name}\")]` makes it {bytes} bytes"))
    });
    let all: Vec<_> = smaller.collect();
    if all.is_empty() { format!("  It has {now} bytes") } else { format!("  It has {now} bytes: {}", all.join(", ")) }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::PodTemplateSpec;

    use super::super::CheckReport;
    use crate::{
        resource::definition::{Definition, DerivedRoot, RootSchema},
        schema::{Field, ForeignSchema, Keyword, Schema},
    };

    fn leak<T>(value: T) -> &'static T {
        Box::leak(Box::new(value))
    }

    fn definition(fields: &[(&'static str, &'static Schema)]) -> Definition {
        let root = RootSchema::Derived(DerivedRoot::new(object(fields)));
        Definition::new("example.com", "v1", "Foo", "foos", "foo", "FooList", root)
    }

    fn object(fields: &[(&'static str, &'static Schema)]) -> &'static Schema {
        let fields: Vec<_> = fields.iter().map(|(name, schema)| Field::new(name, schema)).collect();
        leak(Schema::object(fields.leak()))
    }

    /// A type with 200,000 bytes of descriptions.
    fn text() -> &'static Schema {
        let keywords = leak([Keyword::Description("x".repeat(200_000).leak())]);
        leak(Schema::string().with(keywords))
    }

    fn note(report: &CheckReport) -> &str {
        assert!(report.is_good(), "{report}");
        match &report.notes[..] {
            [note] => note,
            notes => panic!("{notes:?}"),
        }
    }

    #[test]
    fn a_definition_that_fits_is_none_to_talk_about() {
        let report = CheckReport::new(&definition(&[("one", text())]));
        assert!(report.is_good() && report.notes.is_empty(), "{report:?}");
    }

    #[test]
    fn what_is_too_large_for_an_annotation_is_a_note() {
        let small = leak(Schema::boolean());
        let fields = [("one", text()), ("two", text()), ("small", small)];
        let report = CheckReport::new(&definition(&fields));
        let note = note(&report);
        assert!(note.contains("--server-side"), "{note}");
        for path in [".spec.one: ", ".spec.two: "] {
            let part = format!("{path}200034 bytes, 200017 of them descriptions");
            assert!(note.contains(&part), "{note}");
        }
        assert!(!note.contains("small"), "{note}");
        assert!(note.contains("`#[crd(descriptions = \"none\")]` makes it "), "{note}");
        assert!(!note.contains("\"own\""), "nothing is foreign: {note}");
    }

    #[test]
    fn types_of_kubernetes_are_named_as_a_whole() {
        let template = leak(Schema::foreign(ForeignSchema::of::<PodTemplateSpec>()));
        let others = leak(Schema::list(template));
        let report = CheckReport::new(&definition(&[("template", template), ("others", others)]));
        let note = note(&report);
        for text in [".spec.template: ", ".spec.others[]: ", "\"own\""] {
            assert!(note.contains(text), "{text}: {note}");
        }
        assert!(!note.contains("containers"), "{note}");
    }

    #[test]
    fn what_the_server_cannot_store_is_a_defect() {
        let names = ["one", "two", "three", "four"];
        let part = object(&names.map(|name| (name, text())));
        let report = CheckReport::new(&definition(&[("left", part), ("right", part)]));
        let [violation] = &report.violations[..] else { panic!("{report}") };
        assert_eq!((violation.path.as_str(), violation.rule), ("foos.example.com", "Z2"));
        let heaviest = ".spec.left.four: 200034 bytes";
        assert!(violation.message.contains(heaviest), "{violation}");
        assert!(report.notes.is_empty(), "{:?}", report.notes);
    }
}
