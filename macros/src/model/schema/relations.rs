//! Rules between fields, and immutable values.

use darling::Error;

use super::{Body, Check, CheckKind, ConstChecks, SchemaField};
use crate::{
    attrs::{
        Errors,
        key::Key,
        relations::{FieldGroup, FieldRelations, Requires, TypeRelations},
        text::Text,
    },
    model::keyword::Keyword,
};

/// The keywords for groups of fields, such as `one_of`.
pub(super) fn field_group_keywords(
    relations: &TypeRelations,
    body: &Body,
    checks: &mut ConstChecks,
    errors: &mut Errors,
) -> Vec<Keyword> {
    if let Some(span) = relations.immutable {
        checks.attr_checks.push(Check::new(0, span, CheckKind::TypeIsVisibleToRules));
    }
    match body {
        Body::Unknown => Vec::new(),
        Body::Object(fields) => {
            let field_groups = relations.field_groups.iter();
            field_groups.map(|group| field_group_keyword(group, fields, checks, errors)).collect()
        }
        _ => {
            for group in &relations.field_groups {
                let key = group.key.name();
                let message =
                    format!("`{key}` applies to the fields of a struct, and the schema of this type has none");
                errors.push(Error::custom(message).with_span(&group.span));
            }
            Vec::new()
        }
    }
}

fn field_group_keyword(
    group: &FieldGroup,
    fields: &[SchemaField],
    checks: &mut ConstChecks,
    errors: &mut Errors,
) -> Keyword {
    let names = names(&group.names, fields, errors);
    for (name, text) in names.iter().zip(&group.names) {
        checks.attr_checks.push(can_be_unset_check(name, text.span()));
    }
    Keyword::FieldGroup(group.key, names)
}

/// Adds `immutable` and `requires` to the fields.
pub(super) fn add_field_relations(
    relations: Vec<(usize, FieldRelations)>,
    fields: &mut [SchemaField],
    checks: &mut ConstChecks,
    errors: &mut Errors,
) {
    for (at, relations) in relations {
        if let Some(span) = relations.immutable {
            fields[at].immutable = true;
            let kind = CheckKind::FieldIsVisibleToRules;
            checks.attr_checks.push(Check::new(at, span, kind));
        }
        if let Some(requires) = relations.requires {
            let keyword = requires_keyword(&requires, at, fields, checks, errors);
            fields[at].keywords.push(keyword);
        }
    }
}

fn requires_keyword(
    requires: &Requires,
    at: usize,
    fields: &[SchemaField],
    checks: &mut ConstChecks,
    errors: &mut Errors,
) -> Keyword {
    let names = names(&requires.names, fields, errors);
    let own = fields[at].name.as_deref().unwrap_or_default();
    checks.attr_checks.push(can_be_unset_check(own, requires.span));
    for (name, text) in names.iter().zip(&requires.names) {
        if name == own {
            errors.push(Error::custom("a field cannot require itself: name other fields").with_span(&text.span()));
        } else {
            checks.attr_checks.push(can_be_unset_check(name, text.span()));
        }
    }
    Keyword::Requires(names)
}

fn can_be_unset_check(name: &str, span: proc_macro2::Span) -> Check {
    Check::new(0, span, CheckKind::CanBeUnset(name.to_owned()))
}

/// The JSON names of fields, which are given by their JSON or Rust names.
fn names(texts: &[Text], fields: &[SchemaField], errors: &mut Errors) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        let name = json_name(text, fields);
        if names.contains(&name) {
            errors.push(Error::custom(format!("the field `{name}` is listed twice")).with_span(&text.span()));
        }
        names.push(name);
    }
    names
}

fn json_name(text: &Text, fields: &[SchemaField]) -> String {
    let is_json = |field: &SchemaField| field.name.as_deref() == Some(text.as_str());
    let in_rust = fields.iter().find(|field| field.ident == text.as_str());
    match in_rust.and_then(|field| field.name.clone()) {
        Some(name) if !fields.iter().any(is_json) => name,
        _ => text.as_str().to_owned(),
    }
}
