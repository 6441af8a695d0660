//! The commands `install`, `uninstall` and `deploy`.

use std::{ffi::OsString, io};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::super::{Arguments, Program};
use crate::{
    Client,
    apply::Unchecked,
    client::{OperationResult, dynamic::Dynamic},
    emit::Crds,
};

const INSTALL_USAGE: &str = "\
Installs the definitions in the cluster of the current context, and waits until they are served.

Usage: <program> install [OPTIONS]

If that would lose data of existing objects, nothing is changed, and the exit code is 1.

Options:
  --allow-data-loss yes  install nevertheless
  --dry-run yes          change nothing
";

const UNINSTALL_USAGE: &str = "\
Removes the definitions from the cluster of the current context.

Usage: <program> uninstall [OPTIONS]

If there are objects, which are removed with their definition, nothing is changed, and the exit code is 1.

Options:
  --allow-data-loss yes  remove the objects too
";

const DEPLOY_USAGE: &str = "\
Installs the definitions in the cluster of the current context, and applies the manifests of the operator.

Usage: <program> deploy [OPTIONS]

If that would lose data of existing objects, nothing is changed, and the exit code is 1.

Options:
  --allow-data-loss yes  install the definitions nevertheless
  --dry-run yes          change nothing
";

const ALLOW: &str = "--allow-data-loss";
const DRY_RUN: &str = "--dry-run";
const FIELD_MANAGER: &str = "crdkit";
const HINT: &str = "`--allow-data-loss yes` permits it";

type Failure = Box<dyn std::error::Error>;

impl Program<'_> {
    pub(super) fn install(&mut self, crds: &Crds, arguments: Vec<OsString>) -> io::Result<u8> {
        self.cluster("install", INSTALL_USAGE, &[ALLOW, DRY_RUN], arguments, |program, options| {
            block_on(async { program.install_definitions(crds, &options, &options.client().await?).await })
        })
    }

    pub(super) fn uninstall(&mut self, crds: &Crds, arguments: Vec<OsString>) -> io::Result<u8> {
        self.cluster("uninstall", UNINSTALL_USAGE, &[ALLOW], arguments, |program, options| {
            block_on(async { program.remove_definitions(crds, &options, &options.client().await?).await })
        })
    }

    pub(super) fn deploy(&mut self, crds: &Crds, arguments: Vec<OsString>) -> io::Result<u8> {
        self.cluster("deploy", DEPLOY_USAGE, &[ALLOW, DRY_RUN], arguments, |program, options| {
            block_on(async { program.apply_all(crds, &options, &options.client().await?).await })
        })
    }

    fn cluster(
        &mut self,
        command: &str,
        usage: &str,
        known: &[&'static str],
        arguments: Vec<OsString>,
        run: impl FnOnce(&mut Self, Options) -> Result<(), Failure>,
    ) -> io::Result<u8> {
        let parsed = Arguments::parse(command, arguments, 0, known).and_then(|arguments| {
            let answers = [("no", false), ("yes", true)];
            let allows_data_loss = arguments.choice(ALLOW, &answers)?;
            Ok((Options { allows_data_loss, is_dry_run: arguments.choice(DRY_RUN, &answers)? }, arguments.is_help))
        });
        match parsed {
            Ok((_, true)) => self.help(usage),
            Ok((options, false)) => match run(self, options) {
                Ok(()) => Ok(0),
                Err(error) => self.fail(error),
            },
            Err(mistake) => self.wrong_usage(&mistake, usage),
        }
    }

    async fn install_definitions(&mut self, crds: &Crds, options: &Options, client: &Client) -> Result<(), Failure> {
        let rendered = crds.render()?.crds;
        let install = client.install(rendered).force();
        let install = if options.allows_data_loss { install.allow_data_loss() } else { install };
        let installed = install.await.map_err(|error| match error {
            crate::client::install::InstallError::DataLoss(_) => format!("{error}\n{HINT}").into(),
            error => Failure::from(error),
        })?;
        for definition in installed {
            self.progress(definition.outcome, &definition.name, options)?;
        }
        Ok(())
    }

    async fn remove_definitions(&mut self, crds: &Crds, options: &Options, client: &Client) -> Result<(), Failure> {
        let definitions = client.resources::<CustomResourceDefinition>();
        let mut existing = Vec::new();
        for crd in crds.render()?.crds {
            existing.extend(definitions.get_opt(&crd.metadata.name.unwrap_or_default()).await?);
        }
        if !options.allows_data_loss {
            for crd in &existing {
                refuse_objects(client, crd).await?;
            }
        }
        for name in existing.iter().filter_map(|crd| crd.metadata.name.as_deref()) {
            definitions.delete(name).await?;
            writeln!(self.out, "removed {name}")?;
        }
        if existing.is_empty() {
            writeln!(self.out, "the cluster has none of the definitions")?;
        }
        Ok(())
    }

    async fn apply_all(&mut self, crds: &Crds, options: &Options, client: &Client) -> Result<(), Failure> {
        if crds.operator.is_none() {
            return Err("there is nothing to deploy: add the manifests of the operator with `Crds::operator`".into());
        }
        let objects = crds.to_objects()?;
        self.install_definitions(crds, options, client).await?;
        let cluster = client.force().dynamic();
        for object in objects.iter().filter(|object| object["kind"] != "CustomResourceDefinition") {
            // In a dry run there is no namespace for what is in it.
            let outcome = match options.is_dry_run && object["metadata"]["namespace"].is_string() {
                true => OperationResult::Unchanged,
                false => apply(&cluster, object).await?,
            };
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let kind = object["kind"].as_str().unwrap_or_default();
            self.progress(outcome, &format!("{kind} {name}"), options)?;
        }
        Ok(())
    }

    fn progress(&mut self, outcome: OperationResult, name: &str, options: &Options) -> io::Result<()> {
        let verb = match outcome {
            _ if options.is_dry_run => "would apply",
            OperationResult::Created => "created",
            OperationResult::Updated => "applied",
            OperationResult::Unchanged => "unchanged",
        };
        writeln!(self.out, "{verb} {name}")
    }
}

