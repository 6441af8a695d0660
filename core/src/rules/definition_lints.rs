//! Lints of definitions: mistakes that the server accepts.

use alloc::{borrow::Cow, format};

use crate::{
    definition::{Definition, Scale, Version},
    literal::dns,
    rules::{
        Report, SharedParts, report_at_path,
        schema_path::{PathTarget, field_noun, meant, value},
    },
    schema::{Kind, SchemaProps},
    text::equal,
    violation::{Arg, Text, Violation},
};

rules! {
    X40 Defect [Validate] "At least one version is served.";
    X41 Lint [Validate] "The storage version is served.";
    X42 Lint [Derive, Validate] "No short name and no category is repeated.";
    X43 Lint [Derive, Validate] "The column names of a version are unique.";
    X44 Lint [Derive, Validate] "The kind is in CamelCase, as the names of types are.";
    X48 Defect [Const, Validate] "The replica paths of the scale subresource resolve to integers, and the selector path to a string.";
    X49 Defect [Validate] "With the status subresource, the status is not required.";
    X50 Lint [Validate] "The spec and the status are objects.";
}

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, hoisted: SharedParts, report: &mut Report<'_>) {
    let versions = &definition.versions;
    if !versions.is_empty() && !versions.iter().any(|version| version.served) {
        lint("spec.versions", no_served_version(), report);
    }
    let stored = versions.iter().find(|version| version.storage);
    if let Some(version) = stored.filter(|version| !version.served)
        && versions.iter().any(|version| version.served)
    {
        lint(&version.name, unserved_storage_version(&version.name), report);
    }
    let names = &definition.names;
    report_at_path("spec.names.kind", "", kind_is_camel_case(&names.kind), report);
    repeats("short name", "spec.names.shortNames", &names.short_names, report);
    repeats("category", "spec.names.categories", &names.categories, report);
    for (at, version) in versions.iter().enumerate() {
        if hoisted.columns(at).is_some() {
            columns(version, report);
        }
        let Some(schema) = &version.schema else {
            continue;
        };
        if let Some(scale) = &version.scale {
            self::scale(version, schema, scale, report);
        }
        for name in ["spec", "status"] {
            let type_ = schema.property(name).and_then(SchemaProps::type_name);
            report_at_path(&format!("{}.{name}", version.name), "", part_is_object(name, type_), report);
        }
        if version.status && schema.requires("status") {
            lint(&version.name, required_status(), report);
        }
    }
}

fn lint(path: &str, violation: Violation<'_>, report: &mut Report<'_>) {
    report_at_path(path, "", Err(violation), report);
}

const fn no_served_version<'a>() -> Violation<'a> {
    let message = Text::literal("no version is served: the server responds to every request with 404");
    Violation::new(&X40, message)
}

const fn unserved_storage_version(name: &str) -> Violation<'_> {
    let message = Text::new(
        "the storage version `{}` is not served: clients can read objects only after a conversion",
        &[Arg::Text(name)],
    );
    Violation::new(&X41, message)
}

fn repeats(what: &str, field: &str, names: &[Cow<'_, str>], report: &mut Report<'_>) {
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            lint(&format!("{field}[{at}]"), repeated_name(what, name), report);
        }
    }
}

/// [`X42`].
pub const fn repeated_name<'a>(what: &'a str, name: &'a str) -> Violation<'a> {
    let message = Text::new("the {} `{}` is given twice", &[Arg::Text(what), Arg::Text(name)]);
    Violation::new(&X42, message)
}

/// [`X44`].
pub fn kind_is_camel_case(kind: &str) -> Result<(), Violation<'_>> {
    let is_camel_case = kind.starts_with(|c: char| c.is_ascii_uppercase()) && !kind.contains('-');
    if is_camel_case || dns::kind(kind).is_err() {
        return Ok(());
    }
    let message = Text::new(
        "the kind `{}` is not in CamelCase, as that of all other resources: write one such as `VirtualMachine`",
        &[Arg::Text(kind)],
    );
    Err(Violation::new(&X44, message))
}

/// [`X50`]: no field can be added to another type later.
pub const fn part_is_object<'a>(name: &'a str, type_: Option<&'a str>) -> Result<(), Violation<'a>> {
    let Some(type_) = type_ else { return Ok(()) };
    if equal(type_, "object") {
        return Ok(());
    }
    let template = "`{}` is of the type `{}`, to which no field can be added later: write a struct with a field for it";
    Err(Violation::new(&X50, Text::new(template, &[Arg::Text(name), Arg::Text(type_)])))
}

