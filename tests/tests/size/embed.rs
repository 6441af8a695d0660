//! Types of Kubernetes in several forms, on a real API server.

use std::collections::BTreeMap;

use crdkit::{
    CustomResource, KubeSchema,
    definition::{Definition, DerivedRoot, RootSchema},
    render::render_schema,
    schema::{Descriptions, Field, ForeignSchema, Keyword, KubernetesTypeDetail, Schema},
};
use crdkit_tests::{
    Answer, Request,
    server::{Server, server},
};
use k8s_openapi::api::{
    apps::v1::DeploymentSpec,
    batch::v1::JobTemplateSpec,
    core::v1::{Container, EnvVar, PodTemplateSpec, Service, Volume},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "embed.example.com", version = "v1", kind = "Full")]
struct FullSpec {
    /// What runs.
    #[crd(embed = "full")]
    template: PodTemplateSpec,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "embed.example.com", version = "v1", kind = "Lean")]
struct LeanSpec {
    /// What runs.
    #[crd(embed = "lean")]
    template: PodTemplateSpec,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "embed.example.com", version = "v1", kind = "Opaque")]
struct OpaqueSpec {
    /// What runs.
    #[crd(embed = "opaque")]
    template: PodTemplateSpec,
    #[crd(embed = "opaque")]
    list: Option<Vec<Container>>,
}

