//! The result of checking a definition.

use std::fmt::{self, Write as _};

use crdkit_core::rules::sizes;

use super::{render_errors, size};
use crate::{
    crd::{
        structural::foreign_places,
        validate::{self, Violation, validate, validate_unapproved},
    },
    resource::definition::{Definition, RootSchema},
};

/// The result of checking a definition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckReport {
    /// The kind, for messages.
    pub kind: &'static str,
    /// Violations: the API server would reject the definition, or a part of it can never work.
    pub violations: Vec<Violation>,
    /// Notes that are not errors.
    pub notes: Vec<String>,
    /// The paths of foreign types, whose fields could not be checked at compile time.
    pub foreign: Vec<String>,
}

impl CheckReport {
    /// Checks a definition.
    pub fn new(definition: &Definition) -> Self {
        let foreign = foreign_places::places(definition);
        let mut notes = notes(definition);
        notes.extend(foreign.iter().flat_map(foreign_places::ForeignField::notes));
        notes.extend(foreign_places::lost_keywords(definition));
        let violations = match (&definition.schema, definition.render()) {
            (RootSchema::Disabled, Ok(_)) => Vec::new(),
            (_, Ok(mut crd)) => {
                // Another type may be the storage version or the served version; merging the versions checks that.
                for version in &mut crd.spec.versions {
                    (version.storage, version.served) = (true, true);
                }
                let paths: Vec<_> = foreign.iter().map(|it| it.path.clone()).collect();
                let found = if definition.installed_elsewhere { validate_unapproved(&crd) } else { validate(&crd) };
                let (mut violations, mut minor) = validate::split_by_severity(found);
                for large in violations.iter_mut().chain(&mut minor).filter(is_of_size) {
                    let remedy = size::remedy(definition, &crd, &paths);
                    large.message = format!("{}. {remedy}", large.message);
                }
                notes.extend(minor.iter().map(ToString::to_string));
                violations
            }
            (_, Err(error)) => render_errors::all(definition, error),
        };
        Self { kind: definition.kind, violations, notes, foreign: foreign.iter().map(ToString::to_string).collect() }
    }

    /// Returns whether there are no violations.
    pub fn is_good(&self) -> bool {
        self.violations.is_empty()
    }

    pub(super) fn notes_text(&self) -> Option<String> {
        let mut text = String::new();
        for note in self.notes.iter().chain(&self.unchecked()) {
            let _ = writeln!(text, "note: {}: {note}", self.kind);
        }
        (!text.is_empty()).then_some(text)
    }

    /// Returns a note that lists the foreign types.
    fn unchecked(&self) -> Option<String> {
        const SHOWN: usize = 3;
        let shown = self.foreign.get(..SHOWN).unwrap_or(&self.foreign);
        let rest = match self.foreign.len() - shown.len() {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        (!shown.is_empty()).then(|| {
            format!("not checked at compile time, because the schema comes from schemars: {}{rest}", shown.join(", "))
        })
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = match self.violations.len() {
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        };
        writeln!(f, "the definition of {} has {count}:", self.kind)?;
        for violation in &self.violations {
            writeln!(f, "  {violation}")?;
        }
        if !self.foreign.is_empty() {
            writeln!(f, "types with a schemars schema: {}", self.foreign.join(", "))?;
        }
        Ok(())
    }
}

fn is_of_size(violation: &&mut Violation) -> bool {
    [sizes::Z2.id, sizes::Z4.id, sizes::Z5.id].contains(&violation.rule)
}

fn notes(definition: &Definition) -> Vec<String> {
    let plural = definition.plural_from_singular.then(|| {
        format!(
            "the plural `{}` was derived from the singular `{}`; if it is wrong, specify \
             `plural = \"...\"`",
            definition.plural, definition.singular
        )
    });
    plural.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        resource::definition::DerivedRoot,
        schema::{Field, ForeignSchema, Keyword, Schema},
    };

