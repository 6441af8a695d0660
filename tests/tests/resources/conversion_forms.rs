//! Conversion of values of all forms: enums of each representation, newtypes, and lists and maps inside each other.

#![allow(unreachable_pub)] // as a user writes the versions

use std::collections::BTreeMap;

use crdkit::{
    CustomResource, KubeSchema,
    convert::{Convert, Hub},
    testing::ConversionTest,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

mod v1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "forms.example.com", version = "v1", kind = "Pipeline")]
    pub struct PipelineSpec {
        pub source: Source,
        pub trigger: Trigger,
        pub sink: Sink,
        pub stages: BTreeMap<String, Vec<Step>>,
        pub matrix: Vec<Vec<Step>>,
        pub fallback: Option<Box<Step>>,
        pub limits: Limits,
        pub cache: Cache,
        pub report: Report,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(tag = "mode")]
    pub enum Cache {
        Shared { key: String },
        Off,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub enum Report {
        Mail(Vec<String>),
        Silent {},
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(tag = "type")]
    pub enum Source {
        Git { url: String, branch: Option<String> },
        Archive { path: String },
        Empty,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(tag = "on", content = "with")]
    pub enum Trigger {
        Push(Filter),
        Schedule { cron: String },
        Never,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Filter {
        pub branches: Vec<String>,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(rename_all = "camelCase")]
    pub enum Sink {
        Registry(Registry),
        Bucket { name: String, prefix: Option<String> },
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Registry {
        pub host: String,
        pub insecure: bool,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Step {
        pub name: Name,
        pub run: String,
        pub retries: u8,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Name(pub String);

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Limits {
        pub time: Time,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Time {
        pub seconds: u32,
        pub grace: u32,
    }
}

mod v1beta1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "forms.example.com", version = "v1beta1", kind = "Pipeline", storage = false)]
    #[convert(hub = v1::Pipeline)]
    pub struct PipelineSpec {
        #[convert(to = "source")]
        pub input: Source,
        pub trigger: Trigger,
        pub sink: Sink,
        pub stages: BTreeMap<String, Vec<Step>>,
        pub matrix: Vec<Vec<Step>>,
        pub fallback: Option<Box<Step>>,
        #[convert(to = "limits.time.seconds", with = minutes)]
        pub minutes: u16,
        #[convert(dropped, default)]
        pub notes: Vec<String>,
        pub cache: Cache,
        pub report: Report,
    }

    /// In the hub, the tag is among the fields.
    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = v1::Cache)]
    pub enum Cache {
        Shared {
            #[convert(to = "key")]
            name: String,
        },
        Off {},
    }

    /// In the hub, there is no tag.
    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(tag = "by", content = "to")]
    #[convert(hub = v1::Report)]
    pub enum Report {
        Mail(Vec<String>),
        #[convert(to = "Silent")]
        Nothing,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(tag = "kind", rename_all = "camelCase")]
    #[convert(hub = v1::Source)]
    pub enum Source {
        #[convert(to = "Git")]
        Repository {
            #[convert(to = "url")]
            address: String,
            branch: Option<String>,
        },
        #[convert(to = "Archive", from = "Empty")]
        File { path: String },
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(tag = "on", content = "with")]
    #[convert(hub = v1::Trigger)]
    pub enum Trigger {
        Push(Filter),
        #[convert(to = "Schedule")]
        Timer {
            #[convert(to = "cron")]
            at: String,
        },
        Never,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = v1::Filter)]
    pub struct Filter {
        #[convert(to = "branches")]
        pub refs: Vec<String>,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(rename_all = "camelCase")]
    #[convert(hub = v1::Sink)]
    pub enum Sink {
        #[convert(to = "registry")]
        Images(Registry),
        Bucket {
            name: String,
        },
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = v1::Registry)]
    pub struct Registry {
        #[convert(to = "host")]
        pub server: String,
        #[convert(to = "insecure", with = negated)]
        pub tls: bool,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = v1::Step)]
    pub struct Step {
        pub name: v1::Name,
        #[convert(to = "run")]
        pub script: String,
    }

    mod minutes {
        pub fn to_hub(minutes: u16) -> u32 {
            u32::from(minutes) * 60
        }
        pub fn from_hub(seconds: u32) -> u16 {
            u16::try_from(seconds / 60).unwrap_or(u16::MAX)
        }
    }

    mod negated {
        pub fn to_hub(tls: bool) -> bool {
            !tls
        }
        pub fn from_hub(insecure: bool) -> bool {
            !insecure
        }
    }
}

fn versions() -> Hub<v1::Pipeline> {
    Hub::new().spoke::<v1beta1::Pipeline>()
}

