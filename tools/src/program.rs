//! The program of a project.

use std::{ffi::OsString, io, process::ExitCode};

use crdkit::__internal::emit::program::{Program, run_in_terminal};

use crate::project::Project;

mod cluster;
mod dashboard;
mod dev;
mod documents;
mod import;
mod lint;
#[cfg(feature = "controller")]
mod plan;

/// The lines of the usage about the commands that crdkit's own program does not have.
const COMMANDS: &str = "  docs [FILE]           Write an API reference as Markdown or HTML
  samples [DIRECTORY]   Write a minimal and a full object of each kind
  dashboard [FILE]      Write a dashboard of Grafana for the metrics of the operator
  lint [NAME...]        Show deviations from conventions of the Kubernetes API
  import SOURCE         Write Rust types for existing definitions
  install               Install the definitions in the cluster, unless that loses data
  uninstall             Remove the definitions from the cluster, unless there are objects
  deploy                Install the definitions and the operator in the cluster
  plan [FILE...]        Show what the operator would write in the cluster
  dev                   Serve the definitions on an API server in the process, and print events and conditions
";

/// Runs the program of a project; for a `main` function.
///
/// | command | |
/// |---|---|
/// | `write`, `check`, `print`, `diff` | as [in crdkit](crdkit::emit::Crds::main), together with the manifests of the [operator](Project::operator) |
/// | `docs` | writes an [API reference](crate::reference_html) |
/// | `samples` | writes [objects](crate::samples()) of each kind |
/// | `dashboard` | writes a dashboard of Grafana for the metrics of the operator, with the feature `controller` |
/// | `lint` | shows deviations from [conventions](crate::Lint) |
/// | `import` | writes Rust types for [existing definitions](crate::import()) |
/// | `install`, `uninstall` | installs the definitions in a cluster, or removes them, unless that loses data |
/// | `deploy` | installs the definitions and the operator, and waits until it is available |
/// | `plan` | shows what the [operator](Project::manager) would write, without writing it, with the feature `controller` |
/// | `dev` | serves the definitions on an API server in the process, with the feature `dev`, and prints the conditions of their objects and the events |
///
/// Each command describes itself with `--help`; those whose output a program may read have `--format json`. Output has colors in a
/// terminal, unless `NO_COLOR` is set.
///
/// ```no_run
/// # use crdkit::{CustomResource, KubeSchema};
/// # #[derive(CustomResource, KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
/// # #[crd(group = "example.com", version = "v1", kind = "At", namespaced)]
/// # pub struct AtSpec { pub schedule: String }
/// use crdkit::emit::Crds;
///
/// fn main() -> std::process::ExitCode {
///     crdkit_tools::main(Crds::new().add::<At>())
/// }
/// ```
pub fn main(project: impl Into<Project>) -> ExitCode {
    let project = project.into();
    run_in_terminal(COMMANDS, |program, arguments| run(program, &project, arguments))
}

fn run(program: &mut Program<'_>, project: &Project, mut arguments: Vec<OsString>) -> io::Result<u8> {
    let Some(command) = find(arguments.first()) else {
        return program.run(project.crds(), || project.files(), arguments);
    };
    arguments.remove(0);
    command(program, project, arguments)
}

/// A command, with the arguments after its name.
type Command = fn(&mut Program<'_>, &Project, Vec<OsString>) -> io::Result<u8>;

fn find(name: Option<&OsString>) -> Option<Command> {
    Some(match name?.to_str()? {
        "docs" => documents::docs,
        "samples" => documents::samples,
        "dashboard" => dashboard::dashboard,
        "lint" => lint::lint,
        "import" => import::import,
        "install" => cluster::install,
        "uninstall" => cluster::uninstall,
        "deploy" => cluster::deploy,
        #[cfg(feature = "controller")]
        "plan" => plan::plan,
        #[cfg(not(feature = "controller"))]
        "plan" => no_plan,
        "dev" => dev::dev,
        _ => return None,
    })
}

#[cfg(not(feature = "controller"))]
fn no_plan(program: &mut Program<'_>, _: &Project, _: Vec<OsString>) -> io::Result<u8> {
    program.fail("a plan requires the feature `controller` of crdkit-tools, and `Project::manager`")
}

#[cfg(test)]
mod tests;
