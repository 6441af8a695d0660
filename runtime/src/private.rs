//! Items for generated code. Not part of the public API: anything here may change in any version.

pub use std::{
    any::type_name,
    borrow::Cow,
    clone::Clone,
    default::Default,
    fmt::Debug,
    option::Option::{self, None, Some},
    prelude::v1::derive,
    primitive::{f64, i64, str},
    result::Result::{self, Ok},
    string::{String, ToString},
};

/// This module. Importing `self` would report a missing crate twice.
pub use crate::__private as this;
pub use {k8s_openapi, kube_core, schemars, serde, serde_json};

pub use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube_core::cel::{ListMerge, MapMerge, MergeStrategy, StructMerge};
use serde::Serialize;
use serde_json::{Value, json};

pub use crate::{
    __implement_json_schema as implement_json_schema, __implement_resource as implement_resource, cel_of_resource,
    cel_of_type,
};
pub use crate::{
    check::{PathStep, require},
    crd::{
        json_schema::{json_schema, root_json_schema},
        render::crd,
    },
    json::json_value::write as json_with,
    resource::{
        custom_resource::{CustomResource, definition},
        definition::{Definition, Deprecation, DerivedRoot, PrinterColumn, RootSchema},
        list_kind::url_path,
        probe::{Derived, Fallback, HasSchema, Probe},
        subresource::{ScaleSubresource, StatusSubresource},
    },
    schema::{
        Column, CountBound, Descriptions, EnumValue, Field, ForeignSchema as Foreign, Keyword, KubernetesTypeDetail,
        ListType, Literal, MapType, Marker, NumberBound,
        Presence::{Defaulted, Inferred, Optional, Required, RequiredNullable},
        Reason, Rule, ScaleRole, Schema, Tagging, UnitVariant, Variant,
        constructors::{data, enumeration, field, field_with, flattened, marked, object, unit, variant},
        kube_schema::KubeSchema,
    },
};

#[path = "private/docs.rs"]
pub mod docs;
#[path = "private/implementations.rs"]
mod implementations;

/// A spec: a type that derives a resource.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has attributes of a resource, but does not derive `CustomResource`",
    label = "add `CustomResource` to the derives of `{Self}`, or remove the attributes of the resource"
)]
pub trait Spec {
    /// Referred to by generated code to require the trait.
    const IS_SPEC: () = ();
}

/// Checks across types.
pub mod check {
    pub use crate::check::*;
    #[cfg(feature = "convert")]
    pub use crate::convert::checks as convert;
}

/// Rules that run in process.
pub mod cel {
    pub use crate::crd::cel::evaluate::*;
}

/// Serialization of root types.
pub mod root {
    pub use crate::serde::root::*;
}

/// Conditions of a status.
pub mod conditions {
    pub use std::vec::Vec;

    pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

    pub use crate::resource::conditions::{
        HasConditions,
        field::{ByHand, ConditionsField, MaybeConditionList, NotByHand},
        list::ConditionList,
    };
}

/// Partial objects for server-side apply.
pub mod apply {
    pub use std::{convert::Into, iter::IntoIterator, string::String};

    pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    pub use serde;

    pub use crate::{
        apply::{
            ApplyValue, ExtractError,
            extract::{DefinitionOf, NoDefinition, extract},
            fields::{Fields, Json},
            full_json::{FieldJson, ListKeys, NoListKeys, SerializedJson, ToFullJson},
            traits::Apply,
            value::{json, list, map, string_map},
        },
        check::apply::keys,
        json::json_value::write as json_with,
    };
}

/// Conversions between versions.
#[cfg(feature = "convert")]
pub mod convert {
    #[cfg(feature = "testing")]
    pub use crate::testing::ConversionTest;
    pub use crate::{__conversion_test as conversion_test, convert::*};
}

/// Webhooks.
#[cfg(feature = "webhook")]
pub mod webhook {
    pub use crate::webhook::assert_accepted;
}

/// Group versions of types.
#[cfg(feature = "client")]
pub mod group {
    pub use crate::client::group::{
        check::{BuiltIn, VersionOf, check},
        cluster_scoped, namespaced,
    };
}

