//! Checks across the attributes of a resource.

use crdkit_core::{
    Violation,
    rules::{
        approval::{self, a1, a2},
        definition_lints::x42,
        metadata::m2,
        names::{Name, n6, n7, n7_list_kind, n8},
        selectable::{self, f2, f3, f4, f6, f7},
    },
};
use darling::Error;
use syn::DeriveInput;

use super::Names;
use crate::attrs::{
    Errors, items,
    printer_column::PrintColumn,
    resource::{ResourceAttrs, SchemaMode},
    scale::Scale,
    text::{Text, check_result},
};

pub(super) fn require_identity(attrs: &ResourceAttrs, input: &DeriveInput, errors: &mut Errors) {
    let keys = [
        ("group", "group = \"example.com\"", attrs.has_key("group")),
        ("version", "version = \"v1\"", attrs.has_key("version")),
        ("kind", "kind = \"VirtualMachine\"", attrs.has_key("kind")),
    ];
    let missing = items::missing_keys(&keys, |example| format!("#[crd({example})]"));
    errors.extend(missing.map(|error| error.with_span(&input.ident)));
}

pub(super) fn check_names(attrs: &ResourceAttrs, errors: &mut Errors) {
    let names = Names::new(attrs);
    if let Some(kind) = attrs.kind.as_ref().filter(|_| attrs.list_kind.is_none()) {
        report(n7_list_kind(&names.kind, &names.list_kind), kind, errors);
    }
    if let Some(list_kind) = &attrs.list_kind {
        report(n8(&names.kind, list_kind), list_kind, errors);
    }
    check_derived_labels(attrs, &names, errors);
    reject_duplicates("short name", attrs.short_names.iter().map(|name| &**name), errors);
    reject_duplicates("category", attrs.categories.iter().map(|name| &**name), errors);
}

/// Names that are derived from others may be too long.
fn check_derived_labels(attrs: &ResourceAttrs, names: &Names, errors: &mut Errors) {
    let Some(kind) = &attrs.kind else { return };
    if attrs.plural.is_none()
        && n7(kind).is_ok()
        && let Err(message) = check_result(n6(Name::Plural, &names.plural))
    {
        let message = format!("{message}; set another `plural`");
        errors.push(Error::custom(message).with_span(&kind.span()));
    }
    if let Some(group) = &attrs.group {
        let name = format!("{}.{}", names.plural, names.group);
        report(m2(&name), group, errors);
    }
}

/// Reports a text that breaks a rule of `crdkit-core`.
fn report(result: Result<(), Violation<'_>>, text: &Text, errors: &mut Errors) {
    if let Err(message) = check_result(result) {
        errors.push(Error::custom(message).with_span(&text.span()));
    }
}

fn reject_duplicates<'a>(what: &str, texts: impl Iterator<Item = &'a Text>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for text in texts {
        if seen.contains(&text.as_str()) {
            report(Err(x42(what, text)), text, errors);
        }
        seen.push(text.as_str());
    }
}

pub(super) fn check_metadata(attrs: &ResourceAttrs, errors: &mut Errors) {
    reject_duplicates("label", attrs.labels.iter().map(|label| &label.key), errors);
    reject_duplicates("annotation", attrs.annotations.iter().map(|annotation| &annotation.key), errors);
    let approval = attrs.annotations.iter().find(|annotation| annotation.key.as_str() == approval::ANNOTATION);
    let is_installed_elsewhere =
        attrs.installed_elsewhere.is_some_and(|flag| flag.value) || attrs.schema == Some(SchemaMode::Disabled);
    let Some(group) = &attrs.group else { return };
    match approval {
        None if is_installed_elsewhere => {}
        None => {
            if let Err(message) = check_result(a1(group, None)) {
                let message = format!(
                    "{message}; write it as `annotation(\"{}\", \"...\")`, or write `installed_elsewhere` if others \
                     install the definition",
                    approval::ANNOTATION
                );
                errors.push(Error::custom(message).with_span(&group.span()));
            }
        }
        Some(annotation) => {
            let value = &annotation.value;
            let result = a1(group, Some(value)).and_then(|()| a2(group, value));
            report(result, value, errors);
        }
    }
}

/// With `no_spec`, the fields are at the root of the object, and there is no schema of the spec.
pub(super) fn check_spec_items(attrs: &ResourceAttrs, errors: &mut Errors) {
    if attrs.no_spec.is_none_or(|flag| !flag.value) {
        return;
    }
    for span in &attrs.spec_schema_spans {
        let message = "has no effect: with `no_spec` there is no object `spec`";
        errors.push(Error::custom(message).with_span(span));
    }
}

pub(super) fn check_schema_mode(attrs: &ResourceAttrs, errors: &mut Errors) {
    let mode = attrs.schema.unwrap_or(SchemaMode::Derived);
    if mode == SchemaMode::Derived {
        return;
    }
    if let Some(cel) = attrs.cel.filter(|flag| flag.value) {
        errors.push(Error::custom("`cel` requires a derived schema; remove it or `schema`").with_span(&cel.span));
    }
    if let Some(nullable) = &attrs.nullable {
        errors.push(
            Error::custom("`nullable` requires a derived schema; remove it or `schema`").with_span(&nullable.span),
        );
    }
    for rule in &attrs.rules {
        errors.push(Error::custom("a rule requires a derived schema; remove it or `schema`").with_span(&rule.span()));
    }
    if let Some(descriptions) = attrs.descriptions.as_ref().filter(|_| mode == SchemaMode::Disabled) {
        errors.push(
            Error::custom("`descriptions` has no effect without a schema; remove it").with_span(&descriptions.span),
        );
    }
    if let Some(Scale::Fields(span)) = &attrs.scale {
        errors.push(
            Error::custom(
                "without a derived schema, the paths cannot come from fields: write `scale(spec_replicas_path = \
                 \"...\", status_replicas_path = \"...\")`",
            )
            .with_span(span),
        );
    }
}

pub(super) fn check_columns(attrs: &ResourceAttrs, errors: &mut Errors) {
    let ages = attrs.printer_columns.iter().filter_map(|column| match column {
        PrintColumn::Age(span) => Some(span),
        _ => None,
    });
    for span in ages.skip(1) {
        errors.push(Error::custom("`age` is given twice").with_span(span));
    }
}

/// The API server reads replicas below `.spec`. Explicit paths are checked where they are parsed.
pub(super) fn check_scale(attrs: &ResourceAttrs, errors: &mut Errors) {
    let no_spec = attrs.no_spec.is_some_and(|flag| flag.value);
    if let Some(Scale::Fields(span)) = &attrs.scale
        && no_spec
    {
        errors.push(
            Error::custom(
                "the scale subresource reads replicas below `.spec`, which a resource with `no_spec` does not have",
            )
            .with_span(span),
        );
    }
}

pub(super) fn check_paths(attrs: &ResourceAttrs, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for path in &attrs.selectable {
        let mut check = |result: Result<(), Violation<'_>>| {
            if let Err(message) = check_result(result) {
                errors.push(Error::custom(message).with_span(&path.span()));
            }
        };
        if path.is_below("metadata") {
            check(Err(f4(path.as_str(), true)));
        } else if !path.is_simple() {
            check(f2(path.as_str()).and(Err(f3(path.as_str()))));
        }
        if seen.contains(&path.as_str()) {
            check(Err(f6(path.as_str())));
        }
        seen.push(path.as_str());
    }
    if let Some(path) = attrs.selectable.get(selectable::MAX)
        && let Err(message) = check_result(f7(attrs.selectable.len()))
    {
        errors.push(Error::custom(message).with_span(&path.span()));
    }
}
