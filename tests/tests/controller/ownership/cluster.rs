//! A cluster in which a schedule runs, and what it must have in the end.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use crdkit::{Client, client::Patch};
use crdkit_api_server::{ApiServer, JournalEntry, Requests};
use http::{HeaderValue, header::USER_AGENT};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::client::Body;
use serde_json::{Value, json};
use tokio::time::sleep;
use tower::ServiceExt;

use super::{
    operator::{Operator, RECOVERY, Tenant, TenantChild, TenantSpec},
    schedule::{CONTROLLERS, Child, Failure, Form, Kind, NAMESPACES, Schedule, Step, Target, Version},
};

/// The user agent of the operator.
const OPERATOR: &str = "operator";

/// Kind, namespace and name.
type Key = (Kind, String, String);

pub(super) struct Cluster {
    server: ApiServer,
    client: Client,
    is_elected: bool,
    operator: Option<Operator>,
    started: usize,
    /// The tenants that exist.
    specs: BTreeMap<usize, Vec<Child>>,
    /// What others made.
    foreign: BTreeMap<Key, Value>,
    /// The entries of the journal with which a process began.
    starts: Vec<usize>,
}

impl Cluster {
    pub(super) fn new(seed: u64) -> Self {
        let namespaces =
            NAMESPACES.map(|name| format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}\n"));
        let server = ApiServer::new()
            .with::<Tenant>()
            .with_garbage_collection()
            .keep_requests(usize::MAX)
            .with_objects(&namespaces.join("---\n"));
        let client = server.client();
        let (specs, foreign) = Default::default();
        // Their Leases make these schedules five times as long as the others.
        let is_elected = seed.is_multiple_of(32);
        Self { server, client, is_elected, operator: None, started: 0, specs, foreign, starts: Vec::new() }
    }

    /// Runs a schedule, and returns what is wrong in the end.
    pub(super) async fn run(mut self, schedule: &Schedule) -> Option<String> {
        self.set_spec(0, &[]).await;
        for step in &schedule.0 {
            self.take(step).await;
        }
        self.server.faults().clear();
        if self.operator.as_ref().is_none_or(Operator::has_ended) {
            self.start(Version::Old);
        }
        sleep(RECOVERY).await;
        let problem = self.difference().or_else(|| self.repeated_write());
        if problem.is_some() {
            return problem;
        }
        self.writes_of_a_run_without_changes().await
    }

    async fn take(&mut self, step: &Step) {
        match step {
            Step::Spec { tenant, children } => self.set_spec(*tenant, children).await,
            Step::Delete { tenant } => {
                if self.specs.remove(tenant).is_some() {
                    self.client.resources::<Tenant>().delete(&tenant_name(*tenant)).await.unwrap();
                }
            }
            Step::Change { pick } => self.change(*pick).await,
            Step::Remove { pick } => self.remove(*pick).await,
            Step::Make { form, kind, number } => self.make(*form, *kind, *number).await,
            Step::Fail { what, how, after, times } => self.fail(*what, *how, *after, *times),
            Step::Stop => {
                if let Some(operator) = self.operator.take() {
                    operator.stop().await;
                }
            }
            Step::Crash => {
                if let Some(operator) = self.operator.take() {
                    operator.crash().await;
                }
            }
            Step::Start(version) => {
                if self.operator.as_ref().is_none_or(Operator::has_ended) {
                    self.start(*version);
                }
            }
            Step::Replace(version) => self.replace(*version).await,
            Step::Sleep(millis) => sleep(Duration::from_millis(*millis)).await,
        }
    }

    fn start(&mut self, version: Version) {
        self.started += 1;
        self.starts.push(self.server.journal().len());
        let identity = format!("replica{}", self.started);
        self.operator = Some(Operator::start(&self.operator_client(), &identity, version, self.is_elected));
    }