fn pipeline() -> Value {
    json!({
        "apiVersion": "forms.example.com/v1", "kind": "Pipeline", "metadata": { "name": "a" },
        "spec": {
            "source": { "type": "Git", "url": "https://example.com", "branch": "main" },
            "trigger": { "on": "Schedule", "with": { "cron": "@daily" } },
            "sink": { "registry": { "host": "example.com", "insecure": true } },
            "stages": { "build": [{ "name": "compile", "run": "make", "retries": 2 }], "test": [] },
            "matrix": [[], [{ "name": "lint", "run": "make lint", "retries": 0 }]],
            "fallback": { "name": "report", "run": "mail", "retries": 1 },
            "limits": { "time": { "seconds": 90, "grace": 5 } },
            "cache": { "mode": "Shared", "key": "main" },
            "report": { "Silent": {} },
        },
    })
}

#[test]
fn values_of_all_forms() {
    let converter = versions().converter();
    let there = converter.convert(pipeline(), "v1beta1").unwrap();
    let expected = json!({
        "input": { "kind": "repository", "address": "https://example.com", "branch": "main" },
        "trigger": { "on": "Timer", "with": { "at": "@daily" } },
        "sink": { "images": { "server": "example.com", "tls": false } },
        "stages": { "build": [{ "name": "compile", "script": "make" }], "test": [] },
        "matrix": [[], [{ "name": "lint", "script": "make lint" }]],
        "fallback": { "name": "report", "script": "mail" },
        "minutes": 1,
        "notes": [],
        "cache": { "Shared": { "name": "main" } },
        "report": { "by": "Nothing" },
    });
    assert_eq!(there["spec"], expected);
    assert_eq!(converter.convert(there, "v1").unwrap(), pipeline());
}

/// A variant that only the hub has becomes one that is complete, and comes back.
#[test]
fn a_variant_stands_for_one_without_its_data() {
    let mut empty = pipeline();
    empty["spec"]["source"] = json!({ "type": "Empty" });
    empty["spec"]["cache"] = json!({ "mode": "Off" });
    empty["spec"]["report"] = json!({ "Mail": ["a@example.com"] });
    let converter = versions().converter();
    let there = converter.convert(empty.clone(), "v1beta1").unwrap();
    assert_eq!(there["spec"]["input"], json!({ "kind": "file", "path": "" }));
    assert_eq!(there["spec"]["cache"], json!({ "Off": {} }));
    assert_eq!(there["spec"]["report"], json!({ "by": "Mail", "to": ["a@example.com"] }));
    assert_eq!(converter.convert(there, "v1").unwrap(), empty);
}

/// The required parts of an object that a version sets in part are empty.
#[test]
fn an_object_that_is_set_in_part_is_complete() {
    let there = versions().converter().convert(pipeline(), "v1beta1").unwrap();
    let mut new = there;
    new["metadata"]["annotations"] = Value::Null;
    let hub = versions().converter().convert(new, "v1").unwrap();
    assert_eq!(hub["spec"]["limits"], json!({ "time": { "seconds": 60, "grace": 0 } }));
}

/// A version whose objects the hub cannot decode: the field is optional in one of them only.
mod incomplete {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "forms.example.com", version = "v1", kind = "Part", test = false)]
    pub struct PartSpec {
        pub size: String,
    }

    pub mod v1beta1 {
        use super::*;

        #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
        #[crd(group = "forms.example.com", version = "v1beta1", kind = "Part", storage = false, test = false)]
        #[convert(hub = super::Part)]
        pub struct PartSpec {
            #[serde(skip_serializing_if = "Option::is_none")]
            pub size: Option<String>,
        }
    }
}

#[test]
#[should_panic(expected = "the type of the other version does not decode an object: ")]
fn objects_that_the_other_version_does_not_decode_are_found() {
    ConversionTest::of::<incomplete::v1beta1::Part>().check();
}

#[test]
fn random_objects_of_all_forms_round_trip() {
    let documents = crdkit_tests::case_count("CRDKIT_CONVERSIONS", 1000);
    ConversionTest::of::<v1beta1::Pipeline>()
        .spoke(|test| test.documents(documents))
        .hub(|test| test.documents(documents))
        .check();
}

/// The annotation is limited as the API server limits it, and the failure names its size and the version.
#[test]
fn what_does_not_fit_in_the_annotation_is_an_error() {
    let mut large = pipeline();
    large["spec"]["undeclared"] = "x".repeat(300 << 10).into();
    let review = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": { "uid": "u", "desiredAPIVersion": "forms.example.com/v1beta1", "objects": [large] },
    });
    let review = versions().converter().review(review).unwrap();
    let result = &review["response"]["result"];
    assert_eq!(result["status"], "Failure");
    let message = result["message"].as_str().unwrap();
    assert!(message.starts_with("a: version `v1beta1` cannot express 307"), "{message}");
}
