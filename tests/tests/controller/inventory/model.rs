//! Random schedules of apps and what they own elsewhere: versions of the operator that apply other kinds, crashes, restarts, failures of
//! requests and other writers. In the end the cluster has what the last specs describe of the kinds that the last version applies, and what
//! others made; nothing is orphaned, and nothing of others is deleted.

use std::{collections::BTreeSet, fmt};

use crdkit_tests::faults::Random;
use http::{HeaderValue, header::USER_AGENT};
use tower::ServiceExt;

use super::*;
use crate::models::{Model, problem_of};

/// The number of schedules.
const COUNT: &str = "CRDKIT_INVENTORY_SCHEDULES";
/// The seed of the first of them.
const SEED: &str = "CRDKIT_INVENTORY_SEED";
/// The user agent of the operator.
const OPERATOR: &str = "operator";
const STEPS: usize = 12;
/// The time within which everything is applied and deleted once nothing fails.
const RECOVERY: Duration = Duration::from_secs(400);

#[test]
fn nothing_is_orphaned_and_nothing_of_others_is_deleted() {
    let problem = |_, schedule: &Schedule| problem_of(async || World::new(schedule.form).run(schedule).await);
    let model = Model {
        count: (COUNT, 2_000),
        seed: SEED,
        schedule: Schedule::new,
        steps: |schedule| &mut schedule.steps,
        problem,
    };
    model.check();
}

/// The kinds that a version applies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Version {
    RolesAndConfigs,
    ConfigsAndSecrets,
    RolesAndSecrets,
}