fn columns(version: &Version<'_>, report: &mut Report<'_>) {
    for (at, column) in version.columns.iter().enumerate() {
        let mut before = version.columns[..at].iter();
        if before.any(|other| other.name == column.name) {
            let path = format!("{}.additionalPrinterColumns[{at}].name", version.name);
            lint(&path, repeated_column_name(&column.name), report);
        }
    }
}

/// [`X43`].
pub const fn repeated_column_name(name: &str) -> Violation<'_> {
    let message = Text::new("two columns are named `{}`", &[Arg::Text(name)]);
    Violation::new(&X43, message)
}

fn scale(version: &Version<'_>, schema: &SchemaProps<'_>, scale: &Scale<'_>, report: &mut Report<'_>) {
    let selector = scale.label_selector_path.as_deref().unwrap_or_default();
    let paths = [
        ("specReplicasPath", &*scale.spec_replicas_path, ScalePath::Replicas),
        ("statusReplicasPath", &*scale.status_replicas_path, ScalePath::Replicas),
        ("labelSelectorPath", selector, ScalePath::LabelSelector),
    ];
    for (name, path, what) in paths {
        // Without `status` in the schema, a merge may add it; a path elsewhere is an error.
        let is_judged =
            path.starts_with(".spec.") || path.starts_with(".status.") && schema.property("status").is_some();
        let Some(steps) = path.strip_prefix('.').filter(|_| is_judged) else {
            continue;
        };
        let target = value(schema, steps.split('.'));
        let result = match target {
            PathTarget::Missing(name) => Err(unresolved_scale_path(path, what, name)),
            target => scale_path_has_type(path, what, target.kind()),
        };
        if let Err(violation) = result {
            let path = format!("{}.subresources.scale.{name}", version.name);
            lint(&path, violation, report);
        }
    }
}

/// What a path of the scale subresource leads to.
#[derive(Clone, Copy, Debug)]
pub enum ScalePath {
    /// A number of replicas.
    Replicas,
    /// The label selector.
    LabelSelector,
}

/// [`X48`]. `path` is empty for an annotated field.
pub const fn scale_path_has_type(path: &str, what: ScalePath, kind: Kind) -> Result<(), Violation<'_>> {
    let required = match (what, kind) {
        (_, Kind::Opaque) | (ScalePath::Replicas, Kind::Integer) | (ScalePath::LabelSelector, Kind::String) => {
            return Ok(());
        }
        (ScalePath::Replicas, _) => "an integer",
        (ScalePath::LabelSelector, _) => "the label selector as a string",
    };
    let [open, field, close] = field_noun(path);
    let message = Text::new(
        "the scale subresource requires {}, but {}{}{} is {}",
        &[Arg::Text(required), open, field, close, Arg::Text(kind.noun())],
    );
    Err(Violation::new(&X48, message))
}

const fn unresolved_scale_path<'a>(path: &'a str, what: ScalePath, name: Option<&'a str>) -> Violation<'a> {
    let [open, name, close] = meant(name);
    let template = match what {
        ScalePath::Replicas => "there is no field `{}`, so that scaling has no effect{}{}{}",
        ScalePath::LabelSelector => "there is no field `{}`, so that autoscalers cannot find the pods{}{}{}",
    };
    Violation::new(&X48, Text::new(template, &[Arg::Text(path), open, name, close]))
}

const fn required_status<'a>() -> Violation<'a> {
    let message = Text::literal(
        "`status` is required, but with the status subresource the server removes it from each new object, and then \
         rejects the object: make it optional",
    );
    Violation::new(&X49, message)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_missing_field_of_a_scale_is_named_with_what_it_prevents() {
        let message = |what, meant| unresolved_scale_path(".spec.replica", what, meant).message.to_string();
        assert_eq!(
            message(ScalePath::Replicas, Some("replicas")),
            "there is no field `.spec.replica`, so that scaling has no effect: did you mean `replicas`?"
        );
        assert_eq!(
            message(ScalePath::LabelSelector, None),
            "there is no field `.spec.replica`, so that autoscalers cannot find the pods"
        );
    }
}
