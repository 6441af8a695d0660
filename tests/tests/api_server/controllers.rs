//! The controllers of the server in the process, compared with those of kube-controller-manager.

mod scenario;

use serde_json::{Value, json};

use self::scenario::{Scenario, compare};

/// An object of the core group, by the plural name of its kind.
fn object(plural: &str, namespace: &str, name: &str) -> Value {
    let kind = match plural {
        "configmaps" => "ConfigMap",
        "secrets" => "Secret",
        "pods" => "Pod",
        "namespaces" => "Namespace",
        _ => "PersistentVolume",
    };
    let mut object = json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": name } });
    if !namespace.is_empty() {
        object["metadata"]["namespace"] = namespace.into();
    }
    if plural == "pods" {
        object["spec"] = json!({ "containers": [{ "name": "main", "image": "none" }] });
    }
    object
}

/// A reference to an object that the scenario has created: `$uid(name)`.
fn owner(kind: &str, name: &str, blocks: bool) -> Value {
    json!({
        "apiVersion": "v1", "kind": kind, "name": name, "uid": format!("$uid({name})"), "blockOwnerDeletion": blocks,
    })
}

fn owned(mut object: Value, owners: &[Value]) -> Value {
    object["metadata"]["ownerReferences"] = owners.into();
    object
}

fn finalized(mut object: Value) -> Value {
    object["metadata"]["finalizers"] = json!(["example.com/wait"]);
    object
}

fn config(namespace: &str, name: &str) -> Value {
    object("configmaps", namespace, name)
}

fn secret(namespace: &str, name: &str) -> Value {
    object("secrets", namespace, name)
}

fn delete(policy: &str) -> Value {
    json!({ "propagationPolicy": policy })
}

