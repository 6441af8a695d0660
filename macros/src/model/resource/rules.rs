//! Rules across the attributes of a resource.

use crdkit_core::{
    Violation,
    rules::{
        approval::{self, a1, a2},
        metadata::m2,
        names::{Name, n6, n7, n7_of_lists, n8},
        regrets::x42,
        selectable::{self, f2, f3, f4, f6, f7},
    },
};
use darling::Error;
use syn::DeriveInput;

use super::{Names, names::irregular_plural};
use crate::attrs::{
    Errors, items,
    printer_column::{PathColumn, PrintColumn},
    resource::{ResourceAttrs, SchemaMode},
    scale::Scale,
    text::{Text, rule},
};

pub(super) fn require_identity(attrs: &ResourceAttrs, input: &DeriveInput, errors: &mut Errors) {
    let keys = [
        ("group", "group = \"example.com\"", attrs.wrote("group")),
        ("version", "version = \"v1\"", attrs.wrote("version")),
        ("kind", "kind = \"VirtualMachine\"", attrs.wrote("kind") || attrs.written_kind.is_some()),
    ];
    let Some(mut message) = items::missing(&keys, |example| format!("#[crd({example})]")) else {
        return;
    };
    if keys.iter().any(|(key, _, is_there)| *key == "kind" && !is_there) {
        message += "; `kind` can be left out only if the type is named after it, such as `VirtualMachineSpec`";
    }
    errors.push(Error::custom(message).with_span(&input.ident));
}

pub(super) fn check_names(attrs: &ResourceAttrs, errors: &mut Errors) {
    let names = Names::new(attrs);
    if let Some(kind) = attrs.kind.as_ref().filter(|_| attrs.list_kind.is_none()) {
        refuse(n7_of_lists(&names.kind, &names.list_kind), kind, errors);
    }
    if let Some(list_kind) = &attrs.list_kind {
        refuse(n8(&names.kind, list_kind), list_kind, errors);
    }
    check_derived_labels(attrs, &names, errors);
    check_irregular_plural(attrs, &names, errors);
    check_repeats("short name", attrs.short_names.iter().map(|name| &**name), errors);
    check_repeats("category", attrs.categories.iter().map(|name| &**name), errors);
}

/// Names that are made from others may become too long.
fn check_derived_labels(attrs: &ResourceAttrs, names: &Names, errors: &mut Errors) {
    let Some(kind) = &attrs.kind else { return };
    if attrs.plural.is_none()
        && n7(kind).is_ok()
        && let Err(message) = rule(n6(Name::Plural, &names.plural))
    {
        let message = format!("{message}, so give another `plural`");
        errors.push(Error::custom(message).with_span(&kind.span()));
    }
    if let Some(group) = &attrs.group {
        let name = format!("{}.{}", names.plural, names.group);
        refuse(m2(&name), group, errors);
    }
}

/// With kube-derive's attribute the plural is kube-derive's.
fn check_irregular_plural(attrs: &ResourceAttrs, names: &Names, errors: &mut Errors) {
    let (Some(kind), Some(plural)) = (&attrs.kind, irregular_plural(attrs)) else {
        return;
    };
    if attrs.plural.is_some() || attrs.wrote("plural") || attrs.is_of_kube {
        return;
    }
    let Names { singular, plural: made, .. } = names;
    let message = format!(
        "the plural of `{singular}` is irregular: add `plural = \"{plural}\"`, or `plural = \"{made}\"`, which kube-derive \
         makes of it"
    );
    errors.push(Error::custom(message).with_span(&kind.span()));
}

/// An error on a text that breaks a rule of the core.
fn refuse(result: Result<(), Violation<'_>>, text: &Text, errors: &mut Errors) {
    if let Err(message) = rule(result) {
        errors.push(Error::custom(message).with_span(&text.span()));
    }
}

fn check_repeats<'a>(what: &str, texts: impl Iterator<Item = &'a Text>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for text in texts {
        if seen.contains(&text.as_str()) {
            refuse(Err(x42(what, text)), text, errors);
        }
        seen.push(text.as_str());
    }
}

