//! Lints of definitions: mistakes that the server accepts.

use alloc::{borrow::Cow, format};

use crate::{
    definition::{Definition, Scale, Version},
    rules::{
        Hoisted, Report,
        path_target::{PathTarget, value},
        report_at_path,
    },
    schema::SchemaProps,
    violation::{Arg, Text, Violation},
};

rules! {
    X40 Defect [Validate] "At least one version is served.";
    X41 Lint [Validate] "The storage version is served.";
    X42 Lint [Derive, Validate] "No short name and no category is repeated.";
    X43 Lint [Derive, Validate] "The column names of a version are unique.";
    X48 Defect [Const, Validate] "The replica paths of the scale subresource resolve to integers, and the selector path to a string.";
    X49 Defect [Validate] "With the status subresource, the status is not required.";
}

/// Checks the family.
pub(super) fn check(definition: &Definition<'_>, hoisted: Hoisted, report: &mut Report<'_>) {
    let versions = &definition.versions;
    if !versions.is_empty() && !versions.iter().any(|version| version.served) {
        lint("spec.versions", x40(), report);
    }
    let stored = versions.iter().find(|version| version.storage);
    if let Some(version) = stored.filter(|version| !version.served)
        && versions.iter().any(|version| version.served)
    {
        lint(&version.name, x41(&version.name), report);
    }
    let names = &definition.names;
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
        if version.status && schema.requires("status") {
            lint(&version.name, x49(), report);
        }
    }
}

fn lint(path: &str, violation: Violation<'_>, report: &mut Report<'_>) {
    report_at_path(path, "", Err(violation), report);
}

const fn x40<'a>() -> Violation<'a> {
    let message = Text::literal("no version is served: the server responds to every request with 404");
    Violation::new(&X40, message)
}

const fn x41(name: &str) -> Violation<'_> {
    let message = Text::new(
        "the storage version `{}` is not served: clients can read objects only after a conversion",
        &[Arg::Text(name)],
    );
    Violation::new(&X41, message)
}

fn repeats(what: &str, field: &str, names: &[Cow<'_, str>], report: &mut Report<'_>) {
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            lint(&format!("{field}[{at}]"), x42(what, name), report);
        }
    }
}

/// No short name and no category is repeated. Call this for one that is.
pub const fn x42<'a>(what: &'a str, name: &'a str) -> Violation<'a> {
    let message = Text::new("the {} `{}` is given twice", &[Arg::Text(what), Arg::Text(name)]);
    Violation::new(&X42, message)
}

fn columns(version: &Version<'_>, report: &mut Report<'_>) {
    for (at, column) in version.columns.iter().enumerate() {
        let mut before = version.columns[..at].iter();
        if before.any(|other| other.name == column.name) {
            let path = format!("{}.additionalPrinterColumns[{at}].name", version.name);
            lint(&path, x43(&column.name), report);
        }
    }
}

const fn x43(name: &str) -> Violation<'_> {
    let message = Text::new("two columns are named `{}`", &[Arg::Text(name)]);
    Violation::new(&X43, message)
}

fn scale(version: &Version<'_>, schema: &SchemaProps<'_>, scale: &Scale<'_>, report: &mut Report<'_>) {
    let selector = scale.label_selector_path.as_deref().unwrap_or_default();
    let paths = [
        ("specReplicasPath", &*scale.spec_replicas_path, "integer"),
        ("statusReplicasPath", &*scale.status_replicas_path, "integer"),
        ("labelSelectorPath", selector, "string"),
    ];
    for (name, path, type_) in paths {
        // Without `status` in the schema, a merge may add it; a path elsewhere is an error.
        let is_judged =
            path.starts_with(".spec.") || path.starts_with(".status.") && schema.property("status").is_some();
        let Some(steps) = path.strip_prefix('.').filter(|_| is_judged) else {
            continue;
        };
        let target = value(schema, steps.split('.'));
        if let Err(violation) = x48(path, type_, target) {
            let path = format!("{}.subresources.scale.{name}", version.name);
            lint(&path, violation, report);
        }
    }
}

fn x48<'a>(path: &'a str, type_: &'a str, target: PathTarget<'a, '_>) -> Result<(), Violation<'a>> {
    let message = match target {
        PathTarget::Open => return Ok(()),
        PathTarget::Field(schema) if schema.type_.as_deref() == Some(type_) && !schema.int_or_string => {
            return Ok(());
        }
        PathTarget::Field(schema) if schema.type_.is_none() && !schema.int_or_string => {
            return Ok(());
        }
        PathTarget::Missing => Text::new("there is no field `{}`: scaling would have no effect", &[Arg::Text(path)]),
        PathTarget::Field(schema) if schema.int_or_string => Text::new(
            "the field `{}` is an integer or a string, but the server expects the type `{}`",
            &[Arg::Text(path), Arg::Text(type_)],
        ),
        PathTarget::Field(_) => Text::new(
            "the field `{}` is of the type `{}`, but the server expects `{}`",
            &[Arg::Text(path), Arg::Text(target.type_().unwrap_or_default()), Arg::Text(type_)],
        ),
    };
    Err(Violation::new(&X48, message))
}

const fn x49<'a>() -> Violation<'a> {
    let message = Text::literal(
        "`status` is required, but with the status subresource the server removes it from each new object, and then \
         rejects the object: make it optional",
    );
    Violation::new(&X49, message)
}
