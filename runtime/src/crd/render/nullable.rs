//! Removal of `nullable` from optional fields, from which the server drops null anyway.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

use crate::{
    resource::definition::DerivedRoot,
    schema::{
        Keyword, Schema, Shape,
        walk::{Segment, parts},
    },
};

/// Removes `nullable` from all optional fields, except from those that explicitly request it.
///
/// Items of lists, values of maps and required fields keep it, because the server does not drop null there.
pub(super) fn remove(root: &DerivedRoot, props: &mut JSONSchemaProps) {
    if root.flatten_spec {
        of_schema(root.spec, props);
    } else {
        of_property("spec", Some(root.spec), props);
    }
    if let Some(status) = root.status {
        of_property("status", Some(status), props);
    }
}

fn of_schema(schema: &Schema, props: &mut JSONSchemaProps) {
    if let Shape::Foreign(_) = schema.shape {
        of_foreign(props);
    }
    for part in parts(schema) {
        let requests = part.field.is_some_and(|field| requests_nullable(field.keywords));
        match part.segment {
            Segment::Here => of_schema(part.schema, props),
            Segment::Items | Segment::Item(_) => of_items(part.schema, props),
            Segment::Values => of_values(part.schema, props),
            Segment::Field(name) if !requests => of_property(name, Some(part.schema), props),
            Segment::Field(name) => {
                if let Some(property) = property(name, props) {
                    of_schema(part.schema, property);
                }
            }
        }
    }
}

fn of_items(items: &Schema, props: &mut JSONSchemaProps) {
    if let Some(JSONSchemaPropsOrArray::Schema(props)) = &mut props.items {
        of_schema(items, props);
    }
}

fn of_values(values: &Schema, props: &mut JSONSchemaProps) {
    if let Some(JSONSchemaPropsOrBool::Schema(props)) = &mut props.additional_properties {
        of_schema(values, props);
    }
    let named = props.properties.iter_mut().flatten();
    named.for_each(|(_, props)| of_schema(values, props));
}

/// Whether a type or a field requests `nullable`, or has evaluated keywords that may do so.
fn requests_nullable(keywords: &[Keyword]) -> bool {
    let is_requested = |keyword: &Keyword| {
        matches!(keyword, Keyword::Nullable(true) | Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_))
    };
    keywords.iter().any(is_requested)
}

/// Whether a type, or the inner type of a newtype, requests `nullable`.
fn type_requests_nullable(schema: &Schema) -> bool {
    let inner_requests = matches!(schema.shape, Shape::Newtype(inner) if type_requests_nullable(inner));
    requests_nullable(schema.keywords) || inner_requests
}

/// Removes it from all fields at any depth, because it is unknown which of them request it.
fn of_foreign(props: &mut JSONSchemaProps) {
    let names: Vec<_> = props.properties.iter().flatten().map(|(name, _)| name.clone()).collect();
    for name in names {
        of_property(&name, None, props);
    }
    if let Some(JSONSchemaPropsOrArray::Schema(props)) = &mut props.items {
        of_foreign(props);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(props)) = &mut props.additional_properties {
        of_foreign(props);
    }
}

/// Removes it from a field; `schema` is `None` in a foreign type.
fn of_property(name: &str, schema: Option<&Schema>, props: &mut JSONSchemaProps) {
    let must_be_there = is_required(name, props);
    let Some(property) = property(name, props) else {
        return;
    };
    let is_requested = schema.is_some_and(type_requests_nullable);
    if !must_be_there && !is_requested {
        property.nullable = None;
    }
    match schema {
        Some(schema) => of_schema(schema, property),
        None => of_foreign(property),
    }
}

fn property<'a>(name: &str, props: &'a mut JSONSchemaProps) -> Option<&'a mut JSONSchemaProps> {
    props.properties.as_mut()?.get_mut(name)
}