pub(super) fn check_metadata(attrs: &ResourceAttrs, errors: &mut Errors) {
    check_repeats("label", attrs.labels.iter().map(|label| &label.key), errors);
    check_repeats("annotation", attrs.annotations.iter().map(|annotation| &annotation.key), errors);
    let approval = attrs.annotations.iter().find(|annotation| annotation.key.as_str() == approval::ANNOTATION);
    let is_installed_elsewhere =
        attrs.installed_elsewhere.is_some_and(|flag| flag.value) || attrs.schema == Some(SchemaMode::Disabled);
    let Some(group) = &attrs.group else { return };
    match approval {
        None if is_installed_elsewhere => {}
        None => {
            if let Err(message) = rule(a1(group, None)) {
                let message = format!(
                    "{message}; that is `annotation(\"{}\", \"...\")`, or `installed_elsewhere` if others install the \
                     definition",
                    approval::ANNOTATION
                );
                errors.push(Error::custom(message).with_span(&group.span()));
            }
        }
        Some(annotation) => {
            let value = &annotation.value;
            let result = a1(group, Some(value)).and_then(|()| a2(group, value));
            refuse(result, value, errors);
        }
    }
}

/// With `no_spec` the fields stand at the root of the object, and the spec has no place of its own.
pub(super) fn check_spec_items(attrs: &ResourceAttrs, errors: &mut Errors) {
    if attrs.no_spec.is_none_or(|flag| !flag.value) {
        return;
    }
    for span in &attrs.of_spec {
        let message = "with `no_spec` there is no object `spec` that this could be said of";
        errors.push(Error::custom(message).with_span(span));
    }
}

pub(super) fn check_schema_mode(attrs: &ResourceAttrs, errors: &mut Errors) {
    let mode = attrs.schema.unwrap_or(SchemaMode::Derived);
    if mode == SchemaMode::Derived {
        return;
    }
    if let Some(cel) = attrs.cel.filter(|flag| flag.value) {
        errors.push(
            Error::custom("`cel` runs the rules of a derived schema: it cannot stand beside another `schema`")
                .with_span(&cel.span),
        );
    }
    if let Some(nullable) = &attrs.nullable {
        errors.push(
            Error::custom("`nullable` is about a derived schema: it cannot stand beside another `schema`")
                .with_span(&nullable.span),
        );
    }
    for rule in &attrs.rules {
        errors.push(
            Error::custom("a rule is part of a derived schema: it cannot stand beside another `schema`")
                .with_span(&rule.span()),
        );
    }
    for column in &attrs.printer_columns {
        if let PrintColumn::Path(PathColumn { type_: None, json_path, .. }) = column {
            let message = "without a derived schema the type of the column cannot be inferred: add `type_ = \"string\"`, \
                           or another type";
            errors.push(Error::custom(message).with_span(&json_path.span()));
        }
    }
    if let Some(descriptions) = attrs.descriptions.as_ref().filter(|_| mode == SchemaMode::Disabled) {
        errors.push(
            Error::custom("without a schema there are no descriptions: remove this").with_span(&descriptions.span),
        );
    }
    if let Some(Scale::Fields(span)) = &attrs.scale {
        errors.push(
            Error::custom(
                "without a derived schema no field can be marked: write the paths, \
                 `scale(spec_replicas_path = \"...\", status_replicas_path = \"...\")`",
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

/// The server looks for replicas below `.spec`; paths that are written out are checked by themselves.
pub(super) fn check_scale(attrs: &ResourceAttrs, errors: &mut Errors) {
    let no_spec = attrs.no_spec.is_some_and(|flag| flag.value);
    if let Some(Scale::Fields(span)) = &attrs.scale
        && no_spec
    {
        errors.push(
            Error::custom(
                "the scale subresource looks for replicas below `.spec`, which a resource with \
                 `no_spec` does not have",
            )
            .with_span(span),
        );
    }
}

pub(super) fn check_paths(attrs: &ResourceAttrs, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for path in &attrs.selectable {
        let mut check = |result: Result<(), Violation<'_>>| {
            if let Err(message) = rule(result) {
                errors.push(Error::custom(message).with_span(&path.span()));
            }
        };
        if path.is_below("metadata") {
            check(Err(f4(path.as_str(), true)));
        } else if !path.is_plain() {
            check(f2(path.as_str()).and(Err(f3(path.as_str()))));
        }
        if seen.contains(&path.as_str()) {
            check(Err(f6(path.as_str())));
        }
        seen.push(path.as_str());
    }
    if let Some(path) = attrs.selectable.get(selectable::MAX)
        && let Err(message) = rule(f7(attrs.selectable.len()))
    {
        errors.push(Error::custom(message).with_span(&path.span()));
    }
}
