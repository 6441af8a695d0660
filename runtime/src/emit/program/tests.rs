//! The program, with its output.

use super::*;
use crate::emit::tests::{crd, crds};

struct Ran {
    code: u8,
    out: String,
    err: String,
}

fn run(crds: &Crds, arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut program = Program { out: &mut out, err: &mut err, style: Style::PLAIN, more_commands: "" };
    let arguments = arguments.iter().map(OsString::from).collect();
    let code = program.run(crds, || Files::of(crds), arguments).unwrap();
    let [out, err] = [out, err].map(|text| String::from_utf8(text).unwrap());
    Ran { code, out, err }
}

#[test]
fn write_and_check_agree() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();

    let missing = run(&crds(), &["check", path]);
    assert_eq!(missing.code, FAILURE);
    assert!(missing.err.contains("ats.example.com.yaml is missing\n"), "{}", missing.err);
    assert!(missing.err.ends_with(&format!(" write {path}\n")), "{}", missing.err);

    let wrote = run(&crds(), &["write", path]);
    assert_eq!(wrote.out, format!("wrote {path}/ats.example.com.yaml\n"));
    assert_eq!(run(&crds(), &["check", path]).code, 0);
    let again = run(&crds(), &["write", path]);
    assert_eq!(again.out, format!("up to date: {path}/ats.example.com.yaml\n"));
}

#[test]
fn files_are_listed_as_json() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let line = |state: &str, file: &str| format!("{}\n", json!({ "path": format!("{path}/{file}"), "state": state }));
    let ran = |command: &str| {
        let ran = run(&crds(), &[command, path, "--format", "json"]);
        (ran.code, ran.out)
    };
    assert_eq!(ran("check"), (FAILURE, line("missing", "ats.example.com.yaml")));
    assert_eq!(ran("write"), (0, line("wrote", "ats.example.com.yaml")));
    assert_eq!(ran("write"), (0, line("up to date", "ats.example.com.yaml")));
    assert_eq!(ran("check"), (0, String::new()));
    let [at, old] = ["ats.example.com.yaml", "old.yaml"].map(|file| directory.path().join(file));
    std::fs::copy(&at, old).unwrap();
    std::fs::write(at, "a: 1\n").unwrap();
    let both = line("outdated", "ats.example.com.yaml") + &line("obsolete", "old.yaml");
    assert_eq!(ran("check"), (FAILURE, both));
}

#[test]
fn a_path_to_yaml_is_one_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("all.yaml");
    assert_eq!(run(&crds(), &["write", path.to_str().unwrap()]).code, 0);
    assert_eq!(std::fs::read_to_string(path).unwrap(), run(&crds(), &["print"]).out);
}

#[test]
fn the_update_command_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let crds = crds().update_command("just crds").directory(directory.path());
    let checked = run(&crds, &["check"]);
    assert!(checked.err.ends_with("\nUpdate with: just crds\n"), "{}", checked.err);
}

#[test]
fn errors_name_the_types() {
    let mut other = crd("At", "ats");
    other.spec.versions[0].name = "v2".into();
    let ran = run(&crds().add_crd("v2::At", other), &["print"]);
    assert_eq!((ran.code, &*ran.out), (FAILURE, ""));
    assert!(ran.err.contains("`v1::At` and `v2::At` are both the storage version"));
}

#[test]
fn a_wrong_command_line_gets_the_usage() {
    for (arguments, mistake) in [
        (&[][..], "a command is required"),
        (&["apply"], "unknown command `apply`"),
        (&["print", "x"], "unexpected argument `x` of `print`"),
        (&["write", "a", "b"], "unexpected argument `b` of `write`"),
        (&["write", "--all"], "unknown option `--all` of `write`"),
        (&["check", "--against"], "`--against` requires a value"),
        (&["write", "--format", "yaml"], "`yaml` is not a value of `--format`: use one of `text`, `json`"),
        (&["check", "--against", "a", "b"], "`check --against` has no path: it compares all definitions"),
    ] {
        let ran = run(&crds(), arguments);
        let expected = format!("error: {mistake}\n\n{}", usage(""));
        assert_eq!((ran.code, ran.err), (WRONG_USAGE, expected));
    }
    let help = run(&crds(), &["--help"]);
    assert_eq!((help.code, help.out), (0, usage("")));
}

#[test]
fn each_command_describes_itself() {
    let usage = usage("");
    let commands: std::collections::BTreeSet<_> = usage
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !matches!(*name, "" | "help"))
        .collect();
    assert_eq!(commands.iter().copied().collect::<Vec<_>>(), ["check", "diff", "print", "write"]);
    for command in commands {
        let help = run(&crds(), &[command, "--help"]);
        let described = help.out.contains(&format!("Usage: <program> {command}")) && help.out.contains("\nExample");
        assert!(described && help.code == 0, "{command}: {}{}", help.out, help.err);
    }
}

#[test]
fn commands_of_tools_are_named() {
    for tool in command_line::TOOLS {
        let ran = run(&crds(), &[tool, "--help"]);
        let expected = format!("error: the crate `crdkit-tools` has the command `{tool}`: ");
        assert!(ran.code == WRONG_USAGE && ran.err.starts_with(&expected), "{}", ran.err);
    }
}

#[test]
fn descriptions_have_the_name_of_the_program() {
    let usage = "Usage: <program> diff";
    assert_eq!(named(usage, Ok("cargo crdkit".to_owned())), "Usage: cargo crdkit diff");
    assert_eq!(named(usage, Err(std::env::VarError::NotPresent)), usage);
}

