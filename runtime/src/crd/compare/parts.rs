//! How a schema treats the parts of a value.

use std::sync::LazyLock;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Props, JSONSchemaPropsOrBool,
};

use crate::crd::crd_accessors::{items, values};

/// The fields of every complete object, independent of its schema.
pub(super) const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// A schema that accepts and keeps everything.
pub(super) static ANY: LazyLock<Props> = LazyLock::new(|| Props {
    x_kubernetes_preserve_unknown_fields: Some(true),
    nullable: Some(true),
    ..Props::default()
});

/// A schema that accepts everything, but keeps no fields.
static EMPTY: LazyLock<Props> = LazyLock::new(Props::default);

/// The schema of a string.
pub(super) static TEXT: LazyLock<Props> =
    LazyLock::new(|| Props { type_: Some("string".to_owned()), ..Props::default() });

/// Whether the items of the schema have the schema again, so that they need no comparison of their own.
pub(super) fn is_endless(of: &Props) -> bool {
    [&ANY, &EMPTY].into_iter().any(|schema| std::ptr::eq(of, &raw const **schema))
}

/// How a part of a value is treated.
pub(super) enum ComparedPart<'a> {
    /// It has a schema.
    Schema(&'a Props),
    /// It is kept unchanged.
    Any,
    /// It is dropped, or impossible.
    Dropped,
}

impl<'a> ComparedPart<'a> {
    /// Returns the part for a field of an object.
    pub(super) fn member(of: &'a Props, name: &str) -> Self {
        let property = of.properties.as_ref().and_then(|all| all.get(name));
        match property {
            Some(schema) => Self::Schema(schema),
            None if is_embedded(of) && META.contains(&name) => Self::Any,
            None => Self::others(of),
        }
    }

    /// Returns the part for undeclared fields of an object.
    pub(super) fn others(of: &'a Props) -> Self {
        match &of.additional_properties {
            _ if !accepts(of, "object") => Self::Dropped,
            Some(JSONSchemaPropsOrBool::Bool(true)) if !is_open(of) => Self::Schema(&EMPTY),
            _ => match values(of) {
                Some(values) => Self::Schema(values),
                None if is_open(of) => Self::Any,
                None => Self::Dropped,
            },
        }
    }

    /// Returns the part for the items of a list.
    pub(super) fn items(of: &'a Props) -> Self {
        match items(of) {
            _ if !accepts(of, "array") => Self::Dropped,
            Some(items) => Self::Schema(items),
            None if is_open(of) => Self::Any,
            None => Self::Schema(&EMPTY),
        }
    }

    /// Returns the part if unknown fields are never dropped.
    pub(super) fn or_any(self, keeps_all: bool) -> Self {
        match self {
            Self::Dropped if keeps_all => Self::Any,
            part => part,
        }
    }
}

/// Returns the types that the schema accepts.
pub(super) fn types(of: &Props) -> &[&str] {
    if of.x_kubernetes_int_or_string == Some(true) {
        return &["integer", "string"];
    }
    match of.type_.as_deref() {
        None => &["array", "boolean", "integer", "number", "object", "string"],
        Some("array") => &["array"],
        Some("boolean") => &["boolean"],
        Some("integer") => &["integer"],
        Some("number") => &["integer", "number"],
        Some("object") => &["object"],
        Some(_) => &["string"],
    }
}

pub(super) fn accepts(of: &Props, type_: &str) -> bool {
    types(of).contains(&type_)
}

pub(super) fn is_embedded(of: &Props) -> bool {
    of.x_kubernetes_embedded_resource == Some(true)
}

fn is_open(of: &Props) -> bool {
    of.x_kubernetes_preserve_unknown_fields == Some(true)
}
