//! The exact differences between the schemas of both derives, besides descriptions. Each difference corrects a defect.

use serde_json::Value;

use crate::{
    enum_differences::{PANICS, differences_of_enums, differences_of_optional_enums},
    kubernetes_differences::kubernetes,
    served_fields::sorted,
    shapes::{Shape, enums, optional_enums, values},
};

/// The schemas of a shape, by kube-derive and by crdkit.
pub(crate) struct SchemaDifference {
    pub(crate) name: &'static str,
    pub(crate) kube: Value,
    pub(crate) crdkit: Value,
}

macro_rules! differences {
    ($($name:ident: $kube:tt => $crdkit:tt;)+) => {
        vec![$($crate::schema_differences::SchemaDifference {
            name: stringify!($name),
            kube: serde_json::json!($kube),
            crdkit: serde_json::json!($crdkit),
        }),+]
    };
}
pub(crate) use differences;

const OCTET: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const PORT: &str = "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0)";

const DATE: &str = "([0-9]{1,4}Y([0-9]{1,4}M)?([0-9]{1,4}W)?([0-9]{1,4}D)?|[0-9]{1,4}M([0-9]{1,4}W)?([0-9]{1,4}D)?|\
    [0-9]{1,4}W([0-9]{1,4}D)?|[0-9]{1,4}D)";
const TIME: &str = "T([0-9]{1,9}H([0-9]{1,9}M)?([0-9]{1,9}([.,][0-9]{1,9})?S)?|\
    [0-9]{1,9}M([0-9]{1,9}([.,][0-9]{1,9})?S)?|[0-9]{1,9}([.,][0-9]{1,9})?S)";

pub(crate) fn differences_of_values() -> Vec<SchemaDifference> {
    let mut all = numbers();
    all.extend(lists());
    all.extend(texts());
    all.extend(kubernetes());
    all
}

