//! The commands `install`, `uninstall` and `deploy`.

use std::{ffi::OsString, future::IntoFuture as _, io, ops::ControlFlow, pin::pin, time::Duration};

use crdkit::{
    __internal::emit::program::{Arguments, Program},
    Client,
    apply::Unchecked,
    client::{
        OperationResult,
        dynamic::Dynamic,
        install::{InstallError, Installed},
    },
};
use futures_util::future::{Either, select};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::GroupVersionKind;
use serde_json::{Map, Value};
use tokio::sync::mpsc::unbounded_channel;

use crate::project::Project;

mod rollout;
#[cfg(test)]
mod tests;
mod uninstall;

use rollout::Rollout;
pub(super) use uninstall::uninstall;

const INSTALL_USAGE: &str = "\
Installs the definitions in the cluster of the current context, and waits until they are served.

Usage: <program> install [OPTIONS]

If that would lose data of existing objects, nothing is changed, and the exit code is 1.

Options:
  --admission        apply policies, webhook configurations and the namespace of the operator too
  --allow-data-loss  install nevertheless
  --dry-run          change nothing
  --format FORMAT    text (default), or json: a line for each object

Examples:
  <program> install --dry-run
  KUBECONFIG=staging.yaml <program> install
";

const DEPLOY_USAGE: &str = "\
Installs the definitions in the cluster of the current context, applies the manifests of the operator, and waits until it
is available.

Usage: <program> deploy [OPTIONS]

If that would lose data of existing objects, nothing is changed, and the exit code is 1. It is also 1 if the operator is
not available in time; the reasons that its Pods have are then printed.

Options:
  --allow-data-loss  install the definitions nevertheless
  --dry-run          change nothing
  --no-wait          do not wait until the operator is available
  --timeout SECONDS  the longest wait for each Deployment (default: 300)
  --format FORMAT    text (default), or json: a line for each object, and while it waits

Examples:
  <program> deploy --dry-run
  <program> deploy --timeout 60
  <program> deploy --format json | jq --raw-output .name

`uninstall --operator` removes what this creates.
";

const ADMISSION: &str = "--admission";
const ALLOW: &str = "--allow-data-loss";
const DRY_RUN: &str = "--dry-run";
const FORMAT: &str = "--format=";
const OPERATOR: &str = "--operator";
const NO_WAIT: &str = "--no-wait";
const TIMEOUT: &str = "--timeout=";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);
pub(super) const FIELD_MANAGER: &str = "crdkit";
const DEFINITION: &str = "CustomResourceDefinition";
const HINT: &str = "`--allow-data-loss` permits it";

pub(super) type Failure = Box<dyn std::error::Error>;

pub(super) fn install(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let known = [ADMISSION, ALLOW, DRY_RUN, FORMAT];
    cluster(program, "install", INSTALL_USAGE, &known, arguments, |program, options| {
        block_on(async { install_for_program(program, project, &options, &options.client().await?).await })
    })
}

pub(super) fn deploy(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let known = [ALLOW, DRY_RUN, NO_WAIT, TIMEOUT, FORMAT];
    cluster(program, "deploy", DEPLOY_USAGE, &known, arguments, |program, options| {
        block_on(async { apply_all(program, project, &options, &options.client().await?).await })
    })
}