#[test]
fn what_an_older_release_had_is_compared() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("old.yaml");
    let path = file.to_str().unwrap();
    let against = || run(&crds(), &["check", "--against", path]);

    assert_eq!(run(&crds(), &["write", path]).code, 0);
    let same = against();
    assert_eq!((same.code, same.out, same.err), (0, String::new(), String::new()));

    let mut old = crd("At", "ats");
    old.spec.versions[0].name = "v0".into();
    let gone = crd("Disk", "disks");
    let list = serde_json::json!({ "kind": "List", "items": [old, gone, { "kind": "Pod" }] });
    std::fs::write(path, list.to_string()).unwrap();
    let broken = against();
    assert_eq!(broken.code, FAILURE);
    assert_eq!(
        broken.out,
        "ats.example.com: version `v0`: the version is removed, in which objects may be stored\n\
         ats.example.com: version `v0`: the version is no longer served\n\
         disks.example.com: the definition is removed\n"
    );

    let json = run(&crds(), &["check", "--against", path, "--format", "json"]);
    let diff: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let names = |of: &serde_json::Value, key: &str| -> Vec<_> {
        of.as_array().unwrap().iter().map(|it| it[key].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((json.code, &diff["severity"]), (FAILURE, &"breaking".into()));
    assert_eq!(names(&diff["definitions"], "name"), ["ats.example.com", "disks.example.com"]);
    let checks = names(&diff["definitions"][0]["changes"], "check");
    assert_eq!(checks, ["storedVersionRemoval", "servedVersionRemoval"]);

    let other = crds().allow("definition", "none.example.com", "", "It is another.");
    assert_eq!(run(&other, &["check", "--against", path]).out, broken.out);
    let allowed = crds()
        .allow("definition", "disks.example.com", "", "Disks were never used.")
        .allow("storedVersionRemoval", "ats.example.com", "*", "It was migrated.")
        .allow("servedVersionRemoval", "ats.example.com", "*", "All clients read `v1`.");
    let allowed = run(&allowed, &["check", "--against", path]);
    assert_eq!((allowed.code, &*allowed.out), (0, ""));

    assert_eq!(run(&crds(), &["write", path]).code, 0);
    let same = run(&crds(), &["check", "--against", path, "--format", "json"]);
    let expected = serde_json::json!({ "severity": null, "definitions": [] });
    assert_eq!((same.code, serde_json::from_str(&same.out).ok()), (0, Some(expected)));

    std::fs::write(path, "kind: Pod\n").unwrap();
    let empty = against();
    let expected = format!("cannot read `{path}`: it contains no CustomResourceDefinition\n");
    assert_eq!((empty.code, empty.err), (FAILURE, expected));
}

#[test]
fn the_exit_code_of_diff_follows_the_severity() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("old.yaml");
    let path = file.to_str().unwrap();
    assert_eq!(run(&crds(), &["write", path]).code, 0);
    let same = run(&crds(), &["diff", path]);
    assert_eq!((same.code, &*same.out), (0, "no changes\n"));
    let risky = {
        let mut crd = crd("At", "ats");
        crd.spec.names.list_kind = Some("Ats".into());
        Crds::new().add_crd("At", crd)
    };
    assert_eq!(run(&risky, &["diff", path]).code, 0);
    assert_eq!(run(&risky, &["diff", path, "--fail-on", "risky"]).code, 3);
    let gone = Crds::new().add_crd("Disk", crd("Disk", "disks"));
    assert_eq!(run(&gone, &["diff", path]).code, 4);
    assert_eq!(run(&gone, &["diff", path, "--fail-on=never"]).code, 0);
    let json = run(&gone, &["diff", path, "--format", "json"]).out;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["severity"], "breaking");
    let missing = run(&crds(), &["diff", "missing.yaml"]);
    assert_eq!(missing.code, FAILURE);
    assert!(missing.err.starts_with("cannot read `missing.yaml`: "), "{}", missing.err);
    assert_eq!(run(&crds(), &["diff"]).code, WRONG_USAGE);
}

#[test]
fn a_git_revision_has_old_definitions() {
    let directory = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let name = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let ran = std::process::Command::new("git").arg("-C").arg(directory.path()).args(name).args(arguments).output();
        ran.is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        return; // there is no git
    }
    let old = Crds::new().add_crd("At", crd("At", "ats")).directory(directory.path().join("crds"));
    old.write().unwrap();
    assert!(git(&["add", "."]) && git(&["commit", "-q", "-m", "old"]));
    let mut new = crd("At", "ats");
    new.spec.scope = "Cluster".into();
    let new = Crds::new().add_crd("At", new).directory(directory.path().join("crds"));
    new.write().unwrap();
    let changed = run(&new, &["diff", "git:HEAD"]);
    assert_eq!(changed.code, 4, "{}{}", changed.out, changed.err);
    assert!(changed.out.contains("the scope changes from Namespaced to Cluster"), "{}", changed.out);
    let file = directory.path().join("crds/ats.example.com.yaml");
    let file = format!("git:HEAD:{}", file.display());
    assert_eq!(run(&old, &["diff", &file]).out, "no changes\n");
    let unknown = run(&new, &["diff", "git:missing"]);
    assert!(unknown.code == FAILURE && unknown.err.contains("of revision `missing`: "), "{}", unknown.err);
}
