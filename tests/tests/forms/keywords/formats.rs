//! Formats of text. The server lets lists pass where text has one.

use crdkit::{KubeSchema, render::render_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served_fields::{ServedFields, forms};

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Formats {
    #[crd(format = "hostname")]
    host: Option<String>,
    #[crd(format = "date-time")]
    since: Option<String>,
    #[crd(items(format = "ipv4"))]
    addresses: Vec<String>,
}

/// Its schema is that of schemars.
#[derive(schemars::JsonSchema, Serialize, Deserialize)]
#[schemars(transparent)]
pub(crate) struct Host(#[schemars(extend("format" = "hostname"))] String);

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Label {
    #[crd(format = "k8s-short-name")]
    host: Host,
}

forms! {
    both_formats: Label = {
        "type": "object",
        "properties": {
            "host": { "type": "string", "description": "Its schema is that of schemars.", "format": "hostname", "allOf": [{ "format": "k8s-short-name" }] },
        },
        "required": ["host"],
    },
    accepts [{ "host": "web" }],
    refuses [{ "host": "a.example.com" }, { "host": "-" }];
    formats: Formats = {
        "type": "object",
        "properties": {
            "host": { "type": "string", "nullable": true, "format": "hostname" },
            "since": { "type": "string", "nullable": true, "format": "date-time" },
            "addresses": { "type": "array", "items": { "type": "string", "format": "ipv4" } },
        },
        "required": ["addresses"],
    },
    accepts [
        { "host": "a.example.com", "since": "2030-01-02T03:04:05Z", "addresses": ["10.0.0.1"] },
        { "host": null, "since": null, "addresses": [] },
    ],
    refuses [
        { "host": "a b", "addresses": [] },
        { "since": "2030-01-02", "addresses": [] },
        { "addresses": ["::1"] },
        { "addresses": [1] },
    ];
}

macro_rules! every_format {
    ($($format:literal => $field:ident: $type:ty,)+) => {
        #[derive(KubeSchema, Serialize, Deserialize)]
        struct EveryFormat {
            $(#[crd(format = $format)] $field: Option<$type>,)+
        }

        const EVERY_FORMAT: &[(&str, &str)] = &[$((stringify!($field), $format)),+];
    };
}

every_format! {
    "bsonobjectid" => bsonobjectid: String,
    "byte" => byte: String,
    "cidr" => cidr: String,
    "creditcard" => creditcard: String,
    "date" => date: String,
    "date-time" => date_time: String,
    "datetime" => datetime: String,
    "duration" => duration: String,
    "email" => email: String,
    "hexcolor" => hexcolor: String,
    "hostname" => hostname: String,
    "ipv4" => ipv4: String,
    "ipv6" => ipv6: String,
    "isbn" => isbn: String,
    "isbn10" => isbn10: String,
    "isbn13" => isbn13: String,
    "k8s-long-name" => k8s_long_name: String,
    "k8s-short-name" => k8s_short_name: String,
    "mac" => mac: String,
    "password" => password: String,
    "rgbcolor" => rgbcolor: String,
    "ssn" => ssn: String,
    "uri" => uri: String,
    "uuid" => uuid: String,
    "uuid3" => uuid3: String,
    "uuid4" => uuid4: String,
    "uuid5" => uuid5: String,
    "int32" => int32: i32,
    "int64" => int64: i64,
    "float" => float: f64,
    "double" => double: f64,
}

/// The formats that the attribute accepts, the definition keeps, and the server recognizes.
#[tokio::test]
async fn every_format_is_kept() {
    let schema = json!(render_schema(EveryFormat::SCHEMA_REF).unwrap());
    for (field, format) in EVERY_FORMAT {
        assert_eq!(schema["properties"][field]["format"], *format);
    }
    let _: Option<ServedFields> = ServedFields::of([("every", EveryFormat::SCHEMA)].into_iter()).await;
}
