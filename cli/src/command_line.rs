//! The command line.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::names::{Group, Kind, ProjectName, Version};

/// The command line as cargo passes it on: with the name of the subcommand first.
#[derive(Debug, Parser)]
#[command(name = "cargo", bin_name = "cargo", disable_help_subcommand = true)]
pub(crate) enum Cargo {
    /// Creates Kubernetes operators in Rust, extends and deploys them.
    #[command(version, after_help = EXAMPLES)]
    Crdkit(Arguments),
}

impl Cargo {
    /// Returns arguments as cargo passes them on, also if the program was started without cargo.
    pub(crate) fn arguments(all: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
        let mut all: Vec<_> = all.into_iter().collect();
        if all.get(1).is_none_or(|first| first != "crdkit") {
            all.insert(1.min(all.len()), "crdkit".into());
        }
        all
    }
}

const EXAMPLES: &str = "\
Examples:
  cargo crdkit new garage --group cars.example.com --kind Car
  cargo crdkit dev      # in the directory `garage`
  cargo crdkit deploy";

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an operator: a custom resource, its controller, manifests and tests.
    New(NewArguments),
    /// Add a custom resource, a version, a webhook or a controller to the operator in the current directory.
    Add(AddArguments),
    /// Run the operator on an API server in a process, or in a cluster, and build it again after each change.
    Dev(DevArguments),
    /// Install the definitions in the cluster of the current context, unless that loses data.
    #[command(after_help = "\
Examples:
  cargo crdkit install --dry-run
  KUBECONFIG=staging.yaml cargo crdkit install")]
    Install(ClusterArguments),
    /// Remove the definitions from the cluster of the current context, unless there are objects.
    #[command(after_help = "\
Examples:
  cargo crdkit uninstall --dry-run
  cargo crdkit uninstall --operator   # also what `deploy` has created")]
    Uninstall(UninstallArguments),
    /// Install the definitions and the operator in the cluster of the current context, unless that loses data.
    Deploy(DeployArguments),
    #[command(flatten)]
    Program(ProgramCommand),
    /// Print a script that completes the arguments in a shell.
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

const COMPLETIONS_EXAMPLES: &str = "\
In bash, zsh and fish, `cargo crdkit` is completed as `cargo-crdkit` is.

Examples:
  source <(cargo crdkit completions bash)                       # in ~/.bashrc
  cargo crdkit completions zsh > ~/.zfunc/_cargo-crdkit         # a directory of $fpath
  cargo crdkit completions fish > ~/.config/fish/conf.d/cargo-crdkit.fish";

/// The commands of the program `crds` of the project, which parses their arguments and describes them.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum ProgramCommand {
    /// Write the manifests that have changed.
    #[command(after_help = "Example:\n  cargo crdkit write")]
    Write(ProgramArguments),
    /// Show outdated manifests, or breaking changes since an older release.
    #[command(after_help = "Example:\n  cargo crdkit check --against v1.2.0.yaml")]
    Check(ProgramArguments),
    /// Print all definitions.
    #[command(after_help = "Example:\n  cargo crdkit print | kubectl apply --server-side -f -")]
    Print(ProgramArguments),
    /// Show the changes since other definitions, and whom each breaks.
    #[command(after_help = "Example:\n  cargo crdkit diff git:v1.2.0")]
    Diff(ProgramArguments),
    /// Write an API reference as Markdown or HTML.
    #[command(after_help = "Example:\n  cargo crdkit docs target/api.html")]
    Docs(ProgramArguments),
    /// Write a minimal and a full object of each kind.
    #[command(after_help = "Example:\n  cargo crdkit samples target/samples")]
    Samples(ProgramArguments),
    /// Write a dashboard of Grafana for the metrics of the operator.
    #[command(after_help = "Example:\n  cargo crdkit dashboard target/dashboard.json")]
    Dashboard(ProgramArguments),
    /// Show deviations from conventions of the Kubernetes API.
    #[command(after_help = "Example:\n  cargo crdkit lint nofloats")]
    Lint(ProgramArguments),
    /// Write Rust types for existing definitions.
    #[command(after_help = "Example:\n  cargo crdkit import certificates.yaml")]
    Import(ProgramArguments),
    /// Show what the operator would write in the cluster of the current context, without writing it.
    #[command(after_help = "Example:\n  cargo crdkit plan app.yaml")]
    Plan(ProgramArguments),
}

/// Arguments that are passed on.
#[derive(Args, Clone, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct ProgramArguments {
    /// In a project, `--help` describes them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}