/// Types of several groups, in lists and maps.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "embed.example.com", version = "v1", kind = "Mixed", descriptions = "own")]
#[serde(rename_all = "camelCase")]
struct MixedSpec {
    #[crd(embed = "full")]
    sidecars: Option<Vec<Container>>,
    #[crd(embed = "full")]
    volumes: BTreeMap<String, Volume>,
    #[crd(embed = "full", list_type = "atomic")]
    ordered: Option<Vec<Container>>,
    #[crd(embed = "full")]
    deployment: Option<DeploymentSpec>,
    #[crd(embed = "full")]
    job: Option<Box<JobTemplateSpec>>,
    #[crd(embed = "lean")]
    service: Option<Service>,
    #[crd(embed = "full")]
    env: Option<Vec<EnvVar>>,
    part: Option<Part>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Part(#[crd(embed = "full")] Container);

fn schema_of(definition: &Definition) -> Value {
    let crd = json!(definition.render().unwrap());
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].clone()
}

#[tokio::test]
async fn the_server_accepts_every_form() {
    let Some(server) = server() else {
        return;
    };
    for mut definition in [Full::DEFINITION, Lean::DEFINITION, Opaque::DEFINITION, Mixed::DEFINITION] {
        definition.group = "only.example.com"; // where the other tests install nothing
        let crd = json!(definition.render().unwrap());
        let verdict = server.dry_run(&crd).await;
        assert!(verdict.accepted, "{}: {verdict}", definition.kind);
        assert_eq!(verdict.warnings, Vec::<String>::new(), "{}", definition.kind);
    }
}

/// Definitions with one field each, a full type of Kubernetes.
macro_rules! with_full {
    ($($group:ident::$version:ident::{$($kind:ident),+ $(,)?};)+) => {
        vec![$($((
            concat!(stringify!($group), ".", stringify!($kind)),
            ForeignSchema::of::<k8s_openapi::api::$group::$version::$kind>(),
        )),+),+]
    };
}

#[tokio::test]
async fn the_server_accepts_every_kind_in_full() {
    let Some(server) = server() else {
        return;
    };
    let kinds = with_full! {
        apps::v1::{ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet};
        autoscaling::v2::{HorizontalPodAutoscaler};
        batch::v1::{CronJob, Job};
        core::v1::{
            Binding, ConfigMap, Endpoints, Event, LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod,
            PodTemplate, ReplicationController, ResourceQuota, Secret, Service, ServiceAccount,
        };
        networking::v1::{
            IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR,
        };
        policy::v1::{Eviction, PodDisruptionBudget};
    };
    for (name, foreign) in kinds {
        let keywords = &[Keyword::Embed(KubernetesTypeDetail::Full), Keyword::Descriptions(Descriptions::None)];
        let schema = &*Box::leak(Box::new(Schema::foreign(foreign)));
        let fields = vec![
            Field::new("one", schema).with(keywords),
            Field::new("list", Box::leak(Box::new(Schema::list(schema)))).with(keywords),
        ];
        let spec = Box::leak(Box::new(Schema::object(fields.leak())));
        let root = RootSchema::Derived(DerivedRoot::new(spec));
        let group = "every.example.com";
        let definition = Definition::new(group, "v1", "Foo", "foos", "foo", "FooList", root);
        let crd = definition.render().unwrap();
        let mut violations = crdkit::validate::validate(&crd);
        violations.retain(|it| it.severity.is_fatal());
        assert_eq!(violations, [], "{name}");
        let verdict = server.dry_run(&json!(crd)).await;
        assert!(verdict.accepted, "{name}: {verdict}");
        assert_eq!(verdict.warnings, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn an_opaque_type_is_any_object() {
    let opaque = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let mut template = opaque.clone();
    template["description"] = json!("What runs.");
    let schema = schema_of(&Opaque::DEFINITION);
    assert_eq!(schema["template"], template);
    let list = json!({ "type": "array", "items": opaque, "nullable": true });
    assert_eq!(schema["list"], list);
}

#[test]
fn a_lean_type_has_its_structure_and_no_words() {
    let template = &schema_of(&Lean::DEFINITION)["template"];
    assert_eq!(template["description"], "What runs.");
    let spec = &template["properties"]["spec"];
    assert_eq!(spec["required"], json!(["containers"]));
    let ports = &spec["properties"]["containers"]["items"]["properties"]["ports"];
    assert_eq!(
        *ports,
        json!({ "type": "array", "items": { "type": "object", "required": ["containerPort"], "properties": {
            "containerPort": { "type": "integer", "format": "int32" },
            "hostIP": { "type": "string" },
            "hostPort": { "type": "integer", "format": "int32" },
            "name": { "type": "string" },
            "protocol": { "type": "string" },
        } } })
    );
    assert!(!spec.to_string().contains("description"));
}

#[test]
fn a_full_type_is_what_it_is_in_kubernetes() {
    let template = &schema_of(&Full::DEFINITION)["template"];
    assert_eq!(template["description"], "What runs.");
    let spec = &template["properties"]["spec"]["properties"];
    let containers = &spec["containers"];
    assert_eq!(containers["x-kubernetes-list-type"], "map");
    assert_eq!(containers["x-kubernetes-list-map-keys"], json!(["name"]));
    let container = &containers["items"]["properties"];
    assert!(container["image"]["description"].is_string());
    assert_eq!(container["args"]["x-kubernetes-list-type"], "atomic");
    let ports = &container["ports"];
    assert_eq!(ports["x-kubernetes-list-map-keys"], json!(["containerPort", "protocol"]));
    assert_eq!(ports["items"]["properties"]["protocol"]["default"], "TCP");
    assert_eq!(spec["nodeSelector"]["x-kubernetes-map-type"], "atomic");
    let secret = &spec["imagePullSecrets"]["items"];
    assert_eq!(secret["x-kubernetes-map-type"], "atomic");
    assert_eq!(secret["properties"]["name"]["default"], "");
    let limit = &container["resources"]["properties"]["limits"]["additionalProperties"];
    assert!(limit["pattern"].as_str().unwrap().contains("[KMGTPE]i"), "{limit}");
    // What has to be there has no default, though Go has a value for it.
    assert_eq!(container["name"].get("default"), None);
    assert_eq!(template["properties"]["spec"].get("default"), None);
}

#[test]
fn lists_are_merged_as_they_are_everywhere_else() {
    let schema = schema_of(&Mixed::DEFINITION);
    let keys = |name: &str| schema[name]["x-kubernetes-list-map-keys"].clone();
    assert_eq!(keys("sidecars"), json!(["name"]));
    assert_eq!(keys("env"), json!(["name"]));
    assert_eq!(keys("ordered"), Value::Null);
    assert_eq!(schema["ordered"]["x-kubernetes-list-type"], "atomic");
    let volume = &schema["volumes"]["additionalProperties"]["properties"];
    let iscsi = &volume["iscsi"]["properties"]["iscsiInterface"];
    assert_eq!(iscsi["default"], "default");
    for (place, pointer) in [
        ("deployment", "/properties/template/properties/spec/properties/containers"),
        ("job", "/properties/spec/properties/template/properties/spec/properties/containers"),
        ("part", "/properties/env"),
    ] {
        let list = schema[place].pointer(pointer).unwrap();
        assert_eq!(list["x-kubernetes-list-map-keys"], json!(["name"]), "{place}");
    }
    assert!(!schema.to_string().contains("description"));
}

#[test]
fn types_with_a_schema_in_crdkit_are_full_and_can_be_lean() {
    #[derive(KubeSchema, Serialize, Deserialize)]
    struct Known {
        plain: Vec<EnvVar>,
        #[crd(embed = "full")]
        full: Vec<EnvVar>,
        /// Variables.
        #[crd(embed = "lean")]
        lean: Vec<EnvVar>,
    }
    let schema = json!(render_schema(&Known::SCHEMA).unwrap());
    let mut fields = schema["properties"].clone();
    assert_eq!(fields["full"], fields["plain"]);
    let lean = fields["lean"].as_object_mut().unwrap();
    assert_eq!(lean.remove("description"), Some(json!("Variables.")));
    assert!(!json!(lean).to_string().contains("description"), "{lean:?}");
    assert_eq!(lean["x-kubernetes-list-map-keys"], json!(["name"]));
}

#[test]
fn types_that_are_not_in_the_table_are_named() {
    #[derive(schemars::JsonSchema, Serialize, Deserialize, Clone, Debug)]
    struct Theirs {
        size: u8,
    }
    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "embed.example.com", version = "v1", kind = "Unknown", test = false)]
    struct UnknownSpec {
        #[crd(embed = "full")]
        theirs: Theirs,
    }
    let error = Unknown::DEFINITION.render().unwrap_err();
    assert_eq!(error.path, ".spec.theirs");
    assert!(error.message.contains("Theirs` are unknown"), "{error}");
}

/// Two managers apply a container each.
async fn applied_by_two(server: Server, definition: &Definition) -> Answer {
    let crd = json!(definition.render().unwrap());
    server.install(&crd).await.expect_accepted();
    let path = format!("/apis/{}/v1/{}/a", definition.group, definition.plural);
    let mut answer = None;
    for (manager, name) in [("one", "a"), ("two", "b")] {
        let container = json!({ "name": name, "image": name, "ports": [{ "containerPort": 80 }] });
        let object = json!({
            "apiVersion": format!("{}/v1", definition.group), "kind": definition.kind,
            "metadata": { "name": "a" },
            "spec": { "template": { "spec": { "containers": [container] } } },
        });
        let query = format!("{path}?fieldManager={manager}&force=true&fieldValidation=Strict");
        let applied = server.raw(Request::apply(query, object)).await;
        assert!(applied.is_success(), "{}: {}", definition.kind, applied.body);
        assert_eq!(applied.warnings, Vec::<String>::new());
        answer = Some(applied);
    }
    answer.unwrap()
}

#[tokio::test]
async fn containers_of_several_managers_are_merged_where_the_type_is_full() {
    let Some(server) = server() else {
        return;
    };
    let protocol = |protocol: Option<&str>| match protocol {
        Some(protocol) => json!([{ "containerPort": 80, "protocol": protocol }]),
        None => json!([{ "containerPort": 80 }]),
    };
    let container = |name: &str, ports: Value| json!({ "name": name, "image": name, "ports": ports });
    for (definition, expected) in [
        (Full::DEFINITION, vec![container("a", protocol(Some("TCP"))), container("b", protocol(Some("TCP")))]),
        (Lean::DEFINITION, vec![container("b", protocol(None))]),
        (Opaque::DEFINITION, vec![container("b", protocol(None))]),
    ] {
        let answer = applied_by_two(server, &definition).await;
        let containers = &answer.body["spec"]["template"]["spec"]["containers"];
        assert_eq!(*containers, json!(expected), "{}", definition.kind);
    }
}

#[tokio::test]
async fn defaults_are_stored() {
    let Some(server) = server() else {
        return;
    };
    server.install(&json!(Mixed::DEFINITION.render().unwrap())).await.expect_accepted();
    let iscsi = json!({ "targetPortal": "a", "iqn": "b", "lun": 0 });
    let object = json!({
        "apiVersion": "embed.example.com/v1", "kind": "Mixed", "metadata": { "name": "a" },
        "spec": {
            "volumes": { "disk": { "name": "disk", "iscsi": iscsi } },
            "sidecars": [{ "name": "a", "resources": { "limits": { "cpu": 1, "memory": "1Gi" } } }],
        },
    });
    let path = "/apis/embed.example.com/v1/mixeds?fieldValidation=Strict";
    let created = server.raw(Request::post(path, object.clone())).await;
    assert!(created.is_success(), "{}", created.body);
    let spec = &created.body["spec"];
    assert_eq!(spec["volumes"]["disk"]["iscsi"]["iscsiInterface"], "default");
    assert_eq!(spec["sidecars"][0]["resources"]["limits"]["cpu"], 1);

    let mut twice = object.clone();
    twice["metadata"]["name"] = json!("b");
    twice["spec"]["sidecars"] = json!([{ "name": "a" }, { "name": "a" }]);
    let refused = server.raw(Request::post(path, twice)).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    let mut malformed = object;
    malformed["metadata"]["name"] = json!("c");
    malformed["spec"]["sidecars"][0]["resources"]["limits"]["cpu"] = json!("much");
    let refused = server.raw(Request::post(path, malformed)).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
}
