use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "example.com", version = "v1", kind = "Server", status = "ServerStatus", derive = "PartialEq")]
#[serde(rename_all = "camelCase")]
struct ServerSpec {
    host: String,
    #[crd(default = 3, minimum = 1)]
    replicas: i32,
    #[crd(default = "eu")]
    region: Option<String>,
    #[crd(default = 5, minimum = 1)]
    #[serde(default)]
    attempts: i32,
    #[crd(default = {})]
    limits: Limits,
    #[serde(default)]
    pools: Vec<Pool>,
    #[serde(default)]
    by_zone: BTreeMap<String, Pool>,
    listener: Option<Listener>,
    #[serde(flatten)]
    common: Common,
    #[crd(default = 80)]
    #[serde(alias = "portNumber")]
    port: u16,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Limits {
    #[crd(default = 100)]
    connections: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Pool {
    #[crd(default = Protocol::Tcp)]
    protocol: Protocol,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
enum Protocol {
    Tcp,
    Udp,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Listener {
    Plain(Limits),
    Tls {
        certificate: String,
        #[crd(default = 443)]
        port: u16,
    },
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Common {
    #[crd(default = ["a"])]
    zones: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
struct ServerStatus {
    #[crd(default = "Pending")]
    phase: String,
}

fn object(spec: Value) -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Server",
        "metadata": { "name": "a" },
        "spec": spec,
    })
}

#[track_caller]
fn read(spec: &Value) -> ServerSpec {
    let object = object(spec.clone());
    let of_value: Server = serde_json::from_value(object.clone()).unwrap();
    let of_text: Server = serde_json::from_str(&object.to_string()).unwrap();
    let of_yaml: Server = serde_saphyr::from_str(&object.to_string()).unwrap();
    assert_eq!(of_value, of_text);
    assert_eq!(of_value, of_yaml);
    of_value.spec
}

fn defaulted() -> ServerSpec {
    ServerSpec {
        host: "a".to_owned(),
        replicas: 3,
        region: Some("eu".to_owned()),
        attempts: 5,
        limits: Limits { connections: 100 },
        pools: Vec::new(),
        by_zone: BTreeMap::new(),
        listener: None,
        common: Common { zones: vec!["a".to_owned()] },
        port: 80,
    }
}

#[test]
fn missing_fields_have_their_defaults() {
    assert_eq!(read(&json!({ "host": "a" })), defaulted());
}

#[test]
fn present_fields_keep_their_values() {
    let spec = json!({
        "host": "a",
        "replicas": 7,
        "region": "us",
        "attempts": 9,
        "limits": { "connections": 1 },
        "pools": [],
        "byZone": {},
        "zones": [],
        "portNumber": 81,
        "unknown": { "limits": {} },
    });
    let expected = ServerSpec {
        replicas: 7,
        region: Some("us".to_owned()),
        attempts: 9,
        limits: Limits { connections: 1 },
        common: Common { zones: Vec::new() },
        port: 81,
        ..defaulted()
    };
    assert_eq!(read(&spec), expected);
    assert_eq!(read(&serde_json::to_value(&expected).unwrap()), expected);
}

#[test]
fn items_and_values_of_maps() {
    let spec = read(&json!({
        "host": "a",
        "pools": [{}, { "protocol": "Udp" }],
        "byZone": { "replicas": {}, "b": { "protocol": "Udp" } },
    }));
    assert_eq!(spec.pools, [Pool { protocol: Protocol::Tcp }, Pool { protocol: Protocol::Udp }]);
    assert_eq!(spec.by_zone["replicas"], Pool { protocol: Protocol::Tcp });
    assert_eq!(spec.by_zone["b"], Pool { protocol: Protocol::Udp });
}

#[test]
fn data_of_variants() {
    let listener = |json: Value| read(&json!({ "host": "a", "listener": json })).listener.unwrap();
    assert_eq!(listener(json!({ "plain": {} })), Listener::Plain(Limits { connections: 100 }));
    let tls = Listener::Tls { certificate: "b".to_owned(), port: 443 };
    assert_eq!(listener(json!({ "tls": { "certificate": "b" } })), tls);
}

#[test]
fn null_is_replaced_unless_it_is_a_value() {
    let spec = read(&json!({ "host": "a", "replicas": null, "region": null }));
    assert_eq!((spec.replicas, spec.region), (3, None));
}

#[test]
fn mistakes_are_reported_as_without_defaults() {
    let error = serde_json::from_value::<Server>(object(json!({ "replicas": 1 }))).unwrap_err();
    assert_eq!(error.to_string(), "missing field `host`");
    let text = r#"{"metadata":{},"spec":{"host":"a","replicas":"b"}}"#;
    let error = serde_json::from_str::<Server>(text).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: string \"b\", expected i32 at line 1 column 48");
    let text = r#"{"metadata":{},"spec":{"replicas":1,"replicas":2}}"#;
    let error = serde_json::from_str::<Server>(text).unwrap_err();
    assert!(error.to_string().starts_with("duplicate field `replicas`"), "{error}");
}

#[test]
fn a_status_has_its_defaults() {
    let mut object = object(json!({ "host": "a" }));
    assert_eq!(serde_json::from_value::<Server>(object.clone()).unwrap().status, None);
    object["status"] = json!({});
    let server: Server = serde_json::from_value(object).unwrap();
    assert_eq!(server.status, Some(ServerStatus { phase: "Pending".to_owned() }));
}

/// The API server is the model of all of this.
#[test]
fn objects_are_those_that_the_server_defaults() {
    use crdkit::CustomResourceExt;
    let versions = Server::crd().spec.versions;
    let schema = versions[0].schema.as_ref().unwrap().open_api_v3_schema.as_ref().unwrap();
    for spec in [
        json!({ "host": "a" }),
        json!({ "host": "a", "limits": {}, "pools": [{}], "byZone": { "b": {} }, "listener": { "plain": {} } }),
        json!({ "host": "a", "replicas": null, "limits": null }),
        json!({ "host": "a", "listener": { "tls": { "certificate": "b" } } }),
    ] {
        let mut admitted = crate::crd::object_processing::admit(schema, &object(spec.clone()));
        admitted["metadata"] = json!({}); // which the schema does not describe
        let admitted: Server = serde_json::from_value(admitted).unwrap();
        assert_eq!(admitted.spec, read(&spec));
    }
}

mod flat {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Flat", no_spec, status = "ServerStatus")]
    struct FlatSpec {
        #[crd(default = 3)]
        replicas: i32,
    }

    #[test]
    fn fields_at_the_root() {
        let object = json!({ "metadata": {}, "status": {} });
        let flat: Flat = serde_json::from_value(object).unwrap();
        assert_eq!(flat.spec.replicas, 3);
        assert_eq!(flat.status.unwrap().phase, "Pending");
    }
}

mod decoded_from_text {
    use super::*;
    use crate::serde::{Deserialize, Serialize, object_text};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Decoded")]
    struct DecodedSpec {
        #[crd(default = 3)]
        #[serde(default)]
        replicas: i32,
        #[crd(default = "eu")]
        region: Option<String>,
        foreign: Option<Foreign>,
        flattened: Option<Flattened>,
        #[schemars(with = "Foreign")]
        other: Option<Other>,
    }

    /// Its schema is that of another type.
    #[derive(Serialize, Deserialize, Clone, Debug)]
    struct Other {
        #[serde(default)]
        size: i32,
    }

    /// Only serde decodes it.
    #[derive(KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
    struct Foreign {
        #[crd(default = 5)]
        #[serde(default)]
        size: i32,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    struct Flattened {
        #[serde(flatten)]
        foreign: Foreign,
    }

    #[track_caller]
    fn decoded(spec: &str) -> DecodedSpec {
        let text = format!(r#"{{"metadata":{{}},"spec":{spec}}}"#);
        let object = object_text::read::<Decoded>(&text).unwrap();
        let of_serde = serde_json::from_str::<Decoded>(&text).unwrap();
        assert_eq!(format!("{object:?}"), format!("{of_serde:?}"));
        object.spec
    }

    #[test]
    fn missing_fields_have_the_defaults_of_the_schema() {
        assert_eq!(decoded(r#"{"replicas":1}"#).region.as_deref(), Some("eu"));
        assert_eq!(decoded(r#"{"region":"us"}"#).replicas, 3);
        assert_eq!(decoded(r#"{"region":"us","replicas":1}"#).replicas, 1);
        let complete = |fields: &str| decoded(&format!(r#"{{"region":"us","replicas":1,{fields}}}"#));
        assert_eq!(complete(r#""foreign":{}"#).foreign.unwrap().size, 5);
        assert_eq!(complete(r#""flattened":{}"#).flattened.unwrap().foreign.size, 5);
        assert_eq!(complete(r#""other":{}"#).other.unwrap().size, 5);
        decoded(r#"{"region":null,"replicas":1}"#);
        decoded(r#"{"region":"us","replicas":1,"foreign":null,"flattened":null,"other":null}"#);
    }
}

#[test]
fn a_type_without_a_resource() {
    let mut json = serde_json::Deserializer::from_str(r#"{"pools":[{}],"host":"a"}"#);
    let spec: ServerSpec = crdkit::deserialize_with_defaults(&mut json).unwrap();
    assert_eq!(spec, ServerSpec { pools: vec![Pool { protocol: Protocol::Tcp }], ..defaulted() });
}

#[test]
fn a_default_that_cannot_be_deserialized_is_named() {
    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Wrong", test = false)]
    struct WrongSpec {
        #[crd(default = "b")]
        #[serde(deserialize_with = "small")]
        size: String,
    }
    fn small<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let size = String::deserialize(deserializer)?;
        Err(serde::de::Error::custom(format_args!("{size} is not small")))
    }
    let error = serde_json::from_str::<Wrong>(r#"{"metadata":{},"spec":{}}"#).unwrap_err().to_string();
    assert!(error.contains("the default of `size`: b is not small"), "{error}");
}