struct Options {
    allows_data_loss: bool,
    is_dry_run: bool,
}

impl Options {
    async fn client(&self) -> Result<Client, Failure> {
        let client = Client::try_default().await?.field_manager(FIELD_MANAGER);
        Ok(if self.is_dry_run { client.dry_run() } else { client })
    }
}

fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Fails if the kind of a definition has objects.
async fn refuse_objects(client: &Client, crd: &CustomResourceDefinition) -> Result<(), Failure> {
    let stored = crd.spec.versions.iter().find(|version| version.served);
    let Some(version) = stored else { return Ok(()) };
    let kind = kube_core::GroupVersionKind::gvk(&crd.spec.group, &version.name, &crd.spec.names.kind);
    let first = client.dynamic().resources(kind).await?.all_namespaces().list().limit(1).await?;
    match first.items.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("nothing was removed, because there are objects of the kind {}\n{HINT}", crd.spec.names.kind)
                .into())
        }
    }
}

async fn apply(cluster: &Dynamic, object: &Value) -> Result<OperationResult, Failure> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let api_version = text(&object["apiVersion"]);
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let kind = kube_core::GroupVersionKind::gvk(group, version, &text(&object["kind"]));
    let resources = cluster.resources(kind).await?;
    let name = text(&object["metadata"]["name"]);
    let (_, outcome) = match object["metadata"]["namespace"].as_str() {
        Some(namespace) => resources.namespace(namespace)?.create_or_apply(&name, &Unchecked(object)).await?,
        None => resources.cluster()?.create_or_apply(&name, &Unchecked(object)).await?,
    };
    Ok(outcome)
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::{
        emit::{
            Operator,
            style::Style,
            tests::{crd, crds},
        },
        testing::ApiServer,
    };

    const OPTIONS: Options = Options { allows_data_loss: false, is_dry_run: false };

    /// Runs a command, and returns what it prints, or its error.
    async fn run(work: impl AsyncFnOnce(&mut Program<'_>) -> Result<(), Failure>) -> Result<String, String> {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut program = Program { out: &mut out, err: &mut err, style: Style::PLAIN };
        work(&mut program).await.map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn client(server: &ApiServer) -> Client {
        server.client().field_manager(FIELD_MANAGER)
    }

    fn at() -> String {
        "apiVersion: example.com/v1\nkind: At\nmetadata: { name: a, namespace: default }\nspec: {}\n".to_owned()
    }

    #[tokio::test]
    async fn definitions_are_installed_and_removed_unless_objects_are_lost() {
        let server = ApiServer::new();
        let client = client(&server);
        let install = async |set: &Crds| run(async |it| it.install_definitions(set, &OPTIONS, &client).await).await;
        assert_eq!(install(&crds()).await.unwrap(), "created ats.example.com\n");
        assert_eq!(install(&crds()).await.unwrap(), "unchanged ats.example.com\n");
        let server = server.with_objects(&at());
        let mut other = crd("At", "ats");
        other.spec.scope = "Cluster".into();
        let refused = install(&Crds::new().add_crd("At", other)).await.unwrap_err();
        assert!(refused.contains("data would be lost") && refused.ends_with(HINT), "{refused}");

        let remove =
            async |options: Options| run(async |it| it.remove_definitions(&crds(), &options, &client).await).await;
        let refused = remove(OPTIONS).await.unwrap_err();
        assert!(refused.starts_with("nothing was removed, because there are objects of the kind At"), "{refused}");
        let removed = remove(Options { allows_data_loss: true, ..OPTIONS }).await.unwrap();
        assert_eq!(removed, "removed ats.example.com\n");
        assert_eq!(remove(OPTIONS).await.unwrap(), "the cluster has none of the definitions\n");
        drop(server);
    }

    #[tokio::test]
    async fn operators_are_deployed() {
        let server = ApiServer::new();
        let client = client(&server);
        let set = crds().operator(Operator::new("at-operator", "at-system"));
        let deploy = async || run(async |it| it.apply_all(&set, &OPTIONS, &client).await).await.unwrap();
        let first = deploy().await;
        let kinds = ["Namespace at-system", "ServiceAccount", "Service", "Deployment", "NetworkPolicy"];
        assert!(first.starts_with("created ats.example.com\n"), "{first}");
        assert!(kinds.iter().all(|kind| first.contains(&format!("created {kind}"))), "{first}");
        assert!(deploy().await.contains("applied Deployment at-operator\n"));
        let nothing = run(async |it| it.apply_all(&crds(), &OPTIONS, &client).await).await.unwrap_err();
        assert!(nothing.contains("`Crds::operator`"), "{nothing}");
    }
}