/// Whether the field is required by the object or by a variant.
fn is_required(name: &str, props: &JSONSchemaProps) -> bool {
    let branches = [&props.all_of, &props.any_of, &props.one_of];
    props.required.iter().flatten().any(|required| required == name)
        || branches.into_iter().flatten().flatten().chain(props.not.as_deref()).any(|branch| is_required(name, branch))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        crd::render::schema::root,
        schema::{Descriptions, Field, KubeSchema, Tagging, Variant},
    };

    const ITEM: Schema = Schema::object(&[
        Field::new("left_out", <Option<bool>>::SCHEMA_REF),
        Field::new("explicit", <Option<bool>>::SCHEMA_REF).with(&[Keyword::Nullable(true)]),
        Field::new("present", <Option<bool>>::SCHEMA_REF).required_nullable(),
        Field::new("values", <Vec<Option<bool>>>::SCHEMA_REF),
        Field::new("newtype", &Schema::newtype(<Option<bool>>::SCHEMA_REF)),
    ]);
    const STATUS: Schema = Schema::one_of(
        Tagging::External,
        &[Variant::new("a").with(<Option<bool>>::SCHEMA_REF), Variant::new("b").with(&ITEM)],
    );

    /// Collects the paths of nullable values.
    fn nullable(props: &Value, path: &str, found: &mut Vec<String>) {
        if props["nullable"] == true {
            found.push(path.to_owned());
        }
        for (name, value) in props.as_object().into_iter().flatten() {
            nullable(value, &format!("{path}/{name}"), found);
        }
    }

    fn found(root: &DerivedRoot) -> Vec<String> {
        let mut paths = Vec::new();
        nullable(&json!(super::super::schema::root(root, Descriptions::default()).unwrap()), "", &mut paths);
        let paths = paths.iter();
        paths.map(|path| path.replace("/properties", "")).collect()
    }

    #[test]
    fn only_what_may_be_left_out_loses_it() {
        let spec = DerivedRoot::new(&ITEM).status(&STATUS);
        let kept = [
            "/spec/explicit",
            "/spec/present",
            "/spec/values/items",
            "/status/a",
            "/status/b/explicit",
            "/status/b/present",
            "/status/b/values/items",
        ];
        assert_eq!(found(&spec.not_nullable()), kept);
        assert!(found(&spec).len() > kept.len());
        let root = root(&DerivedRoot::new(&ITEM).flatten_spec().not_nullable(), Descriptions::default()).unwrap();
        assert_eq!(root.properties.unwrap()["left_out"].nullable, None);
    }

    #[test]
    fn nothing_else_is_lost() {
        const LIST: Schema = Schema::object(&[
            Field::new("list", &Schema::list(&ITEM)),
            Field::new("map", &Schema::map(<Option<u8>>::SCHEMA_REF)),
            Field::flattened(&ITEM),
        ]);
        let root = DerivedRoot::new(&LIST).not_nullable();
        assert_eq!(
            found(&root),
            [
                "/spec/explicit",
                "/spec/list/items/explicit",
                "/spec/list/items/present",
                "/spec/list/items/values/items",
                "/spec/map/additionalProperties",
                "/spec/present",
                "/spec/values/items",
            ]
        );
    }

    #[test]
    fn foreign_types_lose_it_too() {
        #[derive(schemars::JsonSchema)]
        #[allow(dead_code)]
        struct Foreign {
            left_out: Option<bool>,
            values: Vec<Option<bool>>,
            inner: Vec<std::collections::BTreeMap<String, Inner>>,
        }
        #[derive(schemars::JsonSchema)]
        #[allow(dead_code)]
        struct Inner {
            left_out: Option<bool>,
        }
        const FOREIGN: Schema = Schema::foreign(crate::schema::ForeignSchema::of::<Foreign>());
        let root = DerivedRoot::new(&FOREIGN).not_nullable();
        assert_eq!(found(&root), ["/spec/values/items"]);
    }
}