impl ProgramCommand {
    /// Returns a short description if the arguments request one.
    pub(crate) fn help(&self) -> Option<String> {
        let (name, arguments) = self.clone().into_parts();
        let is_help = arguments.iter().any(|argument| argument == "--help" || argument == "-h");
        let mut command = Cargo::command();
        // It has the names of the commands above it then.
        command.build();
        let command = command.find_subcommand_mut("crdkit")?.find_subcommand_mut(name)?;
        is_help.then(|| command.render_help().to_string())
    }

    /// Returns the name of the command, and its arguments.
    pub(crate) fn into_parts(self) -> (&'static str, Vec<OsString>) {
        let (name, arguments) = match self {
            Self::Write(arguments) => ("write", arguments),
            Self::Check(arguments) => ("check", arguments),
            Self::Print(arguments) => ("print", arguments),
            Self::Diff(arguments) => ("diff", arguments),
            Self::Docs(arguments) => ("docs", arguments),
            Self::Samples(arguments) => ("samples", arguments),
            Self::Dashboard(arguments) => ("dashboard", arguments),
            Self::Lint(arguments) => ("lint", arguments),
            Self::Import(arguments) => ("import", arguments),
            Self::Plan(arguments) => ("plan", arguments),
        };
        (name, arguments.arguments)
    }
}

/// What the commands for a cluster pass on to the program `crds` of the project.
#[derive(Args, Debug)]
pub(crate) struct ClusterArguments {
    /// Change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Go on if objects lose data.
    #[arg(long)]
    pub(crate) allow_data_loss: bool,
    /// How to print what is done.
    #[arg(long)]
    pub(crate) format: Option<Format>,
}

#[derive(Args, Debug)]
pub(crate) struct UninstallArguments {
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// Then remove the objects of the operator too, but its namespace, which may contain others.
    #[arg(long)]
    pub(crate) operator: bool,
    /// The longest wait for each definition, 300 seconds by default.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
}

const DEPLOY_EXAMPLES: &str = "\
Examples:
  cargo crdkit deploy --dry-run
  cargo crdkit deploy --timeout 60
  cargo crdkit deploy --no-wait --format json";

#[derive(Args, Debug)]
#[command(after_help = DEPLOY_EXAMPLES)]
pub(crate) struct DeployArguments {
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// Do not wait until the operator is available.
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// The longest wait for the operator, 300 seconds by default.
    #[arg(long, value_name = "SECONDS", conflicts_with = "no_wait")]
    pub(crate) timeout: Option<u64>,
}

/// How to print what a program might read.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Text,
    /// A line of JSON for each object, file or change.
    Json,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

const DEV_EXAMPLES: &str = "\
In a terminal, the objects of the project are a table, below it their events and what the operator prints. \
Elsewhere, each change is a line. Errors of the operator quote values of objects, which they hide in a cluster \
unless CRDKIT_QUOTE_VALUES is 1.

Examples:
  cargo crdkit dev                      # an API server without a cluster
  KUBECONFIG=target/dev/kubeconfig.yaml kubectl apply -f manifests/samples
  cargo crdkit dev --cluster            # the cluster of the current context
  RUST_LOG=debug cargo crdkit dev --format text -- --flag-of-the-operator";

#[derive(Args, Debug)]
#[command(after_help = DEV_EXAMPLES)]
pub(crate) struct DevArguments {
    /// Use the cluster of the current context. It does not call webhooks of this machine.
    #[arg(long)]
    pub(crate) cluster: bool,
    /// The program of the operator; by default, the only one besides `crds`.
    #[arg(long, value_name = "NAME")]
    pub(crate) bin: Option<String>,
    /// How to print changes; by default, a table in a terminal, and text elsewhere.
    #[arg(long)]
    pub(crate) format: Option<Format>,
    /// The arguments of the operator.
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub(crate) operator_arguments: Vec<String>,
}

const NEW_EXAMPLES: &str = "\
Examples:
  cargo crdkit new garage                                       # prompts for the group and the kind
  cargo crdkit new garage --group cars.example.com --kind Car
  cargo crdkit new garage --group cars.example.com --kind Road --cluster-scoped --no-controller";

#[derive(Args, Debug)]
#[command(after_help = NEW_EXAMPLES)]
pub(crate) struct NewArguments {
    /// The name of the project, and of its directory in the current one.
    pub(crate) name: ProjectName,
    #[command(flatten)]
    pub(crate) kind: KindArguments,
    /// Use the crdkit at this path, instead of the one that this program belongs to.
    #[arg(long, value_name = "PATH")]
    pub(crate) crdkit: Option<PathBuf>,
    /// Do not build the project to write its manifests.
    #[arg(long)]
    pub(crate) no_build: bool,
    /// How to print the files that are written.
    #[arg(long)]
    pub(crate) format: Option<Format>,
}

