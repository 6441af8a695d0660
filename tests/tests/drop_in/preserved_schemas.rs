//! The attributes that the migration page names for keeping an earlier schema: with them, a field has kube-derive's schema.

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use k8s_openapi::{
    apimachinery::pkg::{
        api::resource::Quantity,
        apis::meta::v1::{Condition, LabelSelector},
        util::intstr::IntOrString,
    },
    jiff::{SignedDuration, Span},
};
use kube::CustomResourceExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::{
    differences::{DIFFERENCES, Difference, remove},
    served_fields::sorted,
};

/// Fields, which crdkit derives with these attributes and kube-derive without, and the types of some of them.
macro_rules! fields {
    ({ $($item:item)+ } $($(#[$kept:meta])* $name:ident: $type:ty;)+) => {
        mod ours {
            use crdkit::{CustomResource, JsonSchema};
            use super::*;
            $(#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)] $item)+
            #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[kube(group = "dropin.example.com", version = "v1", kind = "Kept")]
            pub(super) struct KeptSpec {
                $($(#[$kept])* $name: $type,)+
            }
        }
        mod theirs {
            use kube::CustomResource;
            use schemars::JsonSchema;
            use super::*;
            $(#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)] $item)+
            #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
            #[kube(group = "dropin.example.com", version = "v1", kind = "Kept")]
            pub(super) struct KeptSpec {
                $($name: $type,)+
            }
        }
    };
}

fields! {
    {
        #[serde(tag = "type")]
        pub(super) struct Named {
            size: i32,
        }
        #[serde(untagged)]
        pub(super) enum Defaulting {
            One {
                name: String,
                #[serde(default)]
                size: i32,
            },
            Two {
                other: String,
            },
        }

        pub(super) enum Open {
            Known,
            #[serde(other)]
            Unknown,
        }

        pub(super) struct Outer {
            name: String,
            #[serde(flatten)]
            inner: Option<Inner>,
        }

        pub(super) struct Inner {
            host: String,
            port: i32,
        }

        pub(super) struct Choosing {
            name: String,
            #[serde(flatten)]
            inner: Option<Choice>,
        }

        pub(super) enum Choice {
            Text(String),
            Number(i64),
        }

        /// What it is.
        pub(super) enum Described {
            Size(i32),
            Name { name: String },
        }

        pub(super) enum Variants {
            Second,
            /// The first.
            First,
        }
    }

    #[crd(schema_patch({ "maximum": null }))]
    number: u32;
    #[schemars(with = "String")]
    #[crd(format = "duration")]
    signed: SignedDuration;
    #[crd(schema_patch({ "properties": { "nanos": { "maximum": null } } }))]
    duration: Duration;
    #[schemars(with = "String")]
    socket: SocketAddr;
    #[schemars(with = "String")]
    ip: IpAddr;
    #[schemars(with = "String")]
    #[crd(format = "ipv4")]
    ipv4: Ipv4Addr;
    #[schemars(with = "String")]
    #[crd(format = "uuid")]
    id: Uuid;
    #[schemars(with = "String")]
    #[crd(format = "uri")]
    web: Url;
    #[schemars(with = "Vec<String>")]
    set: BTreeSet<String>;
    #[crd(enum_values = ["Known", "Unknown"])]
    open: Open;
    #[crd(schema_patch({ "anyOf": null }))]
    outer: Outer;
    #[crd(schema_patch({ "anyOf": null }))]
    choosing: Choosing;
    #[schemars(with = "crdkit::Foreign<Quantity>")]
    quantity: Quantity;
    #[schemars(with = "crdkit::Foreign<IntOrString>")]
    port: IntOrString;
    #[schemars(with = "Vec<crdkit::Foreign<Condition>>")]
    conditions: Vec<Condition>;
    #[schemars(with = "crdkit::Foreign<LabelSelector>")]
    selector: LabelSelector;
    #[crd(schema_patch({ "description": null }))]
    described: Option<Described>;
    #[crd(schema_patch({ "description": null }))]
    variants: Variants;
    #[deprecated]
    #[crd(schema_patch({ "description": null }))]
    old: bool;
    #[crd(schema_patch({ "properties": { "size": { "default": 0 } } }))]
    defaulting: Defaulting;
    #[schemars(with = "String")]
    #[crd(format = "duration")]
    span: Span;
    #[crd(schema_patch({ "properties": { "type": null } }))]
    named: Named;
}

/// The schemas of the fields of the spec, without formats that the server does not recognize, and without alternatives
/// of which one is anything.
fn properties(crd: &Value) -> Value {
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let mut properties = sorted(schema["properties"]["spec"]["properties"].clone());
    let is_format = |it: &&(&str, Difference)| it.0 == "unknown_formats";
    let formats: Vec<_> = DIFFERENCES.iter().filter(is_format).copied().collect();
    remove(&formats, "", &mut properties);
    properties["ip"].as_object_mut().unwrap().remove("format");
    let alternatives = properties["choosing"]["anyOf"].as_array();
    if alternatives.is_some_and(|all| all.contains(&json!({}))) {
        properties["choosing"].as_object_mut().unwrap().remove("anyOf");
    }
    properties
}

#[test]
fn what_was_is_kept() {
    let kube = properties(&json!(theirs::Kept::crd()));
    let crdkit = properties(&json!(ours::Kept::crd()));
    for (name, schema) in kube.as_object().unwrap() {
        assert_eq!(crdkit[name], *schema, "{name}");
    }
}