fn cluster(
    program: &mut Program<'_>,
    command: &str,
    usage: &str,
    known: &[&'static str],
    arguments: Vec<OsString>,
    run: impl FnOnce(&mut Program<'_>, Options) -> Result<(), Failure>,
) -> io::Result<u8> {
    let options = match program.read(usage, Arguments::parse(command, arguments, 0, known), Options::parse)? {
        ControlFlow::Continue((_, options)) => options,
        ControlFlow::Break(code) => return Ok(code),
    };
    match run(program, options) {
        Ok(()) => Ok(0),
        Err(error) => program.fail(error),
    }
}

/// Installs what a program needs that runs outside of the cluster.
pub(super) async fn install_for_program(
    program: &mut Program<'_>,
    project: &Project,
    options: &Options,
    client: &Client,
) -> Result<(), Failure> {
    install_definitions(program, project, options, client).await?;
    let objects = if options.has_admission { admission(project)? } else { Vec::new() };
    apply_objects(program, &objects, options, client).await
}

async fn install_definitions(
    program: &mut Program<'_>,
    project: &Project,
    options: &Options,
    client: &Client,
) -> Result<(), Failure> {
    let rendered = project.crds().render()?.crds;
    let install = client.install(rendered).force();
    let install = if options.allows_data_loss { install.allow_data_loss() } else { install };
    let (progress, mut applied) = unbounded_channel();
    let mut installing = install.progress(progress).into_future();
    let installed = loop {
        match select(pin!(applied.recv()), &mut installing).await {
            Either::Left((Some(definition), _)) => report_installed(program, options, &definition)?,
            Either::Left((None, _)) => break installing.await,
            Either::Right((installed, _)) => break installed,
        }
    };
    while let Ok(definition) = applied.try_recv() {
        report_installed(program, options, &definition)?;
    }
    match installed {
        Ok(_) => Ok(()),
        Err(error @ InstallError::DataLoss(_)) => Err(format!("{error}\n{HINT}").into()),
        Err(error) => Err(error.into()),
    }
}

fn report_installed(program: &mut Program<'_>, options: &Options, definition: &Installed) -> io::Result<()> {
    report(program, options, &ObjectOutcome::applied(definition.outcome, DEFINITION, &definition.name))
}

async fn apply_all(
    program: &mut Program<'_>,
    project: &Project,
    options: &Options,
    client: &Client,
) -> Result<(), Failure> {
    if !project.has_operator() {
        return Err("there is nothing to deploy: add the manifests of the operator with `Project::operator`".into());
    }
    let objects = project.to_objects()?;
    install_definitions(program, project, options, client).await?;
    let objects: Vec<_> = objects.into_iter().filter(|object| object["kind"] != DEFINITION).collect();
    apply_objects(program, &objects, options, client).await?;
    if options.is_dry_run || !options.waits {
        return Ok(());
    }
    for deployment in objects.iter().filter(|object| object["kind"] == "Deployment") {
        rollout::wait(program, &Rollout::new(client, deployment), options).await?;
    }
    Ok(())
}

async fn apply_objects(
    program: &mut Program<'_>,
    objects: &[Value],
    options: &Options,
    client: &Client,
) -> Result<(), Failure> {
    let cluster = client.force().dynamic();
    for object in objects {
        let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
        let namespace = object["metadata"]["namespace"].as_str();
        // In a dry run there is no namespace for what is in it.
        let outcome = if options.is_dry_run && namespace.is_some() {
            OperationResult::Unchanged
        } else {
            apply(&cluster, object).await.map_err(|error| format!("{kind} {name}: {error}"))?
        };
        report(program, options, &ObjectOutcome { namespace, ..ObjectOutcome::applied(outcome, kind, name) })?;
    }
    Ok(())
}

fn report(program: &mut Program<'_>, options: &Options, step: &ObjectOutcome<'_>) -> io::Result<()> {
    let action = match step.action {
        "removed" if options.is_dry_run => "would remove",
        _ if options.is_dry_run => "would apply",
        action => action,
    };
    let step = ObjectOutcome { action, ..*step };
    if options.is_json {
        writeln!(program.out, "{}", step.json())?;
    } else {
        writeln!(program.out, "{}", step.text())?;
    }
    // A rollout takes long enough to read what has been done.
    program.out.flush()
}

/// What was done with an object, or what it waits for.
#[derive(Clone, Copy, Default)]
struct ObjectOutcome<'a> {
    action: &'a str,
    kind: &'a str,
    namespace: Option<&'a str>,
    name: &'a str,
    message: &'a str,
}

impl<'a> ObjectOutcome<'a> {
    fn applied(outcome: OperationResult, kind: &'a str, name: &'a str) -> Self {
        let action = match outcome {
            OperationResult::Created => "created",
            OperationResult::Updated => "applied",
            OperationResult::Unchanged => "unchanged",
        };
        Self { action, kind, name, ..Self::default() }
    }

    fn text(&self) -> String {
        let Self { action, kind, namespace, name, message } = *self;
        let namespace = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
        let message = if message.is_empty() { String::new() } else { format!(": {message}") };
        format!("{action} {kind} {namespace}{name}{message}")
    }

    fn json(&self) -> Value {
        let Self { action, kind, namespace, name, message } = *self;
        let mut fields = Map::new();
        let all = [("action", action), ("kind", kind), ("namespace", namespace.unwrap_or_default()), ("name", name)];
        let present = all.into_iter().chain([("message", message)]).filter(|(_, value)| !value.is_empty());
        fields.extend(present.map(|(key, value)| (key.to_owned(), value.into())));
        fields.into()
    }
}

#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) has_admission: bool,
    /// Whether the operator is uninstalled too.
    pub(super) has_operator: bool,
    pub(super) allows_data_loss: bool,
    pub(super) is_dry_run: bool,
    pub(super) is_json: bool,
    pub(super) waits: bool,
    pub(super) timeout: Duration,
}

