//! The values that rules see.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

use crate::schema::{Keyword, Schema, Shape, any_keyword};

/// Whether rules see a value of the schema: they know no type for what can be anything, nor for lists and maps of it.
///
/// From the server's `SchemaDeclType`.
pub(crate) fn are_seen(props: &JSONSchemaProps) -> bool {
    if props.x_kubernetes_int_or_string == Some(true) {
        return true;
    }
    match (
        props.type_.as_deref(),
        &props.items,
        &props.additional_properties,
    ) {
        (None, ..) => false,
        (Some("array"), Some(JSONSchemaPropsOrArray::Schema(items)), _) => are_seen(items),
        (Some("object"), _, Some(JSONSchemaPropsOrBool::Schema(values))) => are_seen(values),
        _ => true,
    }
}

/// The same of a schema that is known while compiling, as far as it is.
pub(crate) const fn may_be_seen(schema: &Schema, keywords: &[Keyword]) -> bool {
    if have_a_say(keywords) || have_a_say(schema.keywords) {
        return true;
    }
    match schema.shape {
        Shape::Any => false,
        Shape::Newtype(inner)
        | Shape::List(inner)
        | Shape::Map(inner)
        | Shape::Tuple(&[inner, ..]) => may_be_seen(inner, &[]),
        _ => true,
    }
}

/// Whether keywords may give a value a type that its shape does not have.
const fn have_a_say(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::EmbeddedResource | Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_)
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values() {
        for (schema, is_seen) in [
            (
                json!({ "x-kubernetes-preserve-unknown-fields": true }),
                false,
            ),
            (json!({ "x-kubernetes-int-or-string": true }), true),
            (
                json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
                true,
            ),
            (
                json!({ "type": "array", "items": { "x-kubernetes-preserve-unknown-fields": true } }),
                false,
            ),
            (
                json!({ "type": "array", "items": { "type": "object" } }),
                true,
            ),
            (
                json!({
                    "type": "object",
                    "additionalProperties": { "x-kubernetes-preserve-unknown-fields": true },
                }),
                false,
            ),
            (json!({ "type": "string" }), true),
        ] {
            let props = serde_json::from_value(schema.clone()).unwrap();
            assert_eq!(are_seen(&props), is_seen, "{schema}");
        }
    }

    #[test]
    fn values_that_are_known_while_compiling() {
        const ANY: Schema = Schema::any();
        const RESOURCE: Schema = Schema::any().with(&[Keyword::EmbeddedResource]);
        const LIST: Schema = Schema::list(&ANY);
        assert!(!may_be_seen(&ANY, &[]) && !may_be_seen(&LIST, &[]));
        assert!(!may_be_seen(&Schema::newtype(&LIST), &[]));
        assert!(may_be_seen(&RESOURCE, &[]) && may_be_seen(&ANY, &[Keyword::EmbeddedResource]));
        assert!(may_be_seen(&Schema::string(), &[]));
    }
}
