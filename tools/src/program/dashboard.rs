//! The command `dashboard`.

use std::{ffi::OsString, io, ops::ControlFlow};

use crdkit::__internal::emit::program::{Arguments, Program};

use crate::project::Project;

const USAGE: &str = "\
Writes a dashboard of Grafana for the metrics of the operator: reconciliations, queues, caches, requests, replicas and webhooks.

Usage: <program> dashboard [FILE] [OPTIONS]

Without FILE, the dashboard is printed. Import it, or store it in a ConfigMap that Grafana's sidecar loads.

Options:
  --title TITLE    the title; by default, the name of the operator

Examples:
  <program> dashboard dashboard.json
  <program> dashboard | kubectl create configmap at-dashboard --namespace monitoring --from-file dashboard.json=/dev/stdin
";

pub(super) fn dashboard(program: &mut Program<'_>, project: &Project, arguments: Vec<OsString>) -> io::Result<u8> {
    let parsed = Arguments::parse("dashboard", arguments, 1, &["--title="]);
    match program.read(USAGE, parsed, |_| Ok(()))? {
        ControlFlow::Continue((arguments, ())) => write(program, project, &arguments),
        ControlFlow::Break(code) => Ok(code),
    }
}

#[cfg(feature = "controller")]
fn write(program: &mut Program<'_>, project: &Project, parsed: &Arguments) -> io::Result<u8> {
    let title = parsed.option("--title").or(project.operator_name()).unwrap_or("Operator");
    let text = format!("{:#}\n", crate::dashboard::dashboard(title));
    match parsed.positional.first() {
        Some(path) => super::documents::write_files(program, &[(path.into(), text)]),
        None => program.out.write_all(text.as_bytes()).map(|()| 0),
    }
}

#[cfg(not(feature = "controller"))]
fn write(program: &mut Program<'_>, _: &Project, _: &Arguments) -> io::Result<u8> {
    program.fail("the metrics are those of controllers: enable the feature `controller` of crdkit-tools")
}
