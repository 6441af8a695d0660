//! Converts definitions of `k8s-openapi` to the form that the rules use.

use std::{borrow::Cow, collections::BTreeMap};

use crdkit_core::{
    definition::{
        ClientConfig, Column, Conversion, Definition, Metadata, Names, OwnerReference, Scale, Service, Version, Webhook,
    },
    json::Json,
};
use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceColumnDefinition, CustomResourceConversion, CustomResourceDefinition,
        CustomResourceDefinitionNames, CustomResourceDefinitionVersion, CustomResourceSubresourceScale,
        ServiceReference, WebhookClientConfig, WebhookConversion,
    },
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference as OwnerProps},
};
use serde_json::{Map, Number, Value};

mod schema;

pub use schema::schema;

/// Converts a definition.
pub fn definition(crd: &CustomResourceDefinition) -> Definition<'_> {
    let spec = &crd.spec;
    Definition {
        metadata: metadata(&crd.metadata),
        group: text(&spec.group),
        scope: text(&spec.scope),
        names: names(&spec.names),
        versions: spec.versions.iter().map(version).collect(),
        conversion: spec.conversion.as_ref().map(conversion),
        preserve_unknown_fields: spec.preserve_unknown_fields,
    }
}

fn metadata(metadata: &ObjectMeta) -> Metadata<'_> {
    let owners = metadata.owner_references.iter().flatten();
    Metadata {
        name: optional(&metadata.name),
        generate_name: optional(&metadata.generate_name),
        labels: pairs(&metadata.labels),
        annotations: pairs(&metadata.annotations),
        finalizers: texts(&metadata.finalizers),
        owner_references: owners.map(owner).collect(),
    }
}

fn owner(owner: &OwnerProps) -> OwnerReference<'_> {
    OwnerReference {
        api_version: text(&owner.api_version),
        kind: text(&owner.kind),
        name: text(&owner.name),
        uid: text(&owner.uid),
        controller: owner.controller == Some(true),
    }
}

/// Converts the names of a definition.
pub(crate) fn names(names: &CustomResourceDefinitionNames) -> Names<'_> {
    Names {
        plural: text(&names.plural),
        singular: given(&names.singular),
        kind: text(&names.kind),
        list_kind: given(&names.list_kind),
        short_names: texts(&names.short_names),
        categories: texts(&names.categories),
    }
}

fn version(version: &CustomResourceDefinitionVersion) -> Version<'_> {
    let subresources = version.subresources.as_ref();
    let columns = version.additional_printer_columns.iter().flatten();
    let selectable = version.selectable_fields.iter().flatten();
    Version {
        name: text(&version.name),
        served: version.served,
        storage: version.storage,
        deprecated: version.deprecated == Some(true),
        deprecation_warning: optional(&version.deprecation_warning),
        schema: crate::crd::crd_accessors::schema(version).map(schema),
        status: subresources.is_some_and(|it| it.status.is_some()),
        scale: subresources.and_then(|it| it.scale.as_ref()).map(scale),
        columns: columns.map(column).collect(),
        selectable_fields: selectable.map(|it| text(&it.json_path)).collect(),
    }
}

fn scale(scale: &CustomResourceSubresourceScale) -> Scale<'_> {
    Scale {
        spec_replicas_path: text(&scale.spec_replicas_path),
        status_replicas_path: text(&scale.status_replicas_path),
        label_selector_path: optional(&scale.label_selector_path),
    }
}

fn column(column: &CustomResourceColumnDefinition) -> Column<'_> {
    Column {
        name: text(&column.name),
        type_: text(&column.type_),
        format: given(&column.format),
        json_path: text(&column.json_path),
        priority: column.priority.unwrap_or_default(),
        description: optional(&column.description).unwrap_or_default(),
    }
}

fn conversion(conversion: &CustomResourceConversion) -> Conversion<'_> {
    Conversion { strategy: text(&conversion.strategy), webhook: conversion.webhook.as_ref().map(webhook) }
}

fn webhook(webhook: &WebhookConversion) -> Webhook<'_> {
    let versions = webhook.conversion_review_versions.iter();
    Webhook {
        client_config: webhook.client_config.as_ref().map(client_config),
        review_versions: versions.map(|version| text(version)).collect(),
    }
}

fn client_config(config: &WebhookClientConfig) -> ClientConfig<'_> {
    ClientConfig {
        url: optional(&config.url),
        service: config.service.as_ref().map(service),
        ca_bundle: config.ca_bundle.as_ref().map(|bundle| &bundle.0[..]),
    }
}

fn service(service: &ServiceReference) -> Service<'_> {
    Service {
        namespace: text(&service.namespace),
        name: text(&service.name),
        path: optional(&service.path),
        port: service.port,
    }
}

/// Converts a JSON value.
pub fn json(value: &Value) -> Json<'_> {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => Json::Integer(value),
            (None, Some(value)) => Json::Unsigned(value),
            (None, None) => Json::Float(number.as_f64().unwrap_or(f64::INFINITY)),
        },
        Value::String(value) => Json::String(text(value)),
        Value::Array(items) => Json::Array(items.iter().map(json).collect()),
        Value::Object(members) => Json::Object(members.iter().map(|(name, value)| (text(name), json(value))).collect()),
    }
}

/// Converts a JSON value, whose strings it takes.
pub(crate) fn take_json(value: Value) -> Json<'static> {
    match value {
        Value::String(text) => Json::String(text.into()),
        Value::Array(items) => Json::Array(items.into_iter().map(take_json).collect()),
        Value::Object(members) => {
            Json::Object(members.into_iter().map(|(name, value)| (name.into(), take_json(value))).collect())
        }
        scalar => json(&scalar).into_owned(),
    }
}

/// Converts a JSON value to serde_json.
pub fn to_serde(value: Json<'_>) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => value.into(),
        Json::Integer(value) => value.into(),
        Json::Unsigned(value) => value.into(),
        Json::Float(value) => Number::from_f64(value).map_or(Value::Null, Value::Number),
        Json::String(text) => Value::String(text.into_owned()),
        Json::Array(items) => items.into_iter().map(to_serde).collect(),
        Json::Object(members) => {
            let member = |(name, value): (Cow<'_, str>, _)| (name.into_owned(), to_serde(value));
            Value::Object(members.into_iter().map(member).collect::<Map<_, _>>())
        }
    }
}

fn text(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// Converts a string; an empty one counts as absent.
fn given(text: &Option<String>) -> Option<Cow<'_, str>> {
    optional(text).filter(|it| !it.is_empty())
}

fn optional(text: &Option<String>) -> Option<Cow<'_, str>> {
    text.as_deref().map(Cow::Borrowed)
}

fn texts(all: &Option<Vec<String>>) -> Vec<Cow<'_, str>> {
    all.iter().flatten().map(|it| text(it)).collect()
}

fn pairs(all: &Option<BTreeMap<String, String>>) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    all.iter().flatten().map(|(key, value)| (text(key), text(value))).collect()
}
