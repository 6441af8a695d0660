//! What differs between kinds: the registry strategies of the server.

use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    admission::configuration,
    defaults, definitions, go_types,
    managed_fields::FieldPaths,
    metadata,
    resource::Resource,
    types::{self, DecodeError},
};

/// The grace period of a Pod that sets none, in seconds.
const POD_GRACE_PERIOD: i64 = 30;

/// How long an object waits for what runs it, before it is removed.
pub(super) enum Grace {
    /// The kind has no grace period, or the one of the object is over.
    None,
    /// The object waits already, and no longer than is requested.
    Pending,
    Until {
        /// The period that was requested; the object is removed at once if it is 0.
        requested: i64,
        seconds: i64,
        /// The end of the period.
        time: String,
    },
}

const fn at_least_a_second_if_negative(seconds: i64) -> i64 {
    if seconds < 0 { 1 } else { seconds }
}

fn text(second: i64) -> String {
    Timestamp::from_second(second).unwrap_or_default().to_string()
}

/// Returns a period that ends earlier than the one until `time`, but not in the past.
fn shortened(time: &str, current: i64, requested: i64, now: Timestamp) -> Grace {
    let end = time.parse::<Timestamp>().map_or(0, Timestamp::as_second) - current + requested;
    let is_over = Timestamp::from_second(end).is_ok_and(|end| end < now);
    let (seconds, end) = if is_over { (requested.min(1), now.as_second()) } else { (requested, end) };
    Grace::Until { requested, seconds, time: text(end) }
}

impl Resource {
    /// Returns whether the object is `plural` of a built-in `group`.
    fn is(&self, group: &str, plurals: &[&str]) -> bool {
        !self.is_custom && self.group == group && plurals.contains(&self.names.plural.as_str())
    }

    pub(super) fn list_kind(&self) -> String {
        self.names.list_kind.clone().unwrap_or_else(|| format!("{}List", self.names.kind))
    }

    pub(super) fn is_definition(&self) -> bool {
        self.is("apiextensions.k8s.io", &["customresourcedefinitions"])
    }

    pub(super) fn is_signing_request(&self) -> bool {
        self.is("certificates.k8s.io", &["certificatesigningrequests"])
    }

    pub(super) fn is_namespace(&self) -> bool {
        self.is("", &["namespaces"])
    }

    /// Returns whether objects are requests that are answered and not stored.
    pub(super) fn is_review(&self) -> bool {
        !self.is_custom && matches!(self.group.as_str(), "authorization.k8s.io" | "authentication.k8s.io")
    }

    pub(super) fn is_binding(&self) -> bool {
        self.is("", &["bindings"])
    }

    pub(super) fn is_component_status(&self) -> bool {
        self.is("", &["componentstatuses"])
    }

    /// Returns whether the server stores the objects, instead of answering requests for them on its own.
    pub(super) fn is_stored(&self) -> bool {
        !(self.is_review() || self.is_binding() || self.is_component_status())
    }

    fn is_pod(&self) -> bool {
        self.is("", &["pods"])
    }

    /// Returns whether the objects are those of a resource in the core group, which has them in another form.
    pub(super) fn is_stored_in_core(&self) -> bool {
        self.is("events.k8s.io", &["events"])
    }

    /// Returns whether the server counts changes of the desired state in `metadata.generation`.
    pub(super) fn has_generation(&self) -> bool {
        self.is_custom
            || self.is("", &["pods", "podtemplates", "replicationcontrollers"])
            || self.is("apps", &["deployments", "replicasets", "statefulsets", "daemonsets"])
            || self.is("autoscaling", &["horizontalpodautoscalers"])
            || self.is("batch", &["jobs", "cronjobs"])
            || self.is("networking.k8s.io", &["ingresses", "ingressclasses", "networkpolicies"])
            || self.is("policy", &["poddisruptionbudgets"])
            || self.is("resource.k8s.io", &["deviceclasses", "devicetaintrules", "resourceslices"])
            || self.is("discovery.k8s.io", &["endpointslices"])
            || self.is("flowcontrol.apiserver.k8s.io", &["flowschemas", "prioritylevelconfigurations"])
            || self.is("scheduling.k8s.io", &["priorityclasses"])
            || self.group == "admissionregistration.k8s.io"
            || self.group == "apiextensions.k8s.io"
    }

