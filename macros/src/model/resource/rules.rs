//! Rules across the attributes of a resource.

use darling::Error;
use syn::DeriveInput;

use super::Names;
use crate::attrs::{
    Errors, items,
    names::is_protected_group,
    printer_column::PrintColumn,
    resource::{ResourceAttrs, SchemaMode},
    scale::Scale,
    text::Text,
};

pub(super) fn require_identity(attrs: &ResourceAttrs, input: &DeriveInput, errors: &mut Errors) {
    let keys = [
        ("group", "group = \"example.com\"", attrs.wrote("group")),
        ("version", "version = \"v1\"", attrs.wrote("version")),
        ("kind", "kind = \"VirtualMachine\"", attrs.wrote("kind")),
    ];
    let missing = items::missing(&keys, |example| format!("#[crd({example})]"));
    errors.extend(missing.map(|error| error.with_span(&input.ident)));
}

pub(super) fn check_names(attrs: &ResourceAttrs, errors: &mut Errors) {
    let names = Names::new(attrs);
    if let Some(kind) = &attrs.kind {
        let default_is_long = attrs.list_kind.is_none() && names.list_kind.len() > 63;
        if default_is_long {
            errors.push(
                Error::custom(format!(
                    "with `List` behind it, the kind `{}` has more than 63 characters: give \
                     another `list_kind`",
                    kind.as_str()
                ))
                .with_span(&kind.span()),
            );
        }
    }
    if let Some(list_kind) = attrs
        .list_kind
        .as_ref()
        .filter(|kind| kind.as_str() == names.kind)
    {
        errors.push(
            Error::custom(format!(
                "the kind of lists cannot be the kind itself: leave it out for `{}List`",
                names.kind
            ))
            .with_span(&list_kind.span()),
        );
    }
    check_derived_labels(attrs, &names, errors);
    check_repeats(
        "short name",
        attrs.short_names.iter().map(|name| &**name),
        errors,
    );
    check_repeats(
        "category",
        attrs.categories.iter().map(|name| &**name),
        errors,
    );
}

/// Names that are made from others may become too long.
fn check_derived_labels(attrs: &ResourceAttrs, names: &Names, errors: &mut Errors) {
    let Some(kind) = &attrs.kind else { return };
    if attrs.plural.is_none() && names.plural.len() > 63 {
        errors.push(
            Error::custom(format!(
                "the plural `{}` has more than 63 characters: give another `plural`",
                names.plural
            ))
            .with_span(&kind.span()),
        );
    }
    if let Some(group) = &attrs.group
        && names.plural.len() + 1 + group.len() > 253
    {
        errors.push(
            Error::custom(format!(
                "the name of the definition, `{}.{}`, has more than 253 characters",
                names.plural, names.group
            ))
            .with_span(&group.span()),
        );
    }
}

fn check_repeats<'a>(what: &str, texts: impl Iterator<Item = &'a Text>, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for text in texts {
        if seen.contains(&text.as_str()) {
            errors.push(
                Error::custom(format!("the {what} `{}` is given twice", text.as_str()))
                    .with_span(&text.span()),
            );
        }
        seen.push(text.as_str());
    }
}

pub(super) fn check_metadata(attrs: &ResourceAttrs, errors: &mut Errors) {
    check_repeats("label", attrs.labels.iter().map(|label| &label.key), errors);
    check_repeats(
        "annotation",
        attrs.annotations.iter().map(|annotation| &annotation.key),
        errors,
    );
    let approval = attrs
        .annotations
        .iter()
        .find(|annotation| annotation.key.as_str() == APPROVAL);
    let is_installed_elsewhere = attrs.installed_elsewhere.is_some_and(|flag| flag.value)
        || attrs.schema == Some(SchemaMode::Disabled);
    match (&attrs.group, approval) {
        (Some(_), None) if is_installed_elsewhere => {}
        (Some(group), None) if is_protected_group(group) => errors.push(
            Error::custom(format!(
                "groups that end in `k8s.io` or `kubernetes.io` belong to Kubernetes: add \
                 `annotation(\"{APPROVAL}\", \"...\")` with the URL of the approval, or a text \
                 that starts with `unapproved`; or `#[crd(installed_elsewhere)]` if others \
                 install the definition"
            ))
            .with_span(&group.span()),
        ),
        (Some(group), Some(annotation))
            if is_protected_group(group) && !is_approval(&annotation.value) =>
        {
            errors.push(
                Error::custom("expected a URL, or a text that starts with `unapproved`")
                    .with_span(&annotation.value.span()),
            );
        }
        _ => {}
    }
}

const APPROVAL: &str = "api-approved.kubernetes.io";

fn is_approval(value: &str) -> bool {
    let is_url = value.split_once("://").is_some_and(|(scheme, rest)| {
        !scheme.is_empty() && !rest.is_empty() && !rest.starts_with('/')
    });
    is_url || value.starts_with("unapproved")
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
            Error::custom(
                "`cel` runs the rules of a derived schema: it cannot stand beside another `schema`",
            )
            .with_span(&cel.span),
        );
    }
    if let Some(nullable) = &attrs.nullable {
        errors.push(
            Error::custom(
                "`nullable` is about a derived schema: it cannot stand beside another `schema`",
            )
            .with_span(&nullable.span),
        );
    }
    for rule in &attrs.rules {
        errors.push(
            Error::custom(
                "a rule is part of a derived schema: it cannot stand beside another `schema`",
            )
            .with_span(&rule.span()),
        );
    }
    if let Some(descriptions) = attrs
        .descriptions
        .as_ref()
        .filter(|_| mode == SchemaMode::Disabled)
    {
        errors.push(
            Error::custom("without a schema there are no descriptions: remove this")
                .with_span(&descriptions.span),
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
    let ages = attrs
        .printer_columns
        .iter()
        .filter_map(|column| match column {
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
        let error = |message: String| Error::custom(message).with_span(&path.span());
        if !path.is_plain() {
            errors.push(error(format!(
                "`{}` is more than names of fields: a selectable field is reached by nothing else",
                path.as_str()
            )));
        }
        if path.is_below("metadata") {
            errors.push(error(
                "fields of `metadata` cannot be declared selectable: name and namespace always are"
                    .to_owned(),
            ));
        }
        if seen.contains(&path.as_str()) {
            errors.push(error(format!(
                "the path `{}` is given twice",
                path.as_str()
            )));
        }
        seen.push(path.as_str());
    }
    if let Some(path) = attrs.selectable.get(MAX_SELECTABLE) {
        errors.push(
            Error::custom(format!(
                "a version has at most {MAX_SELECTABLE} selectable fields"
            ))
            .with_span(&path.span()),
        );
    }
}

const MAX_SELECTABLE: usize = 8;
