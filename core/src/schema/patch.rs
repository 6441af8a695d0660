//! The members that a schema patch can have.

use alloc::{format, string::String, vec::Vec};

use super::{
    api_fields::{ApiStruct, FieldType, PROPS, SCHEMA},
    unsupported_keywords::{REFUSED, TRANSLATED, instead_of},
};
use crate::suggest::nearest;

static ANY: FieldType = FieldType::Json;
static SCHEMAS: FieldType = FieldType::Map(&PROPS);

/// Returns the type of a member of an object of the type `form`.
///
/// # Errors
///
/// If the member would be dropped; the error is the message.
pub fn member(form: &'static FieldType, key: &str) -> Result<&'static FieldType, String> {
    match form {
        FieldType::Object(object) if object.name == SCHEMA.name => keyword(key),
        FieldType::SchemaOrSchemas | FieldType::SchemaOrBool | FieldType::SchemaOrStrings => keyword(key),
        FieldType::Object(object) => match object.field(key) {
            Some(field) => Ok(&field.form),
            None => Err(unknown("member", key, object, &[])),
        },
        FieldType::Map(values) => Ok(values),
        FieldType::Named(_, form) => member(form, key),
        _ => Ok(&ANY),
    }
}

fn keyword(key: &str) -> Result<&'static FieldType, String> {
    if REFUSED.contains(&key) {
        return Err(format!("`{key}` is not supported in a schema of a CustomResourceDefinition"));
    }
    if TRANSLATED.contains(&key) {
        return Ok(match key {
            "patternProperties" => &SCHEMAS,
            "unevaluatedProperties" | "prefixItems" => &PROPS,
            _ => &ANY,
        });
    }
    match SCHEMA.field(key) {
        Some(field) => Ok(&field.form),
        None => Err(unknown("schema keyword", key, &SCHEMA, TRANSLATED)),
    }
}

fn unknown(what: &str, key: &str, object: &ApiStruct, others: &[&str]) -> String {
    if object.name == SCHEMA.name
        && let Some(instead) = instead_of(key)
    {
        return format!("there is no {what} `{key}` in a CustomResourceDefinition: {instead}");
    }
    let fields = object.fields.iter().map(|field| field.name);
    let words: Vec<_> = fields.chain(others.iter().copied()).filter(|word| !REFUSED.contains(word)).collect();
    match nearest(key, &words) {
        Some(meant) => format!("there is no {what} `{key}`: did you mean `{meant}`?"),
        None => format!("there is no {what} `{key}`, so it would be dropped"),
    }
}

/// Returns the type of an item of a list of the type `form`.
pub const fn item(form: &'static FieldType) -> &'static FieldType {
    match form {
        FieldType::List(items) => items,
        FieldType::Named(_, form) => item(form),
        FieldType::SchemaOrSchemas => &PROPS,
        FieldType::Object(object) if crate::text::equal(object.name, SCHEMA.name) => form,
        _ => &ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn along(keys: &[&str]) -> Result<(), String> {
        let mut form = &PROPS;
        for key in keys {
            form = match *key {
                "[]" => item(form),
                key => member(form, key)?,
            };
        }
        Ok(())
    }

    #[test]
    fn members() {
        for keys in [
            &["maxLength"] as &[&str],
            &["properties", "maxlength", "maxLength"],
            &["items", "minimum"],
            &["additionalProperties", "items", "[]", "minimum"],
            &["anyOf", "[]", "required"],
            &["default", "foo", "[]", "bar"],
            &["const"],
            &["x-kubernetes-validations", "[]", "fieldPath"],
            &["prefixItems", "[]", "type"],
        ] {
            assert_eq!(along(keys), Ok(()), "{keys:?}");
        }
    }

    #[test]
    fn what_would_be_lost() {
        for (keys, expected) in [
            (&["maxlength"] as &[&str], "did you mean `maxLength`?"),
            (&["if"], "`if` in a CustomResourceDefinition: write a rule"),
            (&["propertyNames"], "write a rule, `x-kubernetes-validations`"),
            (&["x-foo"], "`x-foo`, so it would be dropped"),
            (&["items", "[]", "minimun"], "did you mean `minimum`?"),
            (&["items", "minimun"], "did you mean `minimum`?"),
            (&["properties", "a", "readonly"], "would be dropped"),
            (&["x-kubernetes-validations", "[]", "fieldpath"], "did you mean `fieldPath`?"),
            (&["externalDocs", "href"], "would be dropped"),
            (&["not", "$ref"], "is not supported"),
        ] {
            let found = along(keys).unwrap_err();
            assert!(found.ends_with(expected) || found.contains(expected), "{found}");
        }
    }
}