fn numbers() -> Vec<SchemaDifference> {
    differences! {
        int8: { "type": "integer", "format": "int8", "minimum": -128, "maximum": 127 }
            => { "type": "integer", "minimum": -128, "maximum": 127 };
        int16: { "type": "integer", "format": "int16", "minimum": -32768, "maximum": 32767 }
            => { "type": "integer", "minimum": -32768, "maximum": 32767 };
        int128: { "type": "integer", "format": "int128" } => { "type": "integer" };
        intsize: { "type": "integer", "format": "int" } => { "type": "integer", "format": "int64" };
        uint8: { "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255 }
            => { "type": "integer", "minimum": 0, "maximum": 255 };
        uint16: { "type": "integer", "format": "uint16", "minimum": 0, "maximum": 65535 }
            => { "type": "integer", "minimum": 0, "maximum": 65535 };
        uint32: { "type": "integer", "format": "uint32", "minimum": 0 }
            => { "type": "integer", "minimum": 0, "maximum": 4294967295_i64 };
        uint64: { "type": "integer", "format": "uint64", "minimum": 0 } => { "type": "integer", "minimum": 0 };
        uint128: { "type": "integer", "format": "uint128", "minimum": 0 } => { "type": "integer", "minimum": 0 };
        uintsize: { "type": "integer", "format": "uint", "minimum": 0 } => { "type": "integer", "minimum": 0 };
        nonzero_u8: { "type": "integer", "format": "uint8", "minimum": 1, "maximum": 255 }
            => { "type": "integer", "minimum": 1, "maximum": 255 };
        nonzero_i32: { "type": "integer", "format": "int32", "not": { "enum": [0] } }
            => { "type": "integer", "format": "int32", "anyOf": [{ "maximum": -1 }, { "minimum": 1 }] };
        optional: { "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255, "nullable": true }
            => { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true };
    }
}

fn lists() -> Vec<SchemaDifference> {
    differences! {
        tagged: {
            "type": "object", "properties": { "size": { "type": "integer", "format": "int32" } }, "required": ["size"],
        } => {
            "type": "object",
            "properties": {
                "type": { "type": "string", "enum": ["Tagged"] },
                "size": { "type": "integer", "format": "int32" },
            },
            "required": ["size"],
        };
        set: { "type": "array", "items": { "type": "string" } }
            => { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" };
        hash_set: { "type": "array", "items": { "type": "boolean" } }
            => { "type": "array", "items": { "type": "boolean" }, "x-kubernetes-list-type": "set" };
        list_set: {
            "type": "array",
            "items": { "type": "array", "items": { "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255 } },
        } => {
            "type": "array",
            "items": { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
        };
        pair: { "type": "array", "items": [{ "type": "boolean" }, { "type": "boolean" }], "minItems": 2, "maxItems": 2 }
            => { "type": "array", "items": { "type": "boolean" }, "minItems": 2, "maxItems": 2 };
        triple: {
            "type": "array",
            "items": [
                { "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255 },
                { "type": "integer", "format": "uint16", "minimum": 0, "maximum": 65535 },
                { "type": "integer", "format": "uint32", "minimum": 0 },
            ],
            "minItems": 3, "maxItems": 3,
        } => {
            "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 4294967295_i64 },
            "minItems": 3, "maxItems": 3,
        };
        point: {
            "type": "array",
            "items": [{ "type": "integer", "format": "int32" }, { "type": "integer", "format": "int32" }],
            "minItems": 2, "maxItems": 2,
        } => { "type": "array", "items": { "type": "integer", "format": "int32" }, "minItems": 2, "maxItems": 2 };
        number_map: {
            "type": "object", "additionalProperties": false,
            "patternProperties": { "^-?\\d+$": { "type": "boolean" } },
        } => { "type": "object", "additionalProperties": { "type": "boolean" } };
        optional_names: {
            "type": "array", "items": { "type": "string", "enum": ["Red", "Green", null], "nullable": true },
        } => {
            "type": "array",
            "items": { "type": "string", "nullable": true, "allOf": [{ "enum": ["Red", "Green", null] }] },
        };
        optional_name_map: {
            "type": "object",
            "additionalProperties": { "type": "string", "enum": ["Red", "Green", null], "nullable": true },
        } => {
            "type": "object",
            "additionalProperties": { "type": "string", "nullable": true, "allOf": [{ "enum": ["Red", "Green", null] }] },
        };
        any: {} => { "x-kubernetes-preserve-unknown-fields": true, "nullable": true };
        anys: { "type": "array", "items": {} }
            => { "type": "array", "items": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true } };
        any_map: { "type": "object", "additionalProperties": true }
            => { "type": "object", "additionalProperties": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true } };
        object: { "type": "object", "additionalProperties": true }
            => { "type": "object", "additionalProperties": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true } };
        outer: {
            "type": "object",
            "properties": {
                "name": { "type": "string" }, "size": { "type": "integer", "format": "int32" },
                "host": { "type": "string" }, "port": { "type": "integer", "format": "int32" },
            },
            "required": ["name", "size"],
        } => {
            "type": "object",
            "properties": {
                "name": { "type": "string" }, "size": { "type": "integer", "format": "int32" },
                "host": { "type": "string" }, "port": { "type": "integer", "format": "int32" },
            },
            "required": ["name", "size"],
            "anyOf": [
                { "required": ["host", "port"] },
                { "not": { "anyOf": [{ "required": ["host"] }, { "required": ["port"] }] } },
            ],
        };
        ruled: {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "low": { "type": "integer", "format": "int32" }, "high": { "type": "integer", "format": "int32" },
            },
            "required": ["name"],
            "x-kubernetes-validations": [{ "rule": "self.low <= self.high" }],
        } => {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "low": { "type": "integer", "format": "int32" }, "high": { "type": "integer", "format": "int32" },
            },
            "required": ["name"],
            "anyOf": [
                { "required": ["low", "high"] },
                { "not": { "anyOf": [{ "required": ["high"] }, { "required": ["low"] }] } },
            ],
            "x-kubernetes-validations": [{ "rule": "!has(self.high) || (self.low <= self.high)" }],
        };
    }
}

fn texts() -> Vec<SchemaDifference> {
    differences! {
        raw: {} => { "x-kubernetes-preserve-unknown-fields": true, "nullable": true };
        duration: {
            "type": "object",
            "properties": {
                "secs": { "type": "integer", "format": "uint64", "minimum": 0 },
                "nanos": { "type": "integer", "format": "uint32", "minimum": 0 },
            },
            "required": ["nanos", "secs"],
        } => {
            "type": "object",
            "properties": {
                "secs": { "type": "integer", "minimum": 0 },
                "nanos": { "type": "integer", "minimum": 0, "maximum": 999999999 },
            },
            "required": ["nanos", "secs"],
        };
        system_time: {
            "type": "object",
            "properties": {
                "secs_since_epoch": { "type": "integer", "format": "uint64", "minimum": 0 },
                "nanos_since_epoch": { "type": "integer", "format": "uint32", "minimum": 0 },
            },
            "required": ["nanos_since_epoch", "secs_since_epoch"],
        } => {
            "type": "object",
            "properties": {
                "secs_since_epoch": { "type": "integer", "minimum": 0 },
                "nanos_since_epoch": { "type": "integer", "minimum": 0, "maximum": 999999999 },
            },
            "required": ["nanos_since_epoch", "secs_since_epoch"],
        };
        ip: { "type": "string", "format": "ip" }
            => { "type": "string", "anyOf": [{ "format": "ipv4", "pattern": "^[0-9.]+$" }, { "format": "ipv6" }] };
        ipv4: { "type": "string", "format": "ipv4" }
            => { "type": "string", "format": "ipv4", "pattern": "^[0-9.]+$" };
        socket: { "type": "string" } => {
            "type": "string",
            "pattern": format!("^(({OCTET}[.]){{3}}{OCTET}|\\[[0-9A-Fa-f:.]+(%[0-9]+)?\\]):{PORT}$"),
        };
        socket_v4: { "type": "string" } => {
            "type": "string",
            "pattern": format!("^({OCTET}[.]){{3}}{OCTET}:{PORT}$"),
        };
        socket_v6: { "type": "string" } => {
            "type": "string",
            "pattern": format!("^\\[[0-9A-Fa-f:.]+(%[0-9]+)?\\]:{PORT}$"),
        };
        naive_time: { "type": "string", "format": "partial-time" } => { "type": "string" };
        web: { "type": "string", "format": "uri" }
            => { "type": "string", "format": "uri", "pattern": "^[A-Za-z][A-Za-z0-9+.-]*:" };
        id: { "type": "string", "format": "uuid" } => {
            "type": "string", "format": "uuid",
            "pattern": "^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
        };
        signed: { "type": "string", "format": "duration" } => {
            "type": "string",
            "anyOf": [
                { "format": "duration", "pattern": "^([^DdWwP]|[A-Za-z][Dd])*$" },
                {
                    "pattern": format!("^[+-]?P{TIME}$"),
                },
            ],
        };
        span: { "type": "string", "format": "duration" } => {
            "type": "string",
            "anyOf": [{ "format": "duration" }, { "pattern": format!("^[+-]?P({DATE}({TIME})?|{TIME})$") }],
        };
        address: { "type": "string", "format": "ip" } => {
            "type": "string",
            "x-kubernetes-validations": [{ "rule": "isIP(self)", "message": "must be an IP address" }],
        };
    }
}

/// A schema without its descriptions, which `comparison` checks.
pub(crate) fn undescribed(schema: &Value) -> Value {
    let mut schema = sorted(schema.clone());
    forget_descriptions(&mut schema);
    schema
}

fn forget_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| name != "description" || !value.is_string());
            members.values_mut().for_each(forget_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_descriptions),
        _ => {}
    }
}

