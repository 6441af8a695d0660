//! What can go wrong.

use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`--{0}` is required, because standard input is not a terminal that could prompt for it")]
    NotATerminal(&'static str),
    #[error("{0}")]
    Name(String),
    #[error("`{}` already exists and is not empty: nothing was written", .0.display())]
    DirectoryInUse(PathBuf),
    #[error("{} already exist{}: nothing was written", list(.0), if .0.len() == 1 { "s" } else { "" })]
    FilesExist(Vec<PathBuf>),
    #[error("there is no Cargo.toml in the current directory or above it: create a project with `cargo crdkit new`")]
    NoProject,
    #[error("`{}` is neither crdkit's package `runtime` nor a clone of its repository: nothing was written", .0.display())]
    NoCrdkit(PathBuf),
    #[error("nothing was written, because other code is expected. Change it, and run the command again:\n\n{}", join(.0))]
    UnexpectedCode(Vec<UnexpectedCode>),
    #[error(
        "`{}` has no struct with `#[crd(... kind = \"{kind}\", version = \"...\")]` that rustfmt has formatted, so nothing was written: \
         write the version yourself, as in the documentation of `crdkit::convert`",
        .module.display()
    )]
    NoSpec { kind: String, module: PathBuf },
    #[error("`{}` has the version {version} already", .module.display())]
    VersionExists { version: String, module: PathBuf },
    #[error("`{0}` failed: see above")]
    Program(String),
    #[error("{kind} has no module `{}`: add the kind first, with `cargo crdkit add kind --kind {kind}`", .module.display())]
    NoKind { kind: String, module: PathBuf },
    #[error(
        "`{0}` failed: see above. The project is complete except for its manifests: run it again in the project, or `cargo crdkit new` here"
    )]
    Manifests(String),
    #[error(
        "the project has no program `{0}`: write `src/bin/{0}.rs` as `cargo crdkit new` does, with `crdkit_tools::main`"
    )]
    NoDefinitions(&'static str),
    #[error("{}", no_operator(.0))]
    NoOperator(Vec<String>),
    #[error("`crds dev` has ended{}{}", if .0.is_empty() { "" } else { ": " }, .0)]
    Watch(String),
    #[error("cannot read the answer: {0}")]
    Prompt(#[source] io::Error),
    #[error("cannot read `{}`: {error}", .path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write `{}`: {error}", .path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("cannot run `{program}`: {error}")]
    Run { program: String, error: io::Error },
}

/// Code that is not edited, and what a person can write there.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnexpectedCode {
    #[error(
        "`{}` has no list between `// crdkit: {list}` and `// crdkit: end`. Add the two comments, or write the line yourself:\n\n\
         {line}",
        .file.display()
    )]
    NoMarkedList { file: PathBuf, list: &'static str, line: String },
    #[error("`{}` has no line\n\n{old}\n\nInstead of what is there, write\n\n{new}", .file.display())]
    NoLine { file: PathBuf, old: String, new: String },
}

fn join(all: &[UnexpectedCode]) -> String {
    let all: Vec<_> = all.iter().map(ToString::to_string).collect();
    all.join("\n\n")
}

fn no_operator(programs: &[String]) -> String {
    let programs: Vec<_> = programs.iter().map(|name| format!("`{name}`")).collect();
    if programs.is_empty() {
        "the project has no such program: `--bin` names the operator, which is `src/main.rs` by default".to_owned()
    } else {
        format!("the project has several programs ({}): choose the operator with `--bin`", programs.join(", "))
    }
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    paths.join(", ")
}