/// What describes a custom resource. A terminal prompts for what is missing.
#[derive(Args, Clone, Debug)]
pub(crate) struct KindArguments {
    /// The API group: a domain, such as `cars.example.com`.
    #[arg(long)]
    pub(crate) group: Option<Group>,
    /// The kind, such as `Car`.
    #[arg(long)]
    pub(crate) kind: Option<Kind>,
    /// The version of the API.
    #[arg(long, value_name = "VERSION", default_value = "v1alpha1")]
    pub(crate) api_version: Version,
    /// Objects of the kind belong to no namespace.
    #[arg(long)]
    pub(crate) cluster_scoped: bool,
    /// Write no controller.
    #[arg(long)]
    pub(crate) no_controller: bool,
}

const ADD_EXAMPLES: &str = "\
Examples:
  cargo crdkit add kind --group cars.example.com --kind Engine
  cargo crdkit add version Engine v1beta1
  cargo crdkit add webhook Engine";

#[derive(Args, Debug)]
#[command(after_help = ADD_EXAMPLES)]
pub(crate) struct AddArguments {
    #[command(subcommand)]
    pub(crate) what: Addition,
    /// How to print the files that are written.
    #[arg(long, global = true)]
    pub(crate) format: Option<Format>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Addition {
    /// Add a custom resource, with a controller.
    #[command(after_help = "Example:\n  cargo crdkit add kind --group cars.example.com --kind Engine")]
    Kind(KindArguments),
    /// Add a version to a custom resource, which converts to the version that is there.
    #[command(after_help = "Example:\n  cargo crdkit add version Engine v1beta1")]
    Version {
        /// The kind, such as `Engine`.
        kind: Kind,
        /// The new version, such as `v1beta1`.
        version: Version,
    },
    /// Add a webhook, which validates and changes objects, to a custom resource.
    #[command(after_help = "Example:\n  cargo crdkit add webhook Engine")]
    Webhook {
        /// The kind, such as `Engine`.
        kind: Kind,
    },
    /// Add a controller to a custom resource that has none.
    #[command(after_help = "Example:\n  cargo crdkit add controller Engine")]
    Controller {
        /// The kind, such as `Engine`.
        kind: Kind,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_valid() {
        Cargo::command().debug_assert();
    }

    #[test]
    fn invalid_names_are_rejected_with_the_rule() {
        let error = |arguments: &[&str]| Cargo::try_parse_from(arguments).unwrap_err().to_string();
        let group = error(&["cargo", "crdkit", "new", "garage", "--group", "cars"]);
        assert!(group.contains("the API group `cars` has no dot"), "{group}");
        let kind = error(&["cargo", "crdkit", "new", "garage", "--kind", "car"]);
        assert!(kind.contains("write `Car`"), "{kind}");
    }

    #[test]
    fn the_program_needs_no_cargo() {
        for words in [&["cargo-crdkit", "dev"][..], &["cargo-crdkit", "crdkit", "dev"]] {
            let arguments = Cargo::arguments(words.iter().map(OsString::from));
            assert_eq!(arguments, ["cargo-crdkit", "crdkit", "dev"]);
        }
        assert_eq!(Cargo::arguments(["cargo-crdkit".into()]), ["cargo-crdkit", "crdkit"]);
    }

    #[test]
    fn commands_of_the_project_have_help_without_one() {
        let parse = |words: &[&str]| match Cargo::parse_from([&["cargo", "crdkit"], words].concat()) {
            Cargo::Crdkit(Arguments { command: Command::Program(command) }) => command.help(),
            other @ Cargo::Crdkit(_) => panic!("{other:?}"),
        };
        let help = parse(&["diff", "--help"]).unwrap();
        assert!(help.contains("Usage: cargo crdkit diff") && help.contains("cargo crdkit diff git:v1.2.0"), "{help}");
        assert_eq!(parse(&["diff", "git:v1"]), None);
    }

    #[test]
    fn each_command_has_an_example() {
        let mut command = Cargo::command();
        let crdkit = command.find_subcommand_mut("crdkit").unwrap();
        assert!(crdkit.render_help().to_string().contains("\nExamples:"));
        check_examples(crdkit);
    }

    fn check_examples(command: &mut clap::Command) {
        for command in command.get_subcommands_mut().filter(|command| command.get_name() != "help") {
            let help = command.render_help().to_string();
            assert!(help.contains("\nExample"), "`{}` has no example:\n{help}", command.get_name());
            check_examples(command);
        }
    }
}
