//! The command `dev`.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io::{self, Read as _},
    ops::ControlFlow,
    pin::pin,
    time::Duration,
};

use crdkit::{
    __internal::emit::program::{Arguments, Program},
    Client,
};
use futures_util::future::{Either, pending, select};
use tokio::sync::oneshot;

use super::cluster::{Failure, Options, block_on, current_cluster, install_for_program};
use crate::project::Project;

mod follow;
mod lines;
#[cfg(feature = "dev")]
mod server;
#[cfg(all(test, feature = "dev"))]
mod tests;

use lines::Lines;

const USAGE: &str = "\
Serves the definitions on an API server in this process, and prints the conditions of their objects and the events.

Usage: <program> dev [OPTIONS]

Policies and webhook configurations are applied, too. The API server calls webhooks of the operator at port 9443 of this
machine. Deployments, ReplicaSets, Jobs and their Pods get a status as if they ran; objects without an owner are deleted.
`cargo crdkit dev` runs this and the operator, and builds both again after a change.

Options:
  --kubeconfig FILE  where to write a kubeconfig for the API server (default: target/dev/kubeconfig.yaml)
  --cluster          use the cluster of the current context instead, and install the definitions unless that loses data
  --format FORMAT    text (default), or json: a line for each change
  --watch-stdin      end when standard input closes

Examples:
  <program> dev &
  KUBECONFIG=target/dev/kubeconfig.yaml kubectl get customresourcedefinitions
  <program> dev --cluster
";

const CLUSTER: &str = "--cluster";
const WATCH_STDIN: &str = "--watch-stdin";
#[cfg(feature = "dev")]
const KUBECONFIG: &str = "target/dev/kubeconfig.yaml";

pub(super) fn dev(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let parsed = Arguments::parse("dev", arguments, 0, &["--kubeconfig=", CLUSTER, "--format=", WATCH_STDIN]);
    let (arguments, is_json) = match program.read(USAGE, parsed, Arguments::is_json)? {
        ControlFlow::Continue(read) => read,
        ControlFlow::Break(code) => return Ok(code),
    };
    match block_on(develop(program, project, &arguments, is_json)) {
        Ok(()) => Ok(0),
        Err(error) => program.fail(error),
    }
}

async fn develop(
    program: &mut Program<'_>,
    project: &Project,
    arguments: &Arguments,
    is_json: bool,
) -> Result<(), Failure> {
    let is_cluster = arguments.has(CLUSTER);
    let options = Options {
        // The cluster cannot reach webhooks of this machine.
        has_admission: !is_cluster,
        has_operator: false,
        allows_data_loss: false,
        is_dry_run: false,
        is_json,
        waits: false,
        timeout: Duration::ZERO,
    };
    let lines = Lines::new(is_json);
    if is_cluster {
        let client = current_cluster().await?;
        install_for_program(program, project, &options, &client).await?;
        print_lines(program, lines.ready(None))?;
        let groups = project.crds().render()?.crds.into_iter().map(|crd| crd.spec.group).collect();
        return show_changes(program, &client, Some(groups), lines, arguments.has(WATCH_STDIN)).await;
    }
    #[cfg(feature = "dev")]
    {
        let path = arguments.option("--kubeconfig").unwrap_or(KUBECONFIG);
        let server = server::Server::start(project).await?;
        let client = server.client();
        install_for_program(program, project, &options, &client).await?;
        server.write_kubeconfig(path.as_ref())?;
        print_lines(program, lines.ready(Some(path)))?;
        show_changes(program, &client, None, lines, arguments.has(WATCH_STDIN)).await
    }
    #[cfg(not(feature = "dev"))]
    Err("the API server in the process requires the feature `dev` of crdkit-tools: add it to a default feature of the project, or \
         to the dev-dependencies. `--cluster` uses the cluster of the current context instead"
        .into())
}

/// Prints changes until standard input closes, or without end.
async fn show_changes(
    program: &mut Program<'_>,
    client: &Client,
    groups: Option<BTreeSet<String>>,
    mut lines: Lines,
    watches_stdin: bool,
) -> Result<(), Failure> {
    let mut notices = follow::follow(client, groups);
    let mut closed = pin!(async { if watches_stdin { stdin_closed().await } else { pending().await } });
    loop {
        match select(closed.as_mut(), pin!(notices.recv())).await {
            Either::Left(_) | Either::Right((None, _)) => return Ok(()),
            Either::Right((Some(notice), _)) => print_lines(program, lines.describe(notice))?,
        }
    }
}

fn print_lines(program: &mut Program<'_>, lines: Vec<String>) -> io::Result<()> {
    lines.into_iter().try_for_each(|line| writeln!(program.out, "{line}"))?;
    program.out.flush()
}

/// Waits until whatever started this program has ended.
async fn stdin_closed() {
    let (sender, closed) = oneshot::channel();
    std::thread::spawn(move || {
        // An error is an end, too.
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        let _: Result<(), ()> = sender.send(());
    });
    let _ = closed.await;
}
