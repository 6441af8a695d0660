use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_core::ObjectMeta;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;

fn scheme() -> Scheme {
    let scheme = Scheme::new().register::<ConfigMap>().unwrap();
    scheme.register::<Pod>().unwrap()
}

fn config(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "size": "1" } })
}

fn decode_all(scheme: &Scheme, json: &Value) -> Result<Vec<Decoded>, DecodeError> {
    scheme.decode_all(json.to_string().as_bytes())
}

#[test]
fn objects_are_decoded_as_their_types() {
    let mut object = scheme().decode(config("web").to_string().as_bytes()).unwrap();
    assert_eq!(object.gvk(), &GroupVersionKind::gvk("", "v1", "ConfigMap"));
    assert_eq!(object.metadata().name.as_deref(), Some("web"));
    assert!(object.is::<ConfigMap>() && !object.is::<Pod>());
    let config = object.downcast_mut::<ConfigMap>().unwrap();
    config.data.as_mut().unwrap().insert("size".into(), "2".into());
    let copy = object.clone();
    assert_eq!(copy.to_json().unwrap()["data"]["size"], "2");
    let object = object.downcast::<Pod>().unwrap_err();
    let config = object.downcast::<ConfigMap>().unwrap();
    assert_eq!(config.data.unwrap()["size"], "2");
}

#[test]
fn types_are_registered_by_kind() {
    let scheme = scheme();
    let kind = GroupVersionKind::gvk("", "v1", "Pod");
    assert!(scheme.recognizes(&kind));
    assert_eq!(scheme.kind_of::<Pod>(), Some(&kind));
    assert_eq!(scheme.kind_of::<Value>(), None);
    assert_eq!(scheme.kinds().count(), 2);
}

#[test]
fn types_are_registered_together() {
    let scheme = Scheme::new().register_all::<(Pod, ConfigMap)>().unwrap();
    assert!(scheme.kind_of::<Pod>().is_some() && scheme.kind_of::<ConfigMap>().is_some());
    let error = scheme.register_all::<(Pod, OtherConfigMap)>().unwrap_err();
    assert!(error.to_string().contains("OtherConfigMap"), "{error}");
}

/// A config map of another type.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct OtherConfigMap {
    metadata: ObjectMeta,
}

impl k8s_openapi::Resource for OtherConfigMap {
    const API_VERSION: &'static str = "v1";
    const GROUP: &'static str = "";
    const KIND: &'static str = "ConfigMap";
    const VERSION: &'static str = "v1";
    const URL_PATH_SEGMENT: &'static str = "configmaps";
    type Scope = k8s_openapi::NamespaceResourceScope;
}

impl k8s_openapi::Metadata for OtherConfigMap {
    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[test]
fn kind_has_one_type() {
    let again = scheme().register::<ConfigMap>().unwrap();
    assert_eq!(again.kinds().count(), 2);
    let error = scheme().register::<OtherConfigMap>().unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("two types are registered for ConfigMap of v1: `"), "{message}");
    assert!(message.contains("OtherConfigMap"), "{message}");
}

#[test]
fn lists_are_decoded_item_by_item() {
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": [config("a"), config("b")] });
    assert_eq!(decode_all(&scheme(), &list).unwrap().len(), 2);
    let nested = json!({ "apiVersion": "v1", "kind": "List", "items": [list, config("c")] });
    assert_eq!(decode_all(&scheme(), &nested).unwrap().len(), 3);
    let typed = json!({
        "apiVersion": "v1", "kind": "ConfigMapList", "items": [{ "metadata": { "name": "a" } }],
    });
    let objects = decode_all(&scheme(), &typed).unwrap();
    assert_eq!(objects[0].gvk().kind, "ConfigMap");
    let error = scheme().decode(nested.to_string().as_bytes()).unwrap_err();
    assert!(matches!(error, DecodeError::List { .. }), "{error}");
}

#[test]
fn unknown_kinds_are_errors_or_unstructured() {
    let at = json!({ "apiVersion": "example.com/v1", "kind": "At", "metadata": { "name": "a" }, "spec": 1 });
    let message = decode_all(&scheme(), &at).unwrap_err().to_string();
    assert_eq!(message, "no type is registered for At of example.com/v1");
    let objects = decode_all(&scheme().allow_unknown(), &at).unwrap();
    let kept = objects[0].downcast_ref::<Unstructured>().unwrap();
    assert_eq!(kept.get_i64("spec").unwrap(), 1);
    assert_eq!(objects[0].gvk().kind, "At");
}

#[test]
fn errors_contain_the_most_similar_kind() {
    for (version, kind) in [("v2", "ConfigMap"), ("v1", "Configmaps"), ("apps/v1", "ConfigMap")] {
        let object = json!({ "apiVersion": version, "kind": kind });
        let message = decode_all(&scheme(), &object).unwrap_err().to_string();
        let expected = format!(
            "no type is registered for {kind} of {version}; the most similar registered kind is ConfigMap of v1"
        );
        assert_eq!(message, expected);
    }
}

const MANIFEST: &str = "# configuration
apiVersion: v1
kind: ConfigMap
metadata: { name: a }
---
---
# nothing
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: { name: b }
  spec:
    containers:
    - name: main
      volumes: []
    volumes:
    - name: config
      configMap: { defaultMode: 0644 }
";

#[test]
fn documents_are_read_one_by_one() {
    let objects = scheme().decode_yaml(MANIFEST).unwrap();
    assert_eq!(objects.len(), 2);
    let pod = objects[1].downcast_ref::<Pod>().unwrap();
    let volumes = pod.spec.as_ref().unwrap().volumes.as_ref().unwrap();
    assert_eq!(volumes[0].config_map.as_ref().unwrap().default_mode, Some(0o644));
    assert!(scheme().decode_yaml("").unwrap().is_empty());
}

#[test]
fn errors_contain_the_position() {
    for (from, to, expected) in [
        (
            "defaultMode: 0644",
            "defaultMode: all",
            "document 2 (line 9), items[0]: Pod `b` does not match its type at `spec.volumes[0].configMap.defaultMode`: \
             invalid type: string, expected i32",
        ),
        (
            "kind: ConfigMap",
            "kind: ConfigMop",
            "document 1 (line 2): no type is registered for ConfigMop of v1; the most similar",
        ),
        ("kind: ConfigMap\n", "", "document 1 (line 2): the object has no kind"),
        ("kind: Pod", "kind: [Pod]", "document 2 (line 9), items[0]: not a JSON object"),
    ] {
        let yaml = MANIFEST.replace(from, to);
        assert_ne!(yaml, MANIFEST);
        let error = scheme().decode_yaml(&yaml).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with(expected), "{message}");
        assert!(std::error::Error::source(&error).is_none_or(|source| source.to_string() != message), "{message}");
    }
    let nested = Position::default().item(0).item(2);
    assert_eq!(nested.to_string(), "items[0].items[2]: ");
    let error = scheme().decode_yaml("a: 1\nb: [\n").unwrap_err();
    assert!(matches!(error, DecodeError::Yaml(_)), "{error}");
    assert!(error.to_string().contains("line"), "{error}");
    let error = scheme().decode(b"[]").unwrap_err();
    assert!(matches!(error, DecodeError::Syntax { .. }), "{error}");
}