#[test]
fn schemas_differ_as_it_is_written_here() {
    let all = [
        (values(), differences_of_values()),
        (enums(), differences_of_enums()),
        (optional_enums(), differences_of_optional_enums()),
    ];
    for (shapes, differences) in all {
        let mut found = Vec::new();
        for Shape { name, kube, crdkit, .. } in &shapes {
            let Ok(kube) = kube else { continue };
            let (kube, crdkit) = (undescribed(kube), undescribed(crdkit));
            if kube != crdkit {
                found.push((*name, kube, crdkit));
            }
        }
        found.sort_by_key(|it| it.0);
        let expected = |it: &SchemaDifference| (it.name, undescribed(&it.kube), undescribed(&it.crdkit));
        let mut expected: Vec<_> = differences.iter().map(expected).collect();
        expected.sort_by_key(|it| it.0);
        let names = |all: &[(&'static str, Value, Value)]| all.iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn kube_derive_panics_where_it_is_written_here() {
    for shapes in [values(), enums(), optional_enums()] {
        for Shape { name, kube, .. } in shapes {
            let expected = PANICS.iter().find(|(panics, _)| *panics == name);
            match (kube, expected) {
                (Ok(_), None) => {}
                (Err(words), Some((_, expected))) => {
                    assert!(words.starts_with(expected), "{name}: {words}");
                }
                (found, _) => panic!("{name}: {found:?}"),
            }
        }
    }
}
