//! The program, with its output.

use std::collections::BTreeSet;

use crdkit::__internal::emit::{
    program::{FAILURE, WRONG_USAGE},
    style::Style,
};

use super::*;
use crate::{Operator, tests::crds};

struct Ran {
    code: u8,
    out: String,
    err: String,
}

fn run(project: impl Into<Project>, arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut program = Program { out: &mut out, err: &mut err, style: Style::PLAIN, more_commands: COMMANDS };
    let code = super::run(&mut program, &project.into(), arguments.iter().map(OsString::from).collect()).unwrap();
    let [out, err] = [out, err].map(|text| String::from_utf8(text).unwrap());
    Ran { code, out, err }
}

#[test]
fn each_command_describes_itself() {
    let usage = run(crds(), &["help"]).out;
    let commands: BTreeSet<_> = usage
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !matches!(*name, "" | "help"))
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands {
        let help = run(crds(), &[command, "--help"]);
        let described = help.out.contains(&format!("Usage: <program> {command}")) && help.out.contains("\nExample");
        assert!(described && help.code == 0, "{command}: {}{}", help.out, help.err);
    }
}

#[test]
fn a_wrong_command_line_gets_the_usage_of_all_commands() {
    let usage = run(crds(), &["--help"]).out;
    assert!(usage.contains(&format!("\n{COMMANDS}  help  ")), "{usage}");
    for (arguments, mistake) in [(&[][..], "a command is required"), (&["apply"], "unknown command `apply`")] {
        let ran = run(crds(), arguments);
        assert_eq!((ran.code, ran.err), (WRONG_USAGE, format!("error: {mistake}\n\n{usage}")));
    }
}

#[test]
fn the_operator_is_written_with_the_definitions_unless_they_have_a_path() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let operator = Operator::new("at-operator", "at-system").yaml(at("install.yaml"));
    let project = Project::new(crds().directory(at("crds"))).operator(operator);
    let only_definitions = run(project.clone(), &["write", &at("all.yaml")]);
    assert_eq!(only_definitions.out, format!("wrote {}\n", at("all.yaml")));
    let missing = run(project.clone(), &["check"]);
    assert!(missing.code == FAILURE && missing.err.contains("install.yaml is missing\n"), "{}", missing.err);
    assert!(missing.err.ends_with(" write\n"), "{}", missing.err);
    let both = format!("wrote {}\nwrote {}\n", at("crds/ats.example.com.yaml"), at("install.yaml"));
    assert_eq!(run(project.clone(), &["write"]).out, both);
    assert_eq!(run(project.clone(), &["check"]).code, 0);
    let definitions = run(crds(), &["print"]).out;
    assert_eq!(run(project, &["print"]).out, definitions);
}

#[test]
fn references_and_samples_are_written() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let wrote = run(crds(), &["docs", &at("api.html")]);
    assert_eq!((wrote.code, wrote.out), (0, format!("wrote {}\n", at("api.html"))));
    assert!(std::fs::read_to_string(at("api.html")).unwrap().starts_with("<!doctype html>"));
    assert_eq!(run(crds(), &["docs", &at("api.html")]).out, format!("up to date: {}\n", at("api.html")));
    assert!(run(crds(), &["docs"]).out.starts_with("# API reference\n"));
    assert!(run(crds(), &["samples"]).out.starts_with("---\napiVersion: example.com/v1\nkind: At\n"));
    assert_eq!(run(crds(), &["samples", &at("")]).code, 0);
    assert!(directory.path().join("ats.example.com-v1-minimal.yaml").exists());
}

#[cfg(feature = "controller")]
#[test]
fn a_dashboard_has_the_name_of_the_operator() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dashboard.json").to_str().unwrap().to_owned();
    let project = Project::new(crds()).operator(Operator::new("at-operator", "at-system"));
    assert_eq!(run(project.clone(), &["dashboard", &path]).out, format!("wrote {path}\n"));
    let title = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap()["title"].clone();
    assert_eq!(title(&std::fs::read_to_string(&path).unwrap()), "at-operator");
    assert_eq!(title(&run(project, &["dashboard", "--title", "Machines"]).out), "Machines");
    assert_eq!(title(&run(crds(), &["dashboard"]).out), "Operator");
}

#[test]
fn lints_are_on_by_choice() {
    let clean = run(crds(), &["lint"]);
    assert_eq!((clean.code, &*clean.out), (0, "no findings\n"));
    assert_eq!(run(crds(), &["lint", "nobools", "--format", "json"]).out, "[]\n");
    let wrong = run(crds(), &["lint", "nobool"]);
    assert!(wrong.code == WRONG_USAGE && wrong.err.starts_with("error: there is no convention `nobool`\n"));
    let help = run(crds(), &["lint", "--help"]);
    assert!(help.out.contains("  * nofloats            Floating-point numbers change"), "{}", help.out);
}

#[test]
fn imported_code_overwrites_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    assert_eq!(run(crds(), &["write", &at("all.yaml")]).code, 0);
    let printed = run(crds(), &["import", &at("all.yaml")]);
    assert!(printed.code == 0 && printed.out.contains("pub struct AtFields {}"), "{}", printed.out);
    let import = || run(crds(), &["import", &at("all.yaml"), "ats.example.com", "--output", &at("at.rs")]);
    assert_eq!(import().code, 0);
    let again = import();
    assert!(again.code == FAILURE && again.err.contains("cannot create `"), "{}", again.err);
    let missing = run(crds(), &["import", &at("all.yaml"), "x.example.com"]);
    assert_eq!(missing.err, "there is no definition `x.example.com`\n");
    assert_eq!(run(crds(), &["import", "cluster"]).code, WRONG_USAGE);
}
