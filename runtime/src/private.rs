//! What generated code names. Not part of the public API: anything here may change in any version.

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

/// This module: importing `self` would say twice that a crate is not there.
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
    check::{Step, require},
    custom_resource::CustomResource,
    definition::{Definition, Deprecation, DerivedRoot, PrinterColumn, RootSchema},
    json_schema::{json_schema, root_json_schema},
    kube_schema::KubeSchema,
    list_kind::url_path,
    probe::{Derived, Fallback, HasSchema, Probe},
    schema::{
        Column, CountBound, Descriptions, Embed, EnumValue, Field, ForeignSchema as Foreign, Keyword, ListType,
        Literal, MapType, Marker, NumberBound,
        Presence::{Defaulted, Inferred, Optional, Required, RequiredNullable},
        Reason, Rule, ScaleRole, Schema, Tagging, UnitVariant, Variant,
        constructors::{data, enumeration, field, field_with, flattened, marked, object, unit, variant},
    },
    subresource::{ScaleSubresource, StatusSubresource},
};

#[path = "private/docs.rs"]
pub mod docs;
#[path = "private/implementations.rs"]
mod implementations;

/// A type of which a resource is derived.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names a resource, and derives none",
    label = "`CustomResource` reads this: add it to the derives of `{Self}`, or remove what is said of a resource"
)]
pub trait Spec {
    /// To be named, so that the trait is asked for.
    const IS_SPEC: () = ();
}

/// Rules that range over several types.
pub mod check {
    pub use crate::check::*;
}

/// Rules, run in process.
#[cfg(feature = "cel")]
pub mod cel {
    pub use crate::cel::evaluate::*;
}

/// The root of a custom resource in JSON.
pub mod root {
    pub use crate::root::*;
}

/// Decoders.
pub mod decode {
    pub use serde::de::DeserializeOwned;

    pub use crate::decode::*;
}

/// Conditions of a status.
pub mod conditions {
    pub use std::vec::Vec;

    pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

    pub use crate::conditions::{
        HasConditions,
        field::{ByHand, ConditionsField, MaybeConditionList, NotByHand},
        list::ConditionList,
    };
}

/// Parts of objects that are applied.
pub mod apply {
    pub use std::{convert::Into, iter::IntoIterator, string::String};

    pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
    pub use serde;
    pub use serde_json::value::Serializer as JsonSerializer;

    pub use crate::{
        apply::{
            ApplyValue, ExtractError,
            extract::{DefinitionOf, NoDefinition, extract},
            fields::{Fields, Json},
            full_json::{FieldJson, ListKeys, NoListKeys, SerializedJson, ToFullJson},
            traits::Apply,
            value::{json, json_with, list, map, string_map},
        },
        check::apply::keys,
    };
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

/// `ip` as schemars means it: the API server knows no such format, but a function of CEL.
pub const IP_RULE: Keyword = Keyword::Rule(Rule::new("isIP(self)").message("must be an IP address"));

/// Any value in place of a schema: whether the type reads null is not known, and most do not.
pub const PRESERVED: Schema = Schema::newtype(const { &Schema::any().with(&[Keyword::Nullable(false)]) });

/// Any object.
pub const OPAQUE: Schema = Schema::object(&[]).with(&[Keyword::PreserveUnknownFields]);

/// The metadata of an object with nothing but a name.
pub fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}

/// The schema of an `Option` of what has the schema.
pub const fn optional(schema: &'static Schema) -> Schema {
    schema.optional()
}

/// The schema of a map, whose keys have a schema or not.
#[track_caller]
pub const fn keyed_map(keys: Option<&'static Schema>, values: &'static Schema) -> Schema {
    let map = Schema::map(values);
    match keys {
        Some(keys) => map.keyed_by(keys),
        None => map,
    }
}

/// The definition of `K`, one constant for all that is checked about it.
pub const fn definition<K: CustomResource>() -> &'static Definition {
    const { &K::DEFINITION }
}

/// The CustomResourceDefinition of `K`.
///
/// # Panics
///
/// If it cannot be rendered, which the generated test of `K` says first.
pub fn crd<K: CustomResource>() -> CustomResourceDefinition {
    rendered(&K::DEFINITION)
}

fn rendered(definition: &Definition) -> CustomResourceDefinition {
    definition.render().unwrap_or_else(|error| panic!("the definition of {} is invalid: {error}", definition.kind))
}

/// A default value that may be serialisable.
pub struct DefaultValue<'a, T>(pub &'a T);

impl<T: Serialize> DefaultValue<'_, T> {
    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Result<Option<Value>> {
        serde_json::to_value(self.0).map(Some)
    }
}

/// What a default value that is not serialisable falls back to.
pub trait NoDefaultValue {
    /// No JSON.
    fn to_json(&self) -> serde_json::Result<Option<Value>>;
}

impl<T> NoDefaultValue for DefaultValue<'_, T> {
    fn to_json(&self) -> serde_json::Result<Option<Value>> {
        Ok(None)
    }
}

/// Names the type of an expression.
pub fn annotate<T>(value: T) -> T {
    value
}

/// An example as JSON.
pub fn example(value: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(value)
}

/// A default that an expression makes, as JSON.
pub fn default_of(value: &impl Serialize) -> serde_json::Result<Option<Value>> {
    serde_json::to_value(value).map(Some)
}

/// A rule of kube as an entry of `x-kubernetes-validations`.
pub fn rule(rule: impl Into<kube_core::Rule>) -> Value {
    json!(rule.into())
}

/// A merge strategy of kube as keywords of a schema.
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

/// A regular expression that matches a text.
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