    fn operator_client(&self) -> Client {
        let named = |mut request: http::Request<Body>| {
            request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(OPERATOR));
            request
        };
        kube::Client::new(self.server.service().map_request(named), "default").into()
    }

    async fn replace(&mut self, version: Version) {
        let old = self.operator.take();
        if self.is_elected {
            // The new one waits for the Lease of the old one.
            self.start(version);
            sleep(Duration::from_millis(500)).await;
        }
        if let Some(old) = old {
            old.stop().await;
        }
        self.starts.push(self.server.journal().len());
        if !self.is_elected {
            self.start(version);
        }
    }

    async fn set_spec(&mut self, tenant: usize, children: &[Child]) {
        let spec =
            TenantSpec { children: children.iter().map(|child| child_of(tenant, child)).collect(), generation: 0 };
        let tenants = self.client.resources::<Tenant>();
        if self.specs.insert(tenant, children.to_vec()).is_some() {
            let patch = Patch::merge(json!({ "spec": spec }));
            tenants.patch(&tenant_name(tenant), &patch).await.unwrap();
        } else {
            tenants.create(&Tenant::new(&tenant_name(tenant), spec)).await.unwrap();
        }
    }

    /// Returns the children that exist.
    fn children(&self) -> Vec<(Key, Value)> {
        self.objects().into_iter().filter(|((_, _, name), _)| name.starts_with("tenant")).collect()
    }

    fn pick(&self, pick: usize) -> Option<(Key, Value)> {
        let mut children = self.children();
        if children.is_empty() { None } else { Some(children.swap_remove(pick % children.len())) }
    }

    async fn change(&self, pick: usize) {
        let Some(((kind, namespace, name), _)) = self.pick(pick) else {
            return;
        };
        let others = self.client.field_manager("others");
        let changed = match kind {
            Kind::Config => {
                let patch = Patch::merge(json!({ "data": { "value": "changed" } }));
                others.resources::<ConfigMap>().namespace(&namespace).patch(&name, &patch).await.map(drop)
            }
            Kind::Secret => {
                let patch = Patch::merge(json!({ "data": { "value": "AAAA" } }));
                others.resources::<Secret>().namespace(&namespace).patch(&name, &patch).await.map(drop)
            }
        };
        // The operator may have deleted it.
        assert!(changed.as_ref().err().is_none_or(|error| error.is_not_found()), "{changed:?}");
    }

    async fn remove(&self, pick: usize) {
        let Some(((kind, namespace, name), _)) = self.pick(pick) else {
            return;
        };
        let _ = match kind {
            Kind::Config => self.client.resources::<ConfigMap>().namespace(&namespace).delete(&name).await.map(drop),
            Kind::Secret => self.client.resources::<Secret>().namespace(&namespace).delete(&name).await.map(drop),
        };
    }

    async fn make(&mut self, form: Form, kind: Kind, number: usize) {
        let tenant = self.client.resources::<Tenant>().get(&tenant_name(0)).await.unwrap();
        let (namespace, name) = (NAMESPACES[number % NAMESPACES.len()], format!("other-{number}"));
        let mut metadata = json!({});
        match form {
            Form::Free => {}
            Form::Owned => {
                metadata["ownerReferences"] = json!([{
                    "apiVersion": "owners.example.com/v1", "kind": "Tenant", "name": tenant_name(0),
                    "uid": tenant.metadata.uid, "controller": true,
                }]);
            }
            Form::Copy { pick } => {
                let of_tenant = |child: &&(Key, Value)| child.0.2.starts_with(&tenant_name(0));
                let all = self.children();
                let children: Vec<_> = all.iter().filter(of_tenant).collect();
                if let Some((_, child)) = children.get(pick % children.len().max(1)) {
                    for part in ["annotations", "ownerReferences"] {
                        metadata[part] = child["metadata"][part].clone();
                    }
                }
            }
        }
        metadata["name"] = name.clone().into();
        metadata["namespace"] = namespace.into();
        let made = match kind {
            Kind::Config => {
                let object: ConfigMap = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
                self.client.resources().namespace(namespace).create(&object).await.map(drop)
            }
            Kind::Secret => {
                let object: Secret = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
                self.client.resources().namespace(namespace).create(&object).await.map(drop)
            }
        };
        if made.is_ok() {
            self.foreign.insert((kind, namespace.to_owned(), name), Value::Null);
        }
    }

    fn fail(&self, what: Target, how: Failure, after: usize, times: usize) {
        let requests = match what {
            Target::Reads => Requests::reads(),
            Target::Applies => Requests::apply(),
            Target::Deletions => Requests::delete(),
            Target::All => Requests::all(),
        };
        // The requests of others succeed.
        let fault = self.server.faults().on(requests.user_agent(OPERATOR)).after(after).times(times);
        match how {
            Failure::Refused => fault.fail(500),
            Failure::Conflict => fault.conflict(),
            Failure::Disconnected => fault.disconnect(),
            Failure::ResponseLost => fault.lose_response(),
        };
    }

    /// Returns all ConfigMaps and Secrets.
    fn objects(&self) -> BTreeMap<Key, Value> {
        let of = |plural, kind| {
            let objects = self.server.snapshot().of_resource("", plural).with_uids().objects().into_iter();
            objects.map(move |object| {
                let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
                ((kind, text("namespace"), text("name")), object)
            })
        };
        of("configmaps", Kind::Config).chain(of("secrets", Kind::Secret)).collect()
    }

    /// Returns how the cluster differs from what the last specs describe.
    fn difference(&self) -> Option<String> {
        let version = self.operator.as_ref().map(|operator| operator.version);
        let mut expected = self.foreign.clone();
        for (tenant, children) in &self.specs {
            let applied = children.iter().filter(|child| child.kind == Kind::Config || version == Some(Version::Old));
            expected.extend(applied.map(|child| {
                let TenantChild { namespace, name, value, .. } = child_of(*tenant, child);
                ((child.kind, namespace, name), value.into())
            }));
        }
        let value = |object: &Value| match &object["data"]["value"] {
            Value::String(value) => value.replace("djA=", "v0").replace("djE=", "v1").replace("djI=", "v2").into(),
            _ => Value::Null,
        };
        let actual: BTreeMap<_, _> = self.objects().into_iter().map(|(key, object)| (key, value(&object))).collect();
        (actual != expected).then(|| format!("the cluster has {actual:#?}\nand not {expected:#?}"))
    }

    /// Returns a write that changed nothing, of an object that the same process had applied last.
    fn repeated_write(&self) -> Option<String> {
        let journal = self.server.journal();
        let mut applied = HashMap::<String, bool>::new();
        for (index, entry) in journal.iter().enumerate() {
            if self.starts.contains(&index) {
                applied.clear();
            }
            let request = entry.request();
            if !request.verb().is_write() || !["configmaps", "secrets"].contains(&request.resource()) {
                continue;
            }
            let is_apply = request.field_manager() == "tenants" && request.name().is_some();
            let is_known = applied.get(request.path()).copied().unwrap_or_default();
            if is_apply && is_known && is_success(entry) && entry.changes().is_empty() {
                return Some(format!("a repeated write: {entry}"));
            }
            applied.insert(request.path().to_owned(), is_apply && is_success(entry));
        }
        None
    }

    /// Reconciles all tenants again, and returns what is written although nothing differs.
    async fn writes_of_a_run_without_changes(&self) -> Option<String> {
        let before = self.server.journal().len();
        for tenant in self.specs.keys() {
            let touched = Patch::merge(json!({ "spec": { "generation": 1 } }));
            self.client.resources::<Tenant>().patch(&tenant_name(*tenant), &touched).await.unwrap();
        }
        sleep(Duration::from_secs(2)).await;
        let journal = self.server.journal();
        let mut later = journal.iter().skip(before).filter(|entry| entry.request().verb().is_write());
        let written = later.find(|entry| ["configmaps", "secrets"].contains(&entry.request().resource()));
        written.map(|entry| format!("a write although nothing changed: {entry}"))
    }
}

fn is_success(entry: &JournalEntry) -> bool {
    matches!(entry.code(), Some(200..300))
}

fn tenant_name(tenant: usize) -> String {
    format!("tenant{tenant}")
}

fn child_of(tenant: usize, child: &Child) -> TenantChild {
    let by = CONTROLLERS[child.by];
    TenantChild {
        is_secret: child.kind == Kind::Secret,
        by: by.to_owned(),
        namespace: NAMESPACES[child.namespace].to_owned(),
        name: format!("{}-{by}-{}", tenant_name(tenant), child.number),
        value: format!("v{}", child.value),
    }
}
