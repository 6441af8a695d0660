//! Definitions of `k8s-openapi`, as the rules read them.

use std::{borrow::Cow, collections::BTreeMap};

use crdkit_core::{
    definition::{
        ClientConfig, Column, Conversion, Definition, Metadata, Names, OwnerReference, Scale,
        Service, Version, Webhook,
    },
    json::Json,
    schema::{Additional, Empty, ExternalDocs, Items, SchemaProps, Unsupported, ValidationRule},
};
use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceColumnDefinition, CustomResourceConversion, CustomResourceDefinition,
        CustomResourceDefinitionNames, CustomResourceDefinitionVersion,
        CustomResourceSubresourceScale, ExternalDocumentation, JSON, JSONSchemaProps,
        JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, ServiceReference,
        ValidationRule as RuleProps, WebhookClientConfig, WebhookConversion,
    },
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference as OwnerProps},
};
use serde_json::{Map, Number, Value};

/// A definition.
pub(crate) fn definition(crd: &CustomResourceDefinition) -> Definition<'_> {
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

/// The names of a definition.
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
        schema: crate::props::schema(version).map(schema),
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
    Conversion {
        strategy: text(&conversion.strategy),
        webhook: conversion.webhook.as_ref().map(webhook),
    }
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

/// A schema.
pub(crate) fn schema(schema: &JSONSchemaProps) -> SchemaProps<'_> {
    SchemaProps {
        type_: given(&schema.type_),
        format: given(&schema.format),
        title: given(&schema.title),
        description: given(&schema.description),
        nullable: is(schema.nullable),
        default: value(&schema.default),
        enum_: schema
            .enum_
            .as_deref()
            .map(|all| all.iter().map(|JSON(value)| json(value)).collect()),
        example: value(&schema.example),
        external_docs: schema.external_docs.as_ref().map(external_docs),
        minimum: schema.minimum,
        exclusive_minimum: is(schema.exclusive_minimum),
        maximum: schema.maximum,
        exclusive_maximum: is(schema.exclusive_maximum),
        multiple_of: schema.multiple_of,
        min_length: schema.min_length,
        max_length: schema.max_length,
        pattern: given(&schema.pattern),
        min_items: schema.min_items,
        max_items: schema.max_items,
        unique_items: is(schema.unique_items),
        min_properties: schema.min_properties,
        max_properties: schema.max_properties,
        required: texts(&schema.required),
        items: schema.items.as_ref().map(items),
        properties: schema.properties.as_ref().map(|all| {
            let properties = all.iter();
            properties
                .map(|(name, property)| (text(name), self::schema(property)))
                .collect()
        }),
        additional_properties: schema.additional_properties.as_ref().map(additional),
        all_of: schemas(schema.all_of.as_deref()),
        any_of: schemas(schema.any_of.as_deref()),
        one_of: schemas(schema.one_of.as_deref()),
        not: schema
            .not
            .as_deref()
            .map(|branch| Box::new(self::schema(branch))),
        preserve_unknown_fields: schema.x_kubernetes_preserve_unknown_fields,
        embedded_resource: is(schema.x_kubernetes_embedded_resource),
        int_or_string: is(schema.x_kubernetes_int_or_string),
        list_type: optional(&schema.x_kubernetes_list_type),
        list_map_keys: texts(&schema.x_kubernetes_list_map_keys),
        map_type: optional(&schema.x_kubernetes_map_type),
        validations: schema
            .x_kubernetes_validations
            .iter()
            .flatten()
            .map(rule)
            .collect(),
        unsupported: unsupported(schema),
        empty: Empty(empty(schema)),
    }
}

/// A value; null is none.
fn value(value: &Option<JSON>) -> Option<Json<'_>> {
    let value = value.as_ref().map(|JSON(value)| json(value));
    value.filter(|it| !it.is_null())
}

fn external_docs(docs: &ExternalDocumentation) -> ExternalDocs<'_> {
    ExternalDocs {
        description: optional(&docs.description).unwrap_or_default(),
        url: optional(&docs.url).unwrap_or_default(),
    }
}

