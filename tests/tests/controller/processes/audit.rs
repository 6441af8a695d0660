//! The audit log of the API server, which shows who has written.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::PathBuf,
    time::Duration,
};

use crdkit_tests::ControlPlane;
use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The field manager of the test's own writes.
pub(super) const MANAGER: &str = "somebody-else";

/// A control plane, and the log of its writes.
pub(super) struct Audited {
    pub(super) plane: ControlPlane,
    folder: TempDir,
}

/// Which object has a holder: all of them the leader, or those of a shard.
pub(super) enum Units {
    Leader {
        lease: String,
    },
    /// The shard of each object, by name.
    Shards(HashMap<String, u16>),
}

/// A write that the API server has stored.
struct Write {
    at: Timestamp,
    /// The position among all writes: etcd's revision.
    version: u64,
    resource: String,
    object: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(rename = "requestURI")]
    request_uri: String,
    object_ref: ObjectRef,
    response_status: Status,
    response_object: Option<Value>,
    stage_timestamp: Timestamp,
}

#[derive(Deserialize)]
struct ObjectRef {
    resource: String,
    namespace: String,
}

#[derive(Deserialize)]
struct Status {
    code: u16,
}

/// What a log shows of a namespace.
#[derive(Default)]
pub(super) struct Verdict {
    /// Writes by others than the holder, as of the moment at which the API server stored them.
    pub(super) violations: Vec<String>,
    /// The times of the writes for each object.
    pub(super) writes: BTreeMap<String, Vec<Timestamp>>,
    /// When a replica became a member of the shards again: it was stopped, or could not renew its lease in time.
    rejoins: Vec<Timestamp>,
    /// The latest membership of each replica.
    memberships: HashMap<String, String>,
    holders: HashMap<String, String>,
    /// When another process became the holder.
    pub(super) changes: Vec<String>,
}

impl Audited {
    /// Starts a control plane; `None` if there are no programs.
    pub(super) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let policy = json!({
            "apiVersion": "audit.k8s.io/v1", "kind": "Policy",
            "omitStages": ["RequestReceived"], "omitManagedFields": true,
            "rules": [
                {
                    "level": "RequestResponse",
                    "verbs": ["create", "update", "patch"],
                    "resources": [
                        { "group": "", "resources": ["secrets"] },
                        { "group": "coordination.k8s.io", "resources": ["leases"] },
                    ],
                },
                { "level": "None" },
            ],
        });
        fs::write(folder.path().join("policy.json"), policy.to_string()).unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let owned = [
            format!("--audit-policy-file={}", path("policy.json")),
            format!("--audit-log-path={}", path("audit.log")),
            // No rotation.
            "--audit-log-maxsize=100000".to_owned(),
            "--audit-log-mode=blocking".to_owned(),
            "--feature-gates=ShardedListAndWatch=true".to_owned(),
        ];
        let flags: Vec<&str> = owned.iter().map(String::as_str).collect();
        Some(Self { plane: ControlPlane::start_with(&flags)?, folder })
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("audit.log")
    }

    /// Checks the writes in a namespace so far.
    pub(super) fn check(&self, namespace: &str, units: &Units) -> Verdict {
        let log = fs::read_to_string(self.log()).unwrap();
        let in_namespace = format!("\"namespace\":\"{namespace}\"");
        // The last line may not be complete.
        let lines = log.split_inclusive('\n').filter(|line| line.ends_with('\n') && line.contains(&in_namespace));
        let events = lines.map(|line| serde_json::from_str::<Event>(line).unwrap());
        let mut writes: Vec<_> =
            events.filter(|event| event.object_ref.namespace == namespace).filter_map(Event::into_write).collect();
        writes.sort_unstable_by_key(|write| write.version);
        let mut verdict = Verdict::default();
        writes.iter().for_each(|write| verdict.record(write, units));
        verdict
    }
}

impl Event {
    /// Returns the write of a replica.
    fn into_write(self) -> Option<Write> {
        if self.is_of_test() {
            return None;
        }
        let object = self.response_object.filter(|_| self.response_status.code < 300)?;
        let version = object["metadata"]["resourceVersion"].as_str()?.parse().unwrap();
        Some(Write { at: self.stage_timestamp, version, resource: self.object_ref.resource, object })
    }

    /// Whether the test has written, which makes no process the holder.
    fn is_of_test(&self) -> bool {
        let query = self.request_uri.split_once('?').map_or("", |(_, query)| query);
        let mut parameters = form_urlencoded::parse(query.as_bytes());
        parameters.any(|(key, value)| key == "fieldManager" && value == MANAGER)
    }
}

impl Units {
    /// Returns the unit whose holder a Lease states.
    fn of_lease(&self, lease: &Value) -> Option<String> {
        match self {
            Self::Leader { lease: name } => (lease["metadata"]["name"] == **name).then(|| name.clone()),
            Self::Shards(_) => lease["metadata"]["labels"]["shards.crdkit.dev/shard"].as_str().map(str::to_owned),
        }
    }

    fn of_object(&self, name: &str) -> String {
        match self {
            Self::Leader { lease } => lease.clone(),
            Self::Shards(shards) => shards[name].to_string(),
        }
    }
}

impl Verdict {
    fn record(&mut self, write: &Write, units: &Units) {
        let object = &write.object;
        if write.resource == "leases" {
            let holder = object["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned();
            let Some(unit) = units.of_lease(object) else {
                let identity = holder.split('_').next().unwrap_or_default().to_owned();
                let before = self.memberships.insert(identity, holder.clone());
                self.rejoins.extend(before.is_some_and(|before| before != holder).then_some(write.at));
                return;
            };
            let before = self.holders.insert(unit.clone(), holder.clone());
            if before.as_ref() != Some(&holder) {
                self.changes.push(format!("{}: `{holder}` holds {unit}", write.at));
            }
            return;
        }
        let metadata = &object["metadata"];
        let (Some(name), Some(writer)) = (metadata["name"].as_str(), metadata["annotations"]["writer"].as_str()) else {
            return;
        };
        let holder = self.holders.get(&units.of_object(name)).cloned().unwrap_or_default();
        // A membership of shards is the identity with a suffix.
        if holder.split('_').next() != Some(writer) {
            let Write { at, version, .. } = write;
            self.violations.push(format!("`{writer}` wrote for {name} of `{holder}` at {at}, version {version}"));
        }
        self.writes.entry(name.to_owned()).or_default().push(write.at);
    }

    /// Returns the objects that were not written in time: each within `limit`, for each impairment meanwhile.
    pub(super) fn gaps(&self, impairments: &[Timestamp], until: Timestamp, limit: Duration) -> Vec<String> {
        let gaps = self.writes.iter().flat_map(|(name, times)| {
            let ends = times.iter().skip(1).copied().chain([until]);
            let gaps: Vec<_> = times.iter().copied().zip(ends).map(move |(from, to)| (name, from, to)).collect();
            gaps
        });
        let late = gaps.filter(|(_, from, to)| {
            let meanwhile = impairments.iter().chain(&self.rejoins).filter(|at| from <= *at && *at <= to).count();
            let allowed = limit * u32::try_from(meanwhile.max(1)).unwrap();
            to.duration_since(*from) > allowed.try_into().unwrap()
        });
        late.map(|(name, from, to)| format!("{name} was not written from {from} to {to}")).collect()
    }
}