/// Selectors of fields.
#[cfg(feature = "client")]
pub mod selector {
    pub use crate::client::selector::{
        FieldSelector, Selectable,
        check::{Literal, field, kind, literal},
        declared::{AnyKind, KindOf, is_kind},
        fields::Requirement,
        value::{AnyField, BooleanField, IntegerField, OtherValue, StringField, Tag, Tagged, Value, tag},
    };
    pub use crdkit_macros::selector;
}

/// The format `ip` of schemars. The API server has no such format, but a CEL function.
pub const IP_RULE: Keyword = Keyword::Rule(Rule::new("isIP(self)").message("must be an IP address"));

/// Any value except null, because most types do not accept null.
pub const PRESERVED: Schema = Schema::newtype(const { &Schema::any().with(&[Keyword::Nullable(false)]) });

/// Any object.
pub const OPAQUE: Schema = Schema::object(&[]).with(&[Keyword::PreserveUnknownFields]);

/// Creates metadata with a name.
pub fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}

/// Returns the schema of an `Option`.
pub const fn optional(schema: &'static Schema) -> Schema {
    schema.optional()
}

/// Returns the schema of a map, with the schema of its keys if it is known.
#[track_caller]
pub const fn keyed_map(keys: Option<&'static Schema>, values: &'static Schema) -> Schema {
    let map = Schema::map(values);
    match keys {
        Some(keys) => map.keyed_by(keys),
        None => map,
    }
}

/// A default value that may be serializable.
pub struct DefaultValue<'a, T>(pub &'a T);

impl<T: Serialize> DefaultValue<'_, T> {
    /// Converts the value to JSON.
    pub fn to_json(&self) -> serde_json::Result<Option<Value>> {
        crate::json::json_value::to_value(self.0).map(Some)
    }
}

/// The fallback for a default value that is not serializable.
pub trait NoDefaultValue {
    /// Returns `None`.
    fn to_json(&self) -> serde_json::Result<Option<Value>>;
}

impl<T> NoDefaultValue for DefaultValue<'_, T> {
    fn to_json(&self) -> serde_json::Result<Option<Value>> {
        Ok(None)
    }
}

/// Specifies the type of an expression.
pub fn annotate<T>(value: T) -> T {
    value
}

/// Converts an example to JSON.
pub fn example(value: &impl Serialize) -> serde_json::Result<Value> {
    crate::json::json_value::to_value(value)
}

/// Converts an evaluated default to JSON.
pub fn default_of(value: &impl Serialize) -> serde_json::Result<Option<Value>> {
    crate::json::json_value::to_value(value).map(Some)
}

/// Converts a rule of kube to an entry of `x-kubernetes-validations`.
pub fn rule(rule: impl Into<kube_core::Rule>) -> Value {
    json!(rule.into())
}

/// Converts a merge strategy of kube to keywords of a schema.
pub fn merge_strategy(strategy: impl Into<MergeStrategy>) -> Value {
    const LIST_TYPE: &str = "x-kubernetes-list-type";
    const MAP_TYPE: &str = "x-kubernetes-map-type";
    match strategy.into() {
        MergeStrategy::ListType(ListMerge::Atomic) => json!({ LIST_TYPE: "atomic" }),
        MergeStrategy::ListType(ListMerge::Set) => json!({ LIST_TYPE: "set" }),
        MergeStrategy::ListType(ListMerge::Map(keys)) => {
            json!({ LIST_TYPE: "map", "x-kubernetes-list-map-keys": keys })
        }
        MergeStrategy::MapType(MapMerge::Atomic) | MergeStrategy::StructType(StructMerge::Atomic) => {
            json!({ MAP_TYPE: "atomic" })
        }
        MergeStrategy::MapType(MapMerge::Granular) | MergeStrategy::StructType(StructMerge::Granular) => {
            json!({ MAP_TYPE: "granular" })
        }
    }
}

/// Escapes a string for a regular expression.
pub fn escape(text: &impl ToString) -> String {
    let mut pattern = String::new();
    for c in text.to_string().chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