fn rule(rule: &RuleProps) -> ValidationRule<'_> {
    ValidationRule {
        rule: text(&rule.rule),
        message: given(&rule.message),
        message_expression: given(&rule.message_expression),
        reason: optional(&rule.reason),
        field_path: given(&rule.field_path),
        optional_old_self: rule.optional_old_self,
    }
}

fn unsupported(schema: &JSONSchemaProps) -> Vec<Unsupported> {
    let keywords = [
        (schema.ref_path.is_some(), Unsupported::Ref),
        (is_text(&schema.schema), Unsupported::Schema),
        (is_text(&schema.id), Unsupported::Id),
        (
            schema.additional_items.is_some(),
            Unsupported::AdditionalItems,
        ),
        (
            schema
                .pattern_properties
                .as_ref()
                .is_some_and(|it| !it.is_empty()),
            Unsupported::PatternProperties,
        ),
        (
            schema.definitions.as_ref().is_some_and(|it| !it.is_empty()),
            Unsupported::Definitions,
        ),
        (
            schema
                .dependencies
                .as_ref()
                .is_some_and(|it| !it.is_empty()),
            Unsupported::Dependencies,
        ),
    ];
    keywords
        .into_iter()
        .filter(|(is_there, _)| *is_there)
        .map(|(_, keyword)| keyword)
        .collect()
}

fn empty(schema: &JSONSchemaProps) -> Vec<&'static str> {
    fn is_empty<T>(list: &Option<Vec<T>>) -> bool {
        list.as_ref().is_some_and(Vec::is_empty)
    }
    fn has_none<T>(map: &Option<BTreeMap<String, T>>) -> bool {
        map.as_ref().is_some_and(BTreeMap::is_empty)
    }
    let keywords = [
        (is_empty(&schema.all_of), "allOf"),
        (is_empty(&schema.any_of), "anyOf"),
        (has_none(&schema.definitions), "definitions"),
        (has_none(&schema.dependencies), "dependencies"),
        (is_empty(&schema.enum_), "enum"),
        (is_empty(&schema.one_of), "oneOf"),
        (has_none(&schema.pattern_properties), "patternProperties"),
        (is_empty(&schema.required), "required"),
        (
            is_empty(&schema.x_kubernetes_list_map_keys),
            "x-kubernetes-list-map-keys",
        ),
        (
            is_empty(&schema.x_kubernetes_validations),
            "x-kubernetes-validations",
        ),
    ];
    let there = keywords.into_iter().filter(|(is_there, _)| *is_there);
    there.map(|(_, keyword)| keyword).collect()
}

fn items(items: &JSONSchemaPropsOrArray) -> Items<'_> {
    match items {
        JSONSchemaPropsOrArray::Schema(items) => Items::Schema(Box::new(schema(items))),
        JSONSchemaPropsOrArray::Schemas(all) => Items::Schemas(schemas(Some(all))),
    }
}

fn additional(additional: &JSONSchemaPropsOrBool) -> Additional<'_> {
    match additional {
        JSONSchemaPropsOrBool::Schema(values) => Additional::Schema(Box::new(schema(values))),
        JSONSchemaPropsOrBool::Bool(any) => Additional::Bool(*any),
    }
}

fn schemas(all: Option<&[JSONSchemaProps]>) -> Vec<SchemaProps<'_>> {
    all.unwrap_or_default().iter().map(schema).collect()
}

/// A JSON value.
pub(crate) fn json(value: &Value) -> Json<'_> {
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
        Value::Object(members) => Json::Object(
            members
                .iter()
                .map(|(name, value)| (text(name), json(value)))
                .collect(),
        ),
    }
}

/// The other way: a JSON value of serde_json.
pub(crate) fn to_serde(value: Json<'_>) -> Value {
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

fn is(flag: Option<bool>) -> bool {
    flag == Some(true)
}

fn is_text(text: &Option<String>) -> bool {
    text.as_ref().is_some_and(|it| !it.is_empty())
}

fn text(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// A text; an empty one is as good as none.
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
    all.iter()
        .flatten()
        .map(|(key, value)| (text(key), text(value)))
        .collect()
}