impl Version {
    fn applies(self, kind: &str) -> bool {
        match kind {
            "roles" => self != Self::ConfigsAndSecrets,
            "configs" => self != Self::RolesAndSecrets,
            _ => self != Self::RolesAndConfigs,
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Spec(&'static str, AppSpec),
    Delete(&'static str),
    /// Somebody deletes a member, removes its marks, or copies it with its metadata.
    Remove(usize),
    Unmark(usize),
    Copy(usize),
    /// Somebody makes an object of the same names as those of apps.
    Make(&'static str),
    Fail {
        what: What,
        how: How,
        after: usize,
        times: usize,
    },
    Stop,
    Crash,
    Start(Version),
    Sleep(u64),
}

#[derive(Clone, Copy, Debug)]
enum What {
    Reads,
    Applies,
    Patches,
    Deletions,
    All,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Refused,
    Conflict,
    Disconnected,
    ResponseLost,
}

#[derive(Clone)]
struct Schedule {
    form: In,
    steps: Vec<Step>,
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}", self.form)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "  {step:?}"))
    }
}

impl Schedule {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let random = &mut random;
        let form = *random.pick(&BOTH);
        let mut steps = vec![Step::Start(version(random)), Step::Spec("web", app_spec(random, "web"))];
        steps.extend((0..STEPS).map(|_| step(random)));
        Self { form, steps }
    }
}

fn step(random: &mut Random) -> Step {
    let pick = random.below(16);
    let app = if random.percent(70) { "web" } else { "shop" };
    match random.below(24) {
        0..=5 => Step::Spec(app, app_spec(random, app)),
        6 | 7 => Step::Delete(app),
        8 => Step::Remove(pick),
        9 => Step::Unmark(pick),
        10 => Step::Copy(pick),
        11 => Step::Make(random.pick::<&str>(&["other-0", "b/other-1", "a/other-2"])),
        12..=15 => Step::Fail {
            what: *random.pick(&[What::Reads, What::Applies, What::Patches, What::Deletions, What::All]),
            how: *random.pick(&[How::Refused, How::Conflict, How::Disconnected, How::ResponseLost]),
            after: random.below(4),
            times: 1 + random.magnitude(12),
        },
        16 => Step::Stop,
        17 | 18 => Step::Crash,
        19..=21 => Step::Start(version(random)),
        _ => Step::Sleep(random.magnitude(8_000) as u64),
    }
}

fn version(random: &mut Random) -> Version {
    *random.pick(&[Version::RolesAndConfigs, Version::ConfigsAndSecrets, Version::RolesAndSecrets])
}

fn app_spec(random: &mut Random, app: &str) -> AppSpec {
    let mut names = |namespaces: &[&str]| {
        let count = random.below(3);
        let all = (0..count).map(|number| format!("{}{app}-{number}", random.pick(namespaces)));
        all.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    AppSpec { roles: names(&[""]), configs: names(&["a/", "b/", "c/"]), secrets: names(&["b/", "c/"]) }
}

/// The objects of an app that a version applies: kind and name.
fn expected_of(spec: &AppSpec, version: Version) -> impl Iterator<Item = (String, String)> {
    let all = [("roles", &spec.roles), ("configs", &spec.configs), ("secrets", &spec.secrets)];
    let applied = all.into_iter().filter(move |(kind, _)| version.applies(kind));
    applied.flat_map(|(kind, names)| names.iter().map(move |name| (kind.to_owned(), name.clone())))
}

struct World {
    cluster: Cluster,
    form: In,
    operator: Option<(Running, Version)>,
    specs: std::collections::BTreeMap<&'static str, AppSpec>,
    foreign: BTreeSet<(String, String)>,
}

impl World {
    fn new(form: In) -> Self {
        let (specs, foreign) = Default::default();
        Self { cluster: Cluster::new(), form, operator: None, specs, foreign }
    }

    async fn run(mut self, schedule: &Schedule) -> Option<String> {
        for step in &schedule.steps {
            self.take(step).await;
        }
        self.cluster.server.faults().clear();
        if self.operator.is_none() {
            self.start(Version::RolesAndConfigs);
        }
        sleep(RECOVERY).await;
        self.difference().await
    }

    async fn take(&mut self, step: &Step) {
        match step {
            Step::Spec(app, spec) => self.set_spec(app, spec).await,
            Step::Delete(app) => {
                if self.specs.remove(app).is_some() {
                    self.cluster.apps.delete(app).await.unwrap();
                }
            }
            Step::Remove(pick) => self.edit(*pick, Change::Remove).await,
            Step::Unmark(pick) => self.edit(*pick, Change::Unmark).await,
            Step::Copy(pick) => self.edit(*pick, Change::Copy).await,
            Step::Make(name) => self.make(name, json!({})).await,
            Step::Fail { what, how, after, times } => self.fail(*what, *how, *after, *times),
            Step::Stop => {
                if let Some((operator, _)) = self.operator.take() {
                    operator.stop().await;
                }
            }
            Step::Crash => {
                if let Some((operator, _)) = self.operator.take() {
                    operator.crash().await;
                }
            }
            Step::Start(version) => {
                if self.operator.is_none() {
                    self.start(*version);
                }
            }
            Step::Sleep(millis) => sleep(Duration::from_millis(*millis)).await,
        }
    }

    fn start(&mut self, version: Version) {
        let named = |mut request: http::Request<kube::client::Body>| {
            request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(OPERATOR));
            request
        };
        let service = self.cluster.server.service().map_request(named);
        let client = Client::from(kube::Client::new(service, "default")).field_manager("ops");
        let manager = Manager::new(client).without_preflight().add(versioned(self.form, version));
        self.operator = Some((Running::of(manager), version));
    }

    async fn set_spec(&mut self, app: &'static str, spec: &AppSpec) {
        let stored = self.cluster.apps.get_opt(app).await.unwrap();
        match stored {
            Some(stored) if stored.metadata.deletion_timestamp.is_some() => return,
            Some(_) => {
                let patch = Patch::merge(json!({ "spec": spec }));
                self.cluster.apps.patch(app, &patch).await.unwrap();
            }
            None => {
                self.cluster.apps.create(&App::new(app, spec.clone())).await.unwrap();
            }
        }
        self.specs.insert(app, spec.clone());
    }

    /// Changes one of the objects of apps.
    async fn edit(&mut self, pick: usize, change: Change) {
        let members: Vec<_> = self
            .objects()
            .into_iter()
            .filter(|(_, name, _)| !name.contains("other") && !name.contains("copy"))
            .collect();
        let Some((kind, name, object)) = (!members.is_empty()).then(|| members[pick % members.len()].clone()) else {
            return;
        };
        if change == Change::Copy {
            // With the label alone, an object is a member of an ApplySet.
            if object["metadata"]["annotations"].is_null() {
                return;
            }
            let metadata =
                json!({ "labels": object["metadata"]["labels"], "annotations": object["metadata"]["annotations"] });
            let (namespace, _) = name.split_once('/').unwrap_or(("", ""));
            let copy = if namespace.is_empty() { format!("copy-{pick}") } else { format!("{namespace}/copy-{pick}") };
            return self.make_of(&kind, &copy, metadata).await;
        }
        let (namespace, short) = name.split_once('/').unwrap_or(("", &name));
        let client = self.cluster.client.field_manager("others");
        let (roles, configs, secrets) = (
            client.resources::<ClusterRole>(),
            client.resources::<ConfigMap>().namespace(namespace),
            client.resources::<Secret>().namespace(namespace),
        );
        if change == Change::Remove {
            // The operator may have deleted it.
            let _ = match kind.as_str() {
                "roles" => roles.delete(short).await,
                "configs" => configs.delete(short).await,
                _ => secrets.delete(short).await,
            };
            return;
        }
        let unmarked = Patch::merge(json!({ "metadata": { "annotations": null } }));
        let _ = match kind.as_str() {
            "roles" => roles.patch(short, &unmarked).await.map(drop),
            "configs" => configs.patch(short, &unmarked).await.map(drop),
            _ => secrets.patch(short, &unmarked).await.map(drop),
        };
    }

    async fn make(&mut self, name: &str, metadata: Value) {
        let kind = if name.contains('/') { "configs" } else { "roles" };
        self.make_of(kind, name, metadata).await;
    }

    async fn make_of(&mut self, kind: &str, name: &str, metadata: Value) {
        let mut made = object(name);
        for part in ["labels", "annotations"] {
            made["metadata"][part] = metadata[part].clone();
        }
        let (namespace, _) = name.split_once('/').unwrap_or(("", ""));
        let client = &self.cluster.client;
        let is_made = match kind {
            "roles" => client.resources::<ClusterRole>().create(&serde_json::from_value(made).unwrap()).await.is_ok(),
            "configs" => client
                .resources::<ConfigMap>()
                .namespace(namespace)
                .create(&serde_json::from_value(made).unwrap())
                .await
                .is_ok(),
            _ => client
                .resources::<Secret>()
                .namespace(namespace)
                .create(&serde_json::from_value(made).unwrap())
                .await
                .is_ok(),
        };
        if is_made {
            self.foreign.insert((kind.to_owned(), name.to_owned()));
        }
    }

    fn fail(&self, what: What, how: How, after: usize, times: usize) {
        let requests = match what {
            What::Reads => Requests::reads(),
            What::Applies => Requests::apply(),
            What::Patches => Requests::patch(),
            What::Deletions => Requests::delete(),
            What::All => Requests::all(),
        };
        // The requests of others succeed.
        let fault = self.cluster.server.faults().on(requests.user_agent(OPERATOR)).after(after).times(times);
        match how {
            How::Refused => fault.fail(500),
            How::Conflict => fault.conflict(),
            How::Disconnected => fault.disconnect(),
            How::ResponseLost => fault.lose_response(),
        };
    }

    /// Returns all roles, ConfigMaps and Secrets: kind, name, and the object.
    fn objects(&self) -> Vec<(String, String, Value)> {
        let of = |group: &str, plural: &str, kind: &'static str| {
            let objects = self.cluster.server.snapshot().of_resource(group, plural).objects();
            objects.into_iter().map(move |object| (kind.to_owned(), name_of(&object), object)).collect::<Vec<_>>()
        };
        [
            of("rbac.authorization.k8s.io", "clusterroles", "roles"),
            of("", "configmaps", "configs"),
            of("", "secrets", "secrets"),
        ]
        .concat()
    }

    /// Returns how the cluster differs from what the last specs describe.
    async fn difference(&self) -> Option<String> {
        let version = self.operator.as_ref()?.1;
        let mut expected = self.foreign.clone();
        for spec in self.specs.values() {
            expected.extend(expected_of(spec, version));
        }
        let actual: BTreeSet<_> = self.objects().into_iter().map(|(kind, name, _)| (kind, name)).collect();
        if actual != expected {
            return Some(format!(
                "the cluster has {actual:?}\nand not {expected:?}\n{}",
                self.cluster.server.journal().changes()
            ));
        }
        let apps: BTreeSet<_> =
            self.cluster.apps.list().await.unwrap().items.iter().map(|app| app.name().to_owned()).collect();
        let expected: BTreeSet<_> = self.specs.keys().map(|name| (*name).to_owned()).collect();
        (apps != expected).then(|| format!("the apps are {apps:?} and not {expected:?}"))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Change {
    Remove,
    Unmark,
    Copy,
}

fn versioned(form: In, version: Version) -> Controller {
    let mut builder = apps(form);
    if version.applies("roles") {
        builder = builder.owns_by_inventory::<ClusterRole>();
    }
    if version.applies("configs") {
        builder = builder.owns_by_inventory::<ConfigMap>();
    }
    if version.applies("secrets") {
        builder = builder.owns_by_inventory::<Secret>();
    }
    builder.reconcile(move |app: Arc<App>, cx: Context<App>| async move {
        let AppSpec { roles, configs, secrets } = &app.spec;
        if version.applies("secrets") {
            cx.apply_by_inventory::<Secret>(&app, secrets.iter().map(|name| object(name))).await?;
        }
        if version.applies("configs") {
            cx.apply_by_inventory::<ConfigMap>(&app, configs.iter().map(|name| config(name))).await?;
        }
        if version.applies("roles") {
            cx.apply_by_inventory::<ClusterRole>(&app, roles.iter().map(|name| object(name))).await?;
        }
        Ok::<_, Error>(Action::Done)
    })
}
