//! Rendering of maps.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrBool,
};

use crate::{
    crd::{
        render::{
            RenderError, keywords,
            options::RenderOptions,
            schema::{self, render_schema, set_type},
        },
        structural,
    },
    schema::{Descriptions, Keyword, Schema, map_keys::may_have_names},
};

/// Renders a map. If its keys are the names of an enum, it is an object with an optional field for each.
pub(super) fn write(
    keys: Option<&Schema>,
    values: &Schema,
    props: &mut JSONSchemaProps,
    options: RenderOptions,
) -> Result<(), RenderError> {
    let mut value = Box::<JSONSchemaProps>::default();
    schema::write(values, &mut value, options).map_err(|error| error.below("[*]"))?;
    set_type(props, "object");
    match keys.and_then(names) {
        Some(names) => {
            let field = |name| (name, (*value).clone());
            props.properties = Some(names.into_iter().map(field).collect());
            structural::deny_unknown(props);
        }
        None => props.additional_properties = Some(JSONSchemaPropsOrBool::Schema(value)),
    }
    Ok(())
}

/// Applies keywords to the values of a map.
pub(super) fn add_to_values(
    props: &mut JSONSchemaProps,
    keywords: &[Keyword],
    descriptions: Descriptions,
) -> Result<(), RenderError> {
    let below = |error: RenderError| error.below("[*]");
    match (&mut props.additional_properties, &mut props.properties) {
        (Some(JSONSchemaPropsOrBool::Schema(values)), _) => {
            keywords::refuse_null_as_resource(keywords, values);
            keywords::apply(values, keywords, descriptions).map_err(below)
        }
        (_, Some(fields)) if are_alike(fields.values()) => {
            fields.values_mut().try_for_each(|field| keywords::apply(field, keywords, descriptions).map_err(below))
        }
        _ => Err(RenderError::new("`values` applies to maps, but the value is not a map")),
    }
}

/// Turns a map of any values into the equivalent object that preserves unknown fields.
pub(super) fn open(props: &mut JSONSchemaProps) {
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &props.additional_properties
        && is_bare_any(values)
    {
        props.additional_properties = None;
        props.x_kubernetes_preserve_unknown_fields = Some(true);
    }
}

fn is_bare_any(values: &JSONSchemaProps) -> bool {
    let undescribed = JSONSchemaProps { description: None, ..values.clone() };
    undescribed == structural::any()
}

/// Whether all fields have the same schema, as in a map with named keys.
fn are_alike<'a>(fields: impl Iterator<Item = &'a JSONSchemaProps>) -> bool {
    let fields: Vec<_> = fields.collect();
    fields.windows(2).all(|pair| pair[0] == pair[1])
}

/// Returns the names of a map's keys if they are an enum. Other keys are not rendered.
fn names(keys: &Schema) -> Option<Vec<String>> {
    if !may_have_names(keys) {
        return None;
    }
    let name = |value: &JSON| value.0.as_str().map(ToOwned::to_owned);
    let values = render_schema(keys).ok()?.enum_?;
    values.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::schema::{ForeignSchema, UnitVariant};

    const KEYS: Schema = Schema::enumeration(&[UnitVariant::new("cpu"), UnitVariant::new("memory")]);

    fn rendered(schema: &Schema) -> Value {
        json!(render_schema(schema).unwrap())
    }

    #[test]
    fn names_of_an_enum_are_fields() {
        const MAP: Schema = Schema::map(&Schema::boolean()).keyed_by(&KEYS);
        let expected = json!({
            "type": "object",
            "properties": { "cpu": { "type": "boolean" }, "memory": { "type": "boolean" } },
        });
        assert_eq!(rendered(&MAP), expected);
        const NEWTYPE: Schema = Schema::map(&Schema::boolean()).keyed_by(&Schema::newtype(&KEYS));
        assert_eq!(rendered(&NEWTYPE), expected);
        #[derive(schemars::JsonSchema)]
        #[allow(dead_code, non_camel_case_types)]
        enum Foreign {
            cpu,
            memory,
        }
        const FOREIGN: Schema =
            Schema::map(&Schema::boolean()).keyed_by(&Schema::foreign(ForeignSchema::of::<Foreign>()));
        assert_eq!(rendered(&FOREIGN), expected);
    }

    #[test]
    fn other_keys_are_any_text() {
        const MAP: Schema = Schema::map(&Schema::boolean());
        const BY_NUMBER: Schema = MAP.keyed_by(&Schema::integer());
        const BY_TEXT: Schema = MAP.keyed_by(&Schema::newtype(&Schema::string()));
        for keyed in [BY_NUMBER, BY_TEXT] {
            assert_eq!(rendered(&keyed), rendered(&MAP));
        }
    }

    #[test]
    fn keywords_of_values_are_those_of_all_fields() {
        const MAP: Schema =
            Schema::map(&Schema::string()).keyed_by(&KEYS).with(&[Keyword::Values(&[Keyword::max_length(3)])]);
        let field = json!({ "type": "string", "maxLength": 3 });
        assert_eq!(rendered(&MAP)["properties"], json!({ "cpu": field, "memory": field }));
    }
}
