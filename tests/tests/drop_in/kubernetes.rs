//! The types of Kubernetes whose schema differs from that of schemars: each has its row in `migration.md`.

use std::collections::{BTreeMap, BTreeSet};

use crdkit::{Foreign, KubeSchema, render::render_schema, schema::Schema};
use crdkit_tests::{Request, server::server};
use k8s_openapi::{
    api::core::v1::*,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        ExternalDocumentation, JSON, JSONSchemaProps, ValidationRule,
    },
    apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::*, runtime::RawExtension, util::intstr::IntOrString},
};
use serde_json::{Value, json};

use crate::{schema_differences::undescribed, served_fields::ServedFields};

/// What crdkit makes of a type and of a list of it, and what schemars does.
struct Both {
    crdkit: [Value; 2],
    schemars: [Value; 2],
}

macro_rules! types {
    ($($type:ident),+) => {
        fn types() -> BTreeMap<&'static str, Both> {
            [$((stringify!($type), Both {
                crdkit: [rendered::<$type>(), rendered::<Vec<$type>>()],
                schemars: [rendered::<Foreign<$type>>(), rendered::<Foreign<Vec<$type>>>()],
            })),+].into()
        }
    };
}

types! {
    Condition, ConfigMapKeySelector, EnvVar, EnvVarSource, ExternalDocumentation, FieldSelectorRequirement, FieldsV1,
    FileKeySelector, IntOrString, JSON, JSONSchemaProps, LabelSelector, LabelSelectorRequirement, LocalObjectReference,
    ManagedFieldsEntry, MicroTime, ObjectFieldSelector, ObjectMeta, ObjectReference, OwnerReference, Quantity,
    RawExtension, ResourceClaim, ResourceFieldSelector, ResourceRequirements, SecretKeySelector, SecretReference, Time,
    Toleration, TypedLocalObjectReference, TypedObjectReference, ValidationRule, VolumeResourceRequirements
}

fn rendered<T: KubeSchema>() -> Value {
    undescribed(&json!(render_schema(&T::SCHEMA).unwrap()))
}

const SOURCES: [&str; 4] = [
    include_str!("../../../runtime/src/schema/kubernetes.rs"),
    include_str!("../../../runtime/src/schema/kubernetes/apiextensions_v1.rs"),
    include_str!("../../../runtime/src/schema/kubernetes/core_v1.rs"),
    include_str!("../../../runtime/src/schema/kubernetes/meta_v1.rs"),
];

/// What has a schema in there and is nothing that users could name, or has none of schemars.
const OTHERS: [&str; 4] = ["ByteString", "ConditionStatus", "Inner", "$type"];

/// The types that have a schema of crdkit.
fn known() -> BTreeSet<String> {
    let of_line = |line: &str| {
        let line = line.trim_start();
        let name = line
            .strip_prefix("impl KubeSchema for ")
            .or_else(|| {
                let is_entry = line.ends_with('{') || line.chars().all(char::is_alphanumeric);
                (line.starts_with(char::is_uppercase) && is_entry).then_some(line)
            })?
            .split([' ', '{'])
            .next()?;
        (!OTHERS.contains(&name)).then(|| name.to_owned())
    };
    SOURCES.iter().flat_map(|source| source.lines()).filter_map(of_line).collect()
}

/// The names in the first column of the table of definitions.
fn documented() -> BTreeSet<String> {
    let page = include_str!("../../../runtime/src/docs/migration.md");
    let (_, table) = page.split_once("## In the definition").unwrap();
    let (table, _) = table.split_once("## In Rust").unwrap();
    let columns = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let names = columns.flat_map(|column| column.split('`').skip(1).step_by(2));
    names.map(str::to_owned).collect()
}

#[test]
fn every_type_that_differs_is_in_the_table() {
    let types = types();
    let compared: BTreeSet<_> = types.keys().map(|name| (*name).to_owned()).collect();
    assert_eq!(compared, known());
    let documented = documented();
    let differ = types.iter().filter(|(_, it)| it.crdkit != it.schemars);
    let missing: Vec<_> = differ.map(|(name, _)| *name).filter(|name| !documented.contains(*name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[tokio::test]
async fn variables_of_one_name_are_accepted_as_before_on_request() {
    const BY_NAME: Schema = <Vec<EnvVar>>::SCHEMA;
    const AS_BEFORE: Schema = <Vec<Foreign<EnvVar>>>::SCHEMA;
    let Some(served) = ServedFields::of([("ours", BY_NAME), ("before", AS_BEFORE)].into_iter()).await else {
        return;
    };
    let twice = json!([{ "name": "A", "value": "1" }, { "name": "A", "value": "2" }]);
    let ours = served.create("ours", &twice).await;
    assert!(ours.message.contains("Duplicate value"), "{ours}");
    served.create("before", &twice).await.expect_accepted();
    let template = json!({
        "apiVersion": "v1", "kind": "PodTemplate", "metadata": { "name": "a" },
        "template": { "spec": { "containers": [{ "name": "a", "image": "a", "env": twice }] } },
    });
    let path = "/api/v1/namespaces/default/podtemplates?dryRun=All";
    let pods = server().unwrap().raw(Request::post(path, template)).await;
    assert!(pods.is_success(), "{}", pods.body);
}

#[tokio::test]
async fn schemas_are_stored_with_any_default() {
    let Some(served) = ServedFields::of([("schema", JSONSchemaProps::SCHEMA)].into_iter()).await else {
        return;
    };
    for any in [json!("a"), json!(1), json!([1, null]), json!({ "a": null })] {
        let schema = json!({
            "type": "object", "default": any, "enum": [any, null],
            "properties": { "a": { "default": any } },
        });
        let stored = served.create("schema", &schema).await.expect_accepted();
        assert_eq!(stored.object.unwrap()["spec"]["schema"], schema);
    }
}

#[test]
fn integers_or_strings_in_other_types_stay_nullable() {
    let schema = rendered::<Foreign<EmptyDirVolumeSource>>();
    let limit = json!({ "x-kubernetes-int-or-string": true, "nullable": true });
    assert_eq!(schema["properties"]["sizeLimit"], limit);
    let schema = rendered::<Foreign<HTTPGetAction>>();
    let port = json!({ "x-kubernetes-int-or-string": true });
    assert_eq!(schema["properties"]["port"], port, "it is required");
}