    /// Returns whether the generation of an object changes after its creation.
    pub(super) fn counts_changes(&self) -> bool {
        !self.is("scheduling.k8s.io", &["priorityclasses"])
    }

    /// Returns whether the server counts changes of annotations as those of the desired state.
    pub(super) fn counts_annotations(&self) -> bool {
        self.is("apps", &["deployments"])
    }

    /// Returns the fields that the managers of an object with a status do not own: the `GetResetFields` of the server's strategies.
    pub(super) fn fields_beside_object(&self) -> FieldPaths {
        // The server does not let a client change what it asks for.
        if self.is_signing_request() { &[&["spec"], &["status"]] } else { &[&["status"]] }
    }

    /// Returns the fields that the managers of a status do not own: the `GetResetFields` of the server's strategies.
    pub(super) fn fields_beside_status(&self) -> FieldPaths {
        if self.is("apps", &["deployments"]) {
            return &[&["spec"], &["metadata", "labels"]];
        }
        if self.is_signing_request() {
            return &[&["spec"], &["status", "conditions"]];
        }
        if self.is_pod() {
            return &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]];
        }
        if self.writes_metadata_with_status() && !self.is_definition() {
            return &[&["spec"]];
        }
        &[&["metadata"], &["spec"]]
    }

    /// Returns the members of metadata that a write of the status does not change; `None` if it changes no metadata.
    pub(super) fn metadata_beside_status(&self) -> Option<&'static [&'static str]> {
        if !self.writes_metadata_with_status() {
            return None;
        }
        if self.is("apps", &["deployments"]) {
            return Some(&["labels"]);
        }
        Some(if self.is_pod() { &["ownerReferences"] } else { &[] })
    }

    /// Returns whether a write of the status also changes labels and the like, as it does for the older kinds of Kubernetes. The newer
    /// ones call `ResetObjectMetaForStatus`; the server of definitions calls it without the old object.
    fn writes_metadata_with_status(&self) -> bool {
        !self.is_custom
            && (matches!(&*self.group, "" | "apps" | "autoscaling" | "batch" | "policy")
                || self.is("networking.k8s.io", &["ingresses"])
                || self.is_signing_request()
                || self.is_definition())
    }

    /// Returns whether an update of an object that does not exist creates it.
    pub(super) fn allows_create_on_update(&self) -> bool {
        self.is("", &["endpoints", "events", "limitranges", "services"])
            || self.is("node.k8s.io", &["runtimeclasses"])
            || self.is("events.k8s.io", &["events"])
            || self.is("coordination.k8s.io", &["leases"])
            || self.is("autoscaling", &[])
            || self.group == "rbac.authorization.k8s.io"
    }

    /// Returns whether an update needs a version.
    pub(super) fn needs_version_on_update(&self) -> bool {
        self.is_custom
            || self.is_definition()
            || self.is("coordination.k8s.io", &["leases"])
            || self.is("policy", &["poddisruptionbudgets"])
            || self.is("storage.k8s.io", &["csidrivers", "csinodes", "csistoragecapacities", "volumeattachments"])
            || self.is("certificates.k8s.io", &["clustertrustbundles", "podcertificaterequests"])
            || self.is("storagemigration.k8s.io", &["storageversionmigrations"])
            || !self.is_custom && self.group == "admissionregistration.k8s.io"
            || self.is("node.k8s.io", &["runtimeclasses"])
    }

    /// Returns whether a deletion returns the object instead of a Status.
    pub(super) fn is_returned_after_deletion(&self) -> bool {
        self.is(
            "",
            &[
                "persistentvolumeclaims",
                "persistentvolumes",
                "pods",
                "podtemplates",
                "resourcequotas",
                "serviceaccounts",
                "services",
            ],
        )
    }

    /// Returns how long the object waits after a deletion at a time. Nothing runs Pods, so that only those that are bound to a node
    /// are waited for.
    pub(super) fn grace(&self, object: &Value, requested: Option<i64>, now: Timestamp) -> Grace {
        if !self.is_pod() {
            return Grace::None;
        }
        let requested = requested.map(at_least_a_second_if_negative);
        let metadata = &object["metadata"];
        if let Some(time) = metadata["deletionTimestamp"].as_str() {
            let current = metadata["deletionGracePeriodSeconds"].as_i64().unwrap_or_default();
            return match requested {
                _ if current == 0 => Grace::None,
                Some(requested) if requested < current => shortened(time, current, requested, now),
                _ => Grace::Pending,
            };
        }
        let is_over = matches!(object["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
        let is_bound = object["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
        let default = || object["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(POD_GRACE_PERIOD);
        let seconds = if is_bound && !is_over {
            requested.unwrap_or_else(|| at_least_a_second_if_negative(default()))
        } else {
            0
        };
        Grace::Until { requested: seconds, seconds, time: text(now.as_second() + seconds) }
    }

    /// Returns whether `spec.finalizers` delay the removal, as for namespaces.
    pub(super) fn is_finalized_by_spec(&self, object: &Value) -> bool {
        self.is_namespace() && object["spec"]["finalizers"].as_array().is_some_and(|list| !list.is_empty())
    }

    /// Shows in the status that an object is being deleted.
    pub(super) fn mark_terminating(&self, object: &mut Value) {
        if self.is_namespace() {
            object["status"]["phase"] = "Terminating".into();
        }
    }

    /// Reads an object of a request as one of a version: a built-in kind by its type, and of others the metadata. Returns the
    /// paths of unknown fields, which are removed.
    pub(super) fn read(&self, version: usize, object: &mut Value) -> Result<Vec<String>, DecodeError> {
        let name = &self.versions[version].spec.name;
        match go_types::of_resource(&self.group, name, &self.names.kind) {
            Some(type_) if !self.is_custom && !self.is_definition() => {
                let unknown = types::decode(type_, object)?;
                if object["metadata"].is_null() {
                    object["metadata"] = json!({});
                }
                Ok(unknown)
            }
            _ => {
                let read = metadata::decode(&mut object["metadata"]);
                // Go reads built-in objects at once, and the metadata of others on its own.
                read.map_err(|problem| {
                    let is_nested = !self.is_custom;
                    let problem = if is_nested {
                        problem.replace("struct field ObjectMeta.", "struct field ObjectMeta.metadata.")
                    } else {
                        problem
                    };
                    problem.into()
                })
            }
        }
    }

    /// Returns whether a new object keeps the status of the request.
    pub(super) fn keeps_status_on_create(&self) -> bool {
        self.is("", &["nodes"])
    }

    /// Sets the defaults of a built-in kind.
    pub(super) fn set_defaults(&self, object: &mut Value) {
        if !self.is_custom {
            defaults::set(self, object);
        }
        if self.is_definition() {
            definitions::set_defaults(object);
        }
        configuration::set_defaults(self, object);
        if self.is_namespace() {
            let name = object["metadata"]["name"].clone();
            object["metadata"]["labels"]["kubernetes.io/metadata.name"] = name;
        }
    }

    /// Sets what the admission plugins of the server set in a built-in kind.
    pub(super) fn admit(&self, object: &mut Value) {
        if !self.is_custom {
            defaults::admit(self, object);
        }
    }

    /// Keeps what the server has chosen for the old object.
    pub(super) fn prepare_update(&self, old: &Value, new: &mut Value) {
        if !self.is_custom {
            defaults::prepare_update(self, old, new);
        }
    }

    /// Sets what the server sets in each new object of a kind.
    pub(super) fn initialize(&self, object: &mut Value) {
        if self.is_namespace() {
            object["spec"]["finalizers"] = json!(["kubernetes"]);
            object["status"]["phase"] = "Active".into();
        }
        if !self.is_custom {
            defaults::initialize(self, object);
        }
    }
}