impl Options {
    fn parse(arguments: &Arguments) -> Result<Self, String> {
        let timeout = arguments.option("--timeout").map(|text| {
            let seconds = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
            Ok::<_, String>(Duration::from_secs(seconds))
        });
        Ok(Self {
            has_admission: arguments.has(ADMISSION),
            has_operator: arguments.has(OPERATOR),
            allows_data_loss: arguments.has(ALLOW),
            is_dry_run: arguments.has(DRY_RUN),
            is_json: arguments.is_json()?,
            waits: !arguments.has(NO_WAIT),
            timeout: timeout.transpose()?.unwrap_or(DEFAULT_TIMEOUT),
        })
    }

    async fn client(&self) -> Result<Client, Failure> {
        let client = current_cluster().await?;
        Ok(if self.is_dry_run { client.dry_run() } else { client })
    }
}

/// Returns a client of the cluster of the current context. Who runs the program wrote what its errors quote.
pub(super) async fn current_cluster() -> Result<Client, Failure> {
    let client = Client::try_default().await.map_err(|error| {
        format!("{error}\nSet KUBECONFIG, or choose a context with `kubectl config use-context`; `kubectl cluster-info` checks it.")
    })?;
    Ok(client.field_manager(FIELD_MANAGER).quote_values())
}

pub(super) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Returns the policies and webhook configurations, and the namespace for the certificates of webhooks.
fn admission(project: &Project) -> Result<Vec<Value>, Failure> {
    let is_admission = |object: &Value| {
        object["kind"] == "Namespace"
            || object["apiVersion"].as_str().is_some_and(|version| version.starts_with("admissionregistration.k8s.io/"))
    };
    Ok(project.to_objects()?.into_iter().filter(is_admission).collect())
}

async fn apply(cluster: &Dynamic, object: &Value) -> Result<OperationResult, Failure> {
    let resources = cluster.resources(kind_of(object)).await?;
    let name = text(&object["metadata"]["name"]);
    let (_, outcome) = match object["metadata"]["namespace"].as_str() {
        Some(namespace) => resources.namespace(namespace)?.create_or_apply(name, &Unchecked(object)).await?,
        None => resources.cluster()?.create_or_apply(name, &Unchecked(object)).await?,
    };
    Ok(outcome)
}

/// Returns the kind of a definition in a version that is served: that of storage, in which the API server reads objects without
/// conversion, or another one.
pub(super) fn served_kind(crd: &CustomResourceDefinition) -> Option<GroupVersionKind> {
    let version = crd.spec.versions.iter().filter(|version| version.served).min_by_key(|version| !version.storage)?;
    Some(GroupVersionKind::gvk(&crd.spec.group, &version.name, &crd.spec.names.kind))
}

fn kind_of(object: &Value) -> GroupVersionKind {
    let api_version = text(&object["apiVersion"]);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    GroupVersionKind::gvk(group, version, text(&object["kind"]))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
