//! The command `plan`.

use std::{ffi::OsString, fs, io, ops::ControlFlow};

use crdkit::{
    __internal::{
        emit::program::{Arguments, Program},
        yaml::read::{DuplicateKeys, documents},
    },
    Client,
    controller::Plan,
};
use serde_json::Value;

use super::cluster::{Failure, block_on, current_cluster};
use crate::project::Project;

const USAGE: &str = "\
Shows what the operator would write in the cluster of the current context, without writing it.

Usage: <program> plan [FILE...] [OPTIONS]

Each object that the operator reconciles is planned: what would be created, applied, patched and deleted, its status and its
finalizers. With files, only the objects in them are, as if they were applied. Requests are dry runs: the API server processes
them, and stores nothing. They require the permissions of the operator.

Options:
  --format FORMAT  text (default), or json
  --exit-code      exit with 1 if something would change

Examples:
  <program> plan
  <program> plan app.yaml
  <program> plan --format json | jq '.runs[].writes[] | {verb, kind, namespace, name}'
";

const EXIT_CODE: &str = "--exit-code";

pub(super) fn plan(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let parsed = Arguments::parse("plan", arguments, usize::MAX, &["--format=", EXIT_CODE]);
    let (arguments, is_json) = match program.read(USAGE, parsed, Arguments::is_json)? {
        ControlFlow::Continue(read) => read,
        ControlFlow::Break(code) => return Ok(code),
    };
    let planned = block_on(async {
        if !project.has_manager() {
            return Err("there is nothing to plan: add the manager of the operator with `Project::manager`".into());
        }
        plan_project(project, current_cluster().await?, &arguments.positional).await
    });
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) => return program.fail(error),
    };
    print(program, &plan, is_json)?;
    let is_failure = plan.runs().iter().any(|run| run.error.is_some());
    let is_change = arguments.has(EXIT_CODE) && plan.writes().next().is_some();
    Ok(u8::from(is_failure || is_change))
}

async fn plan_project(project: &Project, client: Client, files: &[OsString]) -> Result<Plan, Failure> {
    let objects = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let Some(manager) = project.manager_of(client) else {
        return Ok(Plan::default());
    };
    Ok(manager.plan().objects(objects.into_iter().flatten()).await?)
}

fn read(path: &OsString) -> Result<Vec<Value>, Failure> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read `{name}`: {error}"))?;
    let documents = documents(&text, DuplicateKeys::LastWins).map_err(|error| format!("`{name}`: {error}"))?;
    Ok(documents.into_iter().map(|document| document.value).filter(|value| !value.is_null()).collect())
}

fn print(program: &mut Program<'_>, plan: &Plan, is_json: bool) -> io::Result<()> {
    if is_json {
        return writeln!(program.out, "{:#}", plan.to_json());
    }
    if plan.runs().is_empty() {
        return writeln!(program.out, "there are no objects to reconcile");
    }
    write!(program.out, "{plan}")
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, sync::Arc};

    use crdkit::{
        __internal::emit::style::Style,
        controller::{Action, Context, Controller, Manager},
        emit::Crds,
    };
    use crdkit_api_server::ApiServer;
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    use serde_json::json;

    use super::*;

    fn project() -> Project {
        let mirrors = async |config: Arc<ConfigMap>, cx: Context<ConfigMap>| {
            let mirror = json!({ "metadata": { "name": config.metadata.name }, "stringData": config.data });
            cx.apply_owned::<Secret>(&config, [mirror]).await.map(|_| Action::Done)
        };
        Project::new(Crds::new()).manager(move |client| {
            let controller = Controller::of::<ConfigMap>().owns::<Secret>().reconcile(mirrors);
            Manager::new(client.field_manager("mirror")).add(controller)
        })
    }

    fn run(project: &Project, arguments: &[&str]) -> (u8, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut program = Program { out: &mut out, err: &mut err, style: Style::PLAIN, more_commands: "" };
        let code = plan(&mut program, project, arguments.iter().map(OsString::from).collect()).unwrap();
        (code, [String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap()].concat())
    }

    #[test]
    fn a_project_without_a_manager_has_no_plan() {
        let (code, text) = run(&Project::default(), &[]);
        assert_eq!(code, 1);
        assert!(text.contains("`Project::manager`"), "{text}");
        assert!(run(&project(), &["--help"]).1.starts_with("Shows what the operator would write"));
        assert_eq!(run(&project(), &["--format", "xml"]).0, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn objects_of_files_are_planned() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.yaml");
        fs::write(&path, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n---\n").unwrap();
        let server = ApiServer::new();
        let plan = plan_project(&project(), server.client(), &[path.into_os_string()]).await.unwrap();
        let summaries: Vec<_> = plan.writes().map(|write| write.summary()).collect();
        assert_eq!(summaries, ["apply Secret default/a"], "{plan}");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut program = Program { out: &mut out, err: &mut err, style: Style::PLAIN, more_commands: "" };
        print(&mut program, &plan, true).unwrap();
        let printed: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(printed["runs"][0]["writes"][0]["kind"], "Secret");
        let missing = plan_project(&project(), server.client(), &["missing.yaml".into()]).await.unwrap_err();
        assert!(missing.to_string().starts_with("cannot read `missing.yaml`"), "{missing}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_empty_plan_says_so() {
        let idle = async |_: Arc<ConfigMap>, _: Context<ConfigMap>| Ok::<_, Infallible>(Action::Done);
        let project = Project::new(Crds::new())
            .manager(move |client| Manager::new(client).add(Controller::of::<ConfigMap>().reconcile(idle)));
        let plan = plan_project(&project, ApiServer::new().client(), &[]).await.unwrap();
        assert!(plan.writes().next().is_none());
    }
}
