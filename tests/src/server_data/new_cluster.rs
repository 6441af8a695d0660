//! The objects that a new cluster has before anyone has written one.

use std::{path::PathBuf, time::Duration};

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::{ControlPlane, Request};

/// Objects of a resource that every cluster has.
struct Objects {
    /// The name of the collection, `plural.group`.
    collection: &'static str,
    path: &'static str,
    is_initial: fn(&Value) -> bool,
    /// How many there are: the server creates some after it is ready.
    count: usize,
}

const LEASE: &str = "apiserver-";

fn has_name(object: &Value, names: &[&str]) -> bool {
    object["metadata"]["name"].as_str().is_some_and(|name| names.contains(&name))
}

const OBJECTS: [Objects; 10] = [
    Objects {
        collection: "namespaces",
        path: "/api/v1/namespaces",
        is_initial: |it| has_name(it, &["default", "kube-node-lease", "kube-public", "kube-system"]),
        count: 4,
    },
    Objects {
        collection: "services",
        path: "/api/v1/namespaces/default/services",
        is_initial: |it| has_name(it, &["kubernetes"]),
        count: 1,
    },
    Objects {
        collection: "configmaps",
        path: "/api/v1/namespaces/kube-system/configmaps",
        is_initial: |it| has_name(it, &["kube-apiserver-legacy-service-account-token-tracking"]),
        count: 1,
    },
    Objects {
        collection: "leases.coordination.k8s.io",
        path: "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
        is_initial: |it| it["metadata"]["name"].as_str().is_some_and(|name| name.starts_with(LEASE)),
        count: 1,
    },
    Objects {
        collection: "servicecidrs.networking.k8s.io",
        path: "/apis/networking.k8s.io/v1/servicecidrs",
        is_initial: |it| has_name(it, &["kubernetes"]),
        count: 1,
    },
    Objects {
        collection: "ipaddresses.networking.k8s.io",
        path: "/apis/networking.k8s.io/v1/ipaddresses",
        is_initial: |it| it["spec"]["parentRef"]["name"] == "kubernetes",
        count: 1,
    },
    Objects {
        collection: "priorityclasses.scheduling.k8s.io",
        path: "/apis/scheduling.k8s.io/v1/priorityclasses",
        is_initial: |it| has_name(it, &["system-cluster-critical", "system-node-critical"]),
        count: 2,
    },
    Objects {
        collection: "flowschemas.flowcontrol.apiserver.k8s.io",
        path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
        is_initial: is_updated_by_the_server,
        count: 11,
    },
    Objects {
        collection: "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
        path: "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
        is_initial: is_updated_by_the_server,
        count: 8,
    },
    Objects {
        collection: "apiservices.apiregistration.k8s.io",
        path: "/apis/apiregistration.k8s.io/v1/apiservices",
        is_initial: |it| it["metadata"]["labels"]["kube-aggregator.kubernetes.io/automanaged"] == "onstart",
        count: 22,
    },
];

fn is_updated_by_the_server(object: &Value) -> bool {
    object["metadata"]["annotations"]["apf.kubernetes.io/autoupdate-spec"].is_string()
}

/// The file with a line for each object: its collection, its namespace, its name, and it as JSON, in which placeholders stand for its
/// UID, its version and times.
pub fn path() -> PathBuf {
    super::data_file("new_cluster.tsv")
}

/// The contents of the file.
///
/// # Errors
///
/// If the API server does not have the objects.
pub async fn lines(plane: &ControlPlane) -> Result<String> {
    let mut lines = String::new();
    for objects in OBJECTS {
        for mut object in objects.read(plane).await? {
            normalize(&mut object);
            let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
            lines += &format!("{}\t{}\t{}\t{object}\n", objects.collection, text("namespace"), text("name"));
        }
    }
    Ok(lines)
}

impl Objects {
    /// Reads the objects, once the server has created all of them and reported their status.
    async fn read(&self, plane: &ControlPlane) -> Result<Vec<Value>> {
        const ATTEMPTS: usize = 50;
        const INTERVAL: Duration = Duration::from_millis(200);
        for _ in 0..ATTEMPTS {
            let list = plane.raw(Request::get(self.path)).await;
            ensure!(list.is_success(), "{}: {}", self.path, list.body);
            let kind = list.body["kind"].as_str().unwrap_or_default().trim_end_matches("List");
            let mut objects: Vec<Value> = list.body["items"].as_array().cloned().unwrap_or_default();
            objects.retain(self.is_initial);
            if objects.len() == self.count && objects.iter().all(|object| self.is_reported(object)) {
                for object in &mut objects {
                    object["apiVersion"] = list.body["apiVersion"].clone();
                    object["kind"] = kind.into();
                }
                return Ok(objects);
            }
            tokio::time::sleep(INTERVAL).await;
        }
        anyhow::bail!("{}: there are not {} objects", self.path, self.count)
    }

    /// Whether a controller has reported the status of an object, if one does.
    fn is_reported(&self, object: &Value) -> bool {
        const REPORTED: [&str; 3] = ["servicecidrs", "flowschemas", "apiservices"];
        let plural = self.collection.split('.').next().unwrap_or_default();
        !REPORTED.contains(&plural) || object["status"]["conditions"].is_array()
    }
}

/// Replaces what differs between clusters.
fn normalize(object: &mut Value) {
    /// The port of a cluster.
    const PORT: u16 = 6443;
    let metadata = &mut object["metadata"];
    metadata["uid"] = "$uid".into();
    metadata["resourceVersion"] = "$version".into();
    if let Some(entries) = metadata["managedFields"].as_array_mut() {
        for entry in entries.iter_mut().filter(|entry| entry["manager"] == "control-plane") {
            entry["manager"] = "kube-apiserver".into();
        }
        // They are ordered by time, of which a second may begin between two writes.
        entries.sort_by_key(ToString::to_string);
    }
    if object["kind"] == "Service" {
        object["spec"]["ports"][0]["targetPort"] = PORT.into();
    }
    if object["kind"] == "ConfigMap" {
        object["data"]["since"] = "$date".into();
    }
    if object["kind"] == "Lease" {
        // The name and the identity are those of the machine.
        let name = format!("{LEASE}crdkit");
        object["spec"]["holderIdentity"] = format!("{name}_$uid").into();
        object["spec"]["renewTime"] = "$microtime".into();
        object["metadata"]["name"] = name.into();
        object["metadata"]["labels"]["kubernetes.io/hostname"] = "localhost".into();
        object["metadata"]["annotations"]["kubernetes.io/peer-advertise-address"] = format!("127.0.0.1:{PORT}").into();
    }
    hide_times(object);
}

fn hide_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match name.as_str() {
                    "creationTimestamp" | "lastTransitionTime" | "time" if value.is_string() => *value = "$time".into(),
                    _ => hide_times(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_times),
        _ => {}
    }
}
