//! Building the programs of a project.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{command_line::DevArguments, error::Error, project::cargo_program};

/// The program that has the definitions.
const DEFINITIONS: &str = "crds";

/// The executables of a project.
#[derive(Debug, PartialEq)]
pub(super) struct Programs {
    pub(super) definitions: PathBuf,
    pub(super) operator: PathBuf,
}

/// Builds the programs. Returns nothing if the compiler has printed errors.
pub(super) fn build(project: &Path, arguments: &DevArguments) -> Result<Option<Programs>, Error> {
    let cargo = cargo_program();
    let mut command = Command::new(&cargo);
    command.args(["build", "--bins", "--message-format", "json-render-diagnostics"]);
    if !arguments.cluster {
        // With examples, even if there are none, programs have the features of the dev-dependencies, as in `cargo test`: also those of
        // projects where the feature `dev` of crdkit-tools is one of these.
        command.arg("--examples");
    }
    let output = command
        .current_dir(project)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Error::Run { program: cargo.to_string_lossy().into_owned(), error })?;
    if output.status.success() {
        programs(&String::from_utf8_lossy(&output.stdout), arguments.bin.as_deref()).map(Some)
    } else {
        Ok(None)
    }
}

/// Returns the programs that cargo reports.
fn programs(messages: &str, operator: Option<&str>) -> Result<Programs, Error> {
    let binaries: Vec<_> = messages.lines().filter_map(binary).collect();
    let is_operator = |name: &str| operator.map_or(name != DEFINITIONS, |operator| name == operator);
    let definitions = binaries
        .iter()
        .find(|(name, _)| name == DEFINITIONS)
        .map(|(_, path)| path.clone())
        .ok_or(Error::NoDefinitions(DEFINITIONS))?;
    let operators: Vec<_> = binaries.into_iter().filter(|(name, _)| is_operator(name)).collect();
    match <[_; 1]>::try_from(operators) {
        Ok([(_, operator)]) => Ok(Programs { definitions, operator }),
        Err(operators) => Err(Error::NoOperator(operators.into_iter().map(|(name, _)| name).collect())),
    }
}

/// Returns the name and the path of a program in a message of cargo.
fn binary(message: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_binary = message["target"]["kind"].as_array()?.iter().any(|kind| kind == "bin");
    let path = message["executable"].as_str().filter(|_| is_binary)?;
    Some((message["target"]["name"].as_str()?.to_owned(), path.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: &str, name: &str) -> String {
        let executable = if kind == "bin" { format!("\"/target/debug/{name}\"") } else { "null".to_owned() };
        let target = format!("{{\"kind\":[\"{kind}\"],\"name\":\"{name}\"}}");
        format!("{{\"reason\":\"compiler-artifact\",\"target\":{target},\"executable\":{executable}}}\n")
    }

    #[test]
    fn the_operator_is_the_other_program() {
        let messages = message("lib", "garage") + &message("bin", "crds") + &message("bin", "garage");
        let expected = Programs { definitions: "/target/debug/crds".into(), operator: "/target/debug/garage".into() };
        assert_eq!(programs(&messages, None).unwrap(), expected);

        let messages = messages + &message("bin", "tool");
        assert_eq!(programs(&messages, Some("garage")).unwrap(), expected);
        let error = programs(&messages, None).unwrap_err().to_string();
        assert!(error.contains("`garage`, `tool`") && error.contains("--bin"), "{error}");
        let error = programs(&message("bin", "garage"), None).unwrap_err().to_string();
        assert!(error.contains("no program `crds`"), "{error}");
    }
}
