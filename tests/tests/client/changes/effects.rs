//! A change of a definition, and what it changes for objects and requests.

use std::time::Duration;

use crdkit::{
    Client,
    compare::{Audience, Change, ChangeSeverity, set_changes},
};
use crdkit_tests::{Request, unique_group};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::{
    install::definition,
    served::client,
    server::{Server, server},
};

const MERGE_PATCH: &str = "application/merge-patch+json";

/// A change of a definition.
pub(super) struct Case {
    /// The name of the check that reports it.
    pub(super) check: &'static str,
    pub(super) severity: ChangeSeverity,
    /// The members of the spec of the old definition that differ from those of [`definition`].
    pub(super) old: Value,
    /// The same of the new definition; null if the definition is deleted.
    pub(super) new: Value,
    /// The spec of an object that is stored under the old definition, if it accepts that.
    pub(super) spec: Value,
    pub(super) effect: Effect,
}

#[derive(Clone, Debug)]
pub(super) enum Effect {
    /// What a request returns is another value after the change.
    Changes { probe: Probe, before: Value, after: Value },
    /// The API server rejects the change, with this text in the message.
    ChangeRejected(&'static str),
}

/// A request, and what of its response is of interest. Paths start with the version.
#[derive(Clone, Debug)]
pub(super) enum Probe {
    /// Whether an object with the spec of the case is accepted.
    IsAccepted,
    /// The value at a path of a new object with the spec of the case.
    Created(&'static str),
    /// The value at a path of the stored object, after a write that does not change it.
    Rewritten(&'static str),
    /// The spec of an object to which two field managers have applied one spec each.
    Applied([Value; 2]),
    /// Whether the status of the stored object changes with a write of the object.
    WritesStatus,
    /// Whether a read succeeds.
    IsFound(&'static str),
    /// The value at a path of the response to a read.
    Read(&'static str, &'static str),
    /// The columns of the stored object.
    Columns,
    /// Whether reads of the object return a warning.
    Warns,
    /// The versions in which objects may be stored.
    StoredVersions,
}

impl Effect {
    pub(super) fn of(probe: Probe, before: impl Into<Value>, after: impl Into<Value>) -> Self {
        Self::Changes { probe, before: before.into(), after: after.into() }
    }

    /// A request that was accepted is rejected.
    pub(super) fn rejected() -> Self {
        Self::of(Probe::IsAccepted, true, false)
    }

    /// A request that was rejected is accepted.
    pub(super) fn accepted() -> Self {
        Self::of(Probe::IsAccepted, false, true)
    }

    /// A request is accepted before and after.
    pub(super) fn same() -> Self {
        Self::of(Probe::IsAccepted, true, true)
    }

    pub(super) fn rewritten(path: &'static str, before: Value, after: Value) -> Self {
        Self::of(Probe::Rewritten(path), before, after)
    }

    /// A path that was found is no longer found.
    pub(super) fn lost(path: &'static str) -> Self {
        Self::of(Probe::IsFound(path), true, false)
    }
}

struct Vms {
    server: Server,
    client: Client,
    group: String,
    spec: Value,
}

impl Vms {
    fn path(&self, rest: &str) -> String {
        match rest.split_once('/') {
            Some((version, name)) => {
                let separator = if name.is_empty() || name.starts_with('?') { "" } else { "/" };
                format!("/apis/{}/{version}/namespaces/default/vms{separator}{name}", self.group)
            }
            None => format!("/apis/{}/{rest}", self.group),
        }
    }

    fn definition_path(&self) -> String {
        format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/vms.{}", self.group)
    }

    fn object(&self, name: &str, spec: &Value) -> Value {
        let api_version = format!("{}/v1", self.group);
        json!({ "apiVersion": api_version, "kind": "Vm", "metadata": { "name": name }, "spec": spec })
    }

    async fn create(&self, name: &str) -> crdkit_tests::Answer {
        let collection = format!("/apis/{}/v1/namespaces/default/vms", self.group);
        self.server.raw(Request::post(collection, self.object(name, &self.spec))).await
    }

    async fn apply(&self, name: &str, manager: usize, spec: &Value) -> Value {
        let path = self.path(&format!("v1/{name}?force=true&fieldManager=manager{manager}"));
        self.server.raw(Request::apply(path, self.object(name, spec))).await.body["spec"].take()
    }

    async fn patch(&self, patch: Value) -> Value {
        self.server.raw(Request::patch(self.path("v1/old"), MERGE_PATCH, patch)).await.body
    }

    /// Sends the request of a probe. The attempt makes each of them another one.
    async fn observe(&self, probe: &Probe, attempt: usize) -> Value {
        let name = format!("new{attempt}");
        let at = |body: &Value, path: &str| body.pointer(path).cloned().unwrap_or_default();
        let read = |path: &str| self.server.raw(Request::get(self.path(path)));
        match probe {
            Probe::IsAccepted => json!(self.create(&name).await.is_success()),
            Probe::Created(path) => at(&self.create(&name).await.body, path),
            Probe::Rewritten(path) => {
                let labels = json!({ "metadata": { "labels": { "attempt": attempt.to_string() } } });
                at(&self.patch(labels).await, path)
            }
            Probe::Applied([first, second]) => {
                self.apply(&name, 1, first).await;
                self.apply(&name, 2, second).await
            }
            Probe::WritesStatus => {
                let written = self.patch(json!({ "status": { "n": attempt } })).await;
                json!(at(&written, "/status/n") == attempt)
            }
            Probe::IsFound(path) => json!(read(path).await.is_success()),
            Probe::Read(path, pointer) => at(&read(path).await.body, pointer),
            Probe::Columns => {
                let request = Request::get(self.path("v1/old")).accept("application/json;as=Table;v=v1;g=meta.k8s.io");
                let table = self.server.raw(request).await.body;
                let columns = table["columnDefinitions"].as_array().into_iter().flatten();
                columns.map(|column| column["name"].clone()).collect()
            }
            Probe::Warns => json!(!read("v1/old").await.warnings.is_empty()),
            Probe::StoredVersions => {
                let crd = self.server.raw(Request::get(self.definition_path())).await.body;
                at(&crd, "/status/storedVersions")
            }
        }
    }

    /// Waits until the request of a probe returns a value.
    async fn expect(&self, probe: &Probe, attempts: std::ops::Range<usize>, expected: &Value, about: &str) {
        let mut observed = Value::Null;
        for attempt in attempts {
            observed = self.observe(probe, attempt).await;
            if observed == *expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{about}: {probe:?} returns {observed}, not {expected}");
    }

    async fn change(&self, new: Option<&CustomResourceDefinition>) {
        match new {
            Some(new) => {
                self.client.install([new.clone()]).allow_data_loss().await.unwrap();
            }
            None => assert!(self.server.raw(Request::delete(self.definition_path())).await.is_success()),
        }
    }

    async fn expect_rejection(&self, new: &CustomResourceDefinition, message: &str) {
        let path = format!("{}?dryRun=All", self.definition_path());
        let answer = self.server.raw(Request::patch(path, MERGE_PATCH, json!({ "spec": new.spec }))).await;
        assert!(!answer.is_success() && answer.body["message"].to_string().contains(message), "{answer:?}");
    }
}

fn with_members(group: &str, members: &Value) -> CustomResourceDefinition {
    let members = members.as_object().unwrap().clone();
    definition(group, |crd| crd["spec"].as_object_mut().unwrap().extend(members))
}

fn reported(case: &Case, old: &CustomResourceDefinition, new: Option<&CustomResourceDefinition>) -> Change {
    let changes = set_changes(std::slice::from_ref(old), new.map_or(&[], std::slice::from_ref)).remove(0).changes;
    let is_reported = |change: &Change| change.check.name() == case.check && change.severity() == case.severity;
    let change = changes.iter().find(|change| is_reported(change));
    change.unwrap_or_else(|| panic!("{} ({}) is not in {changes:?}", case.check, case.severity.name())).clone()
}

pub(super) async fn check(case: Case) {
    let group = unique_group();
    let old = with_members(&group, &case.old);
    let new = (!case.new.is_null()).then(|| with_members(&group, &case.new));
    let change = reported(&case, &old, new.as_ref());
    let (Some(server), Some(client)) = (server(), client().await) else {
        return;
    };
    let vms = Vms { server, client: client.field_manager(&group), group, spec: case.spec };
    vms.client.install([old]).await.unwrap();
    let is_stored = vms.create("old").await.is_success();
    let about = change.to_string();
    match &case.effect {
        Effect::Changes { probe, before, after } => {
            let never_accepted = matches!(probe, Probe::IsAccepted) && *before == false;
            assert_eq!(is_stored, !never_accepted, "{about}");
            vms.expect(probe, 0..3, before, &about).await;
            vms.change(new.as_ref()).await;
            vms.expect(probe, 3..100, after, &about).await;
            if matches!(probe, Probe::IsAccepted) && *after == false {
                assert!(change.is_breaking() && change.affects().contains(&Audience::Writers), "{about}");
            }
        }
        Effect::ChangeRejected(message) => {
            assert!(is_stored, "{about}");
            vms.expect_rejection(&new.unwrap(), message).await;
        }
    }
}