    const fn definition(spec: &'static Schema) -> Definition {
        Definition::new(
            "example.com",
            "v1",
            "Foo",
            "feet",
            "foot",
            "FooList",
            RootSchema::Derived(DerivedRoot::new(spec)),
        )
    }

    #[test]
    fn a_good_definition() {
        const SPEC: Schema = Schema::object(&[Field::new("size", &Schema::integer())]);
        let report = CheckReport::new(&definition(&SPEC));
        assert!(report.is_good(), "{report}");
        assert!(report.notes.is_empty());
    }

    #[test]
    fn a_default_that_does_not_fit() {
        const SIZE: Field = Field::new("size", &Schema::integer()).with(&[Keyword::Default(|| Ok(Some("big".into())))]);
        const SPEC: Schema = Schema::object(&[SIZE]);
        let report = CheckReport::new(&definition(&SPEC));
        assert_eq!(
            report.to_string(),
            "the definition of Foo has 1 problem:\n  v1.spec.size: the default `\"big\"` does not match its own \
             schema: it must be of type integer: \"string\"\n"
        );
    }

    #[test]
    fn all_that_cannot_be_rendered_is_listed() {
        const TUPLE: Schema = Schema::tuple(&[&Schema::integer(), &Schema::string()]);
        const KEYED: Schema = Schema::list(&TUPLE);
        const PART: Schema = Schema::object(&[
            Field::new("good", &Schema::integer()),
            Field::new("pair", &TUPLE),
            Field::flattened(&Schema::string()),
        ]);
        const SPEC: Schema =
            Schema::object(&[Field::new("parts", &Schema::list(&PART)), Field::new("names", &Schema::map(&KEYED))]);
        let report = CheckReport::new(&definition(&SPEC));
        let paths = report.violations.iter().map(|violation| &violation.path);
        assert_eq!(
            paths.collect::<Vec<_>>(),
            ["v1.spec.parts[].pair", "v1.spec.parts[]", "v1.spec.names[*][]"],
            "{report}"
        );
        assert!(report.to_string().contains("has 3 problems:\n"), "{report}");
    }

    #[test]
    fn what_has_no_form_is_a_note() {
        const PAIRS: Schema = Schema::foreign(ForeignSchema::of::<Vec<(u8, String)>>());
        const SPEC: Schema = Schema::object(&[Field::new("pairs", &PAIRS)]);
        let report = CheckReport::new(&definition(&SPEC));
        assert!(report.is_good(), "{report}");
        let note = "any value is kept at .spec.pairs[], in `alloc::vec::Vec<(u8, alloc::string::String)>`: a tuple with \
                    different types has no structural schema: annotate the field with";
        assert!(report.notes[0].starts_with(note), "{:?}", report.notes);
    }

    #[test]
    fn what_the_compiler_did_not_check_is_a_note() {
        const TEXT: Schema = Schema::foreign(ForeignSchema::of::<String>());
        const SPEC: Schema = Schema::object(&[Field::new("text", &TEXT)]);
        const MANY: Schema = Schema::object(&[
            Field::new("a", &TEXT),
            Field::new("b", &TEXT),
            Field::new("c", &TEXT),
            Field::new("d", &TEXT),
            Field::new("e", &TEXT),
        ]);
        assert_eq!(
            CheckReport::new(&definition(&SPEC)).notes_text().unwrap(),
            "note: Foo: not checked at compile time, because the schema comes from schemars: .spec.text \
             (`alloc::string::String`)\n"
        );
        let many = CheckReport::new(&definition(&MANY)).notes_text().unwrap();
        assert!(many.ends_with(" and 2 more\n"), "{many}");
    }

    #[test]
    fn a_plural_that_comes_from_the_singular_is_named() {
        const SPEC: Schema = Schema::object(&[]);
        let report = CheckReport::new(&definition(&SPEC).plural_from_singular());
        assert!(report.notes[0].contains("`feet`"), "{:?}", report.notes);
    }
}