#[tokio::test]
async fn garbage_is_collected() {
    let release = json!({ "metadata": { "finalizers": null } });
    let chain = |scenario: Scenario, blocks| {
        let scenario = scenario.create(config("$namespace", "a"));
        let scenario = scenario.create(owned(secret("$namespace", "b"), &[owner("ConfigMap", "a", blocks)]));
        scenario.create(owned(config("$namespace", "c"), &[owner("Secret", "b", blocks)]))
    };
    let pinned = |scenario: Scenario, blocks| {
        let scenario = scenario.create(config("$namespace", "a"));
        scenario.create(finalized(owned(secret("$namespace", "b"), &[owner("ConfigMap", "a", blocks)])))
    };
    let two_owners = |scenario: Scenario| {
        let scenario = scenario.create(config("$namespace", "a")).create(config("$namespace", "b"));
        let owners = [owner("ConfigMap", "a", true), owner("ConfigMap", "b", true)];
        scenario.create(owned(secret("$namespace", "c"), &owners))
    };
    let a = "configmaps/a";
    let scenarios = [
        chain(Scenario::new("background"), false).delete(a, delete("Background")).leaves(&[]),
        chain(Scenario::new("default"), true).delete(a, Value::Null).leaves(&[]),
        chain(Scenario::new("foreground"), true).delete(a, delete("Foreground")).leaves(&[]),
        chain(Scenario::new("foreground-unblocked"), false).delete(a, delete("Foreground")).leaves(&[]),
        chain(Scenario::new("orphan"), true).delete(a, delete("Orphan")).leaves(&["configmaps/c", "secrets/b"]),
        pinned(Scenario::new("foreground-waits"), true)
            .delete(a, delete("Foreground"))
            .leaves(&["configmaps/a", "secrets/b"]),
        pinned(Scenario::new("foreground-does-not-wait"), false).delete(a, delete("Foreground")).leaves(&["secrets/b"]),
        pinned(Scenario::new("foreground-ends"), true)
            .delete(a, delete("Foreground"))
            .patch("secrets/b", release.clone())
            .leaves(&[]),
        pinned(Scenario::new("foreground-unblocked-later"), true)
            .delete(a, delete("Foreground"))
            .patch("secrets/b", json!({ "metadata": { "ownerReferences": null } }))
            .leaves(&["secrets/b"]),
        two_owners(Scenario::new("one-owner-is-left"))
            .delete(a, delete("Background"))
            .leaves(&["configmaps/b", "secrets/c"]),
        two_owners(Scenario::new("one-owner-waits"))
            .delete(a, delete("Foreground"))
            .leaves(&["configmaps/b", "secrets/c"]),
        two_owners(Scenario::new("no-owner-is-left"))
            .delete(a, delete("Background"))
            .delete("configmaps/b", delete("Background"))
            .leaves(&[]),
        Scenario::new("other-uid")
            .create(config("$namespace", "a"))
            .create(owned(
                secret("$namespace", "b"),
                &[json!({
                    "apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "6c84fb90-12c4-11e1-840d-7b25c5ee775a",
                })],
            ))
            .leaves(&["configmaps/a"]),
        Scenario::new("other-namespace")
            .create(config("default", "other-namespace-a"))
            .create(owned(secret("$namespace", "b"), &[owner("ConfigMap", "other-namespace-a", false)]))
            .leaves(&[]),
        Scenario::new("owner-of-the-cluster")
            .create(object("namespaces", "", "owner-of-all"))
            .create(owned(secret("$namespace", "b"), &[owner("Namespace", "owner-of-all", false)]))
            .leaves(&["secrets/b"]),
        Scenario::new("unknown-kind")
            .create(owned(
                secret("$namespace", "b"),
                &[json!({
                    "apiVersion": "none.example.com/v1", "kind": "Nothing", "name": "a", "uid": "1",
                })],
            ))
            .leaves(&["secrets/b"]),
        Scenario::new("recreated")
            .create(config("$namespace", "a"))
            .create(finalized(owned(secret("$namespace", "b"), &[owner("ConfigMap", "a", true)])))
            .delete(a, delete("Background"))
            .create(config("$namespace", "a"))
            .leaves(&["configmaps/a", "secrets/b"]),
        chain(Scenario::new("circle"), true)
            .patch("configmaps/a", json!({ "metadata": { "ownerReferences": [owner("ConfigMap", "c", true)] } }))
            .delete(a, delete("Foreground"))
            .leaves(&[]),
        Scenario::new("finalizer-of-the-dependent")
            .create(config("$namespace", "a"))
            .create({
                let mut middle = owned(secret("$namespace", "b"), &[owner("ConfigMap", "a", false)]);
                middle["metadata"]["finalizers"] = json!(["orphan"]);
                middle
            })
            .create(owned(config("$namespace", "c"), &[owner("Secret", "b", false)]))
            .delete(a, delete("Background"))
            .leaves(&["configmaps/c"]),
    ];
    compare(&scenarios, &["garbage-collector-controller"], |server| server.with_garbage_collection()).await;
}

#[tokio::test]
async fn namespaces_are_emptied() {
    let namespace = "/api/v1/namespaces/$namespace";
    let scenarios = [
        Scenario::new("empty").delete(namespace, Value::Null).leaves(&[]),
        Scenario::new("with-content")
            .create(config("$namespace", "a"))
            .create(secret("$namespace", "b"))
            .create(object("pods", "$namespace", "c"))
            .delete(namespace, Value::Null)
            .leaves(&[]),
        Scenario::new("with-finalizers")
            .create(finalized(config("$namespace", "a")))
            .create(finalized(config("$namespace", "b")))
            .create(secret("$namespace", "c"))
            .delete(namespace, Value::Null)
            .create(config("$namespace", "too-late"))
            .leaves(&["configmaps/a", "configmaps/b"]),
        Scenario::new("pods-are-first")
            .create(finalized(object("pods", "$namespace", "a")))
            .create(secret("$namespace", "b"))
            .delete(namespace, Value::Null)
            .leaves(&["pods/a", "secrets/b"]),
        Scenario::new("released")
            .create(finalized(config("$namespace", "a")))
            .delete(namespace, Value::Null)
            .patch("configmaps/a", json!({ "metadata": { "finalizers": null } }))
            .leaves(&[]),
    ];
    compare(&scenarios, &["namespace-controller"], |server| server.with_namespace_deletion()).await;
}
