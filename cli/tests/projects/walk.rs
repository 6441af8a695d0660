//! The way of a new user, from an empty folder to an operator that runs on a control plane. `walk.md` has what is printed.
//!
//! `CRDKIT_BLESS=1` writes the file. Without a control plane, the test is skipped. With `CRDKIT_PROJECT_RELEASE=1`, the operator that
//! runs there is compiled as its Dockerfile does, which takes minutes the first time.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use crate::{
    PROGRAMS, Projects,
    cluster::Cluster,
    fail, linted,
    pipeline::{Ci, Dockerfile},
    session::Session,
    succeed, target,
};

const INTRODUCTION: &str = "\
# From an empty folder to an operator

A test runs these commands, with the crdkit of this repository, and compares what they print with this page. Left out are the progress
and the times of cargo.
";

/// The beginning of the part that differs each time.
const TIMES: &str = "\n## Times\n";

const CAR: &str = r#"{"apiVersion":"cars.example.com/v1alpha1","kind":"Car","metadata":{"name":"example"},"spec":{"message":"Hello"}}"#;

/// The commands so far, with what they printed.
struct Walk {
    text: String,
    /// The commands and when each had ended.
    ends: Vec<(String, Duration)>,
    start: Instant,
}

impl Walk {
    fn new() -> Self {
        Self { text: INTRODUCTION.to_owned(), ends: Vec::new(), start: Instant::now() }
    }

    fn describe(&mut self, text: &str) {
        self.text += &format!("\n{text}\n");
    }

    fn show(&mut self, command: &str, output: &str) {
        self.text += &format!("\n```console\n$ {command}\n{}\n```\n", output.trim_end());
        self.ends.push((command.to_owned(), self.start.elapsed()));
    }

    /// Returns how long each command took, with what is prepared for it.
    fn times(&self) -> String {
        let mut times = format!(
            "{TIMES}\nWhen this page was written, on {} processors, with the compiled dependencies of the project. What the test prepares \
            counts too, such as the start of kube-apiserver before `install`.\n\n\
            | command | seconds | since the empty folder |\n|---|---|---|\n",
            thread::available_parallelism().unwrap()
        );
        let mut start = Duration::ZERO;
        for (command, end) in &self.ends {
            times += &format!("| `{command}` | {:.1} | {:.0} |\n", (*end - start).as_secs_f64(), end.as_secs_f64());
            start = *end;
        }
        times
    }

    fn check(self) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("walk.md");
        if env::var("CRDKIT_BLESS").is_ok_and(|value| value == "1") {
            fs::write(&path, format!("{}{}", self.text, self.times())).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        let compared = committed.split_once(TIMES).map_or(&*committed, |(compared, _)| compared);
        assert!(compared == self.text, "walk.md is out of date, CRDKIT_BLESS=1 updates it. It is now:\n{}", self.text);
    }
}

/// Returns whether there is a control plane, or Go that builds it.
fn has_control_plane() -> bool {
    let has_go = || Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
    let is_there = env::var_os("KUBEBUILDER_ASSETS").is_some() || has_go();
    assert!(is_there || env::var_os("CRDKIT_REQUIRE_CONTROL_PLANE").is_none(), "there is no control plane");
    is_there
}

/// Returns the lines of the tests, sorted as their order depends on threads.
fn test_lines(output: &str) -> String {
    let mut lines: Vec<_> =
        output.lines().filter(|line| line.starts_with("test ") && !line.contains("result:")).collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn in_garage(projects: &Projects, arguments: &[&str]) -> Output {
    let mut command = projects.cargo(arguments);
    linted(command.current_dir(projects.directory.join("garage")).env("END_TO_END", "1"))
}

/// Runs the operator, and changes its code.
fn develop(projects: &Projects) -> String {
    let mut session = Session::start(projects, "garage");
    session.wait_for("the operator runs");
    session.create("/apis/cars.example.com/v1alpha1/namespaces/default/cars", CAR);
    session.wait_for("Car default/example: Ready=True (Reconciled): Hello");

    let path = projects.directory.join("garage/src/car/controller.rs");
    let code = projects.read("garage/src/car/controller.rs");
    fs::write(path, code.replace("\"Reconciled\"", "\"Checked\"")).unwrap();
    session.wait_for("Car default/example: Ready=True (Checked): Hello");
    session.stop()
}

/// Returns the program of the operator: that of its image if `CRDKIT_PROJECT_RELEASE` is set.
fn operator(projects: &Projects) -> PathBuf {
    let image = Dockerfile::read(&projects.directory.join("garage"));
    match env::var_os("CRDKIT_PROJECT_RELEASE") {
        Some(_) => image.build(projects, "garage"),
        None => target().join("debug/garage"),
    }
}

#[test]
#[ignore = "`just projects` runs it: it compiles programs"]
fn from_an_empty_folder_to_an_operator() {
    if !has_control_plane() {
        eprintln!("skipped: there is neither Go nor KUBEBUILDER_ASSETS");
        return;
    }
    let _alone = PROGRAMS.lock();
    let projects = Projects::new("walk");
    projects.workspace("garage");
    let mut walk = Walk::new();

    let created = projects.new_built_project("garage", &["--group", "cars.example.com", "--kind", "Car"]);
    walk.show("cargo crdkit new garage --group cars.example.com --kind Car", &succeed(created));
    projects.use_features_in_tests("garage");
    let garage = projects.directory.join("garage");
    Cluster::write_program(&garage);

    walk.describe("A second version, and a webhook:");
    for words in ["add version Car v1beta1", "add webhook Car"] {
        let arguments: Vec<_> = words.split(' ').collect();
        walk.show(&format!("cargo crdkit {words}"), &succeed(projects.crdkit("garage", &arguments)));
    }
    // With the features of the tests, as in `dev`, so that nothing is compiled twice.
    succeed(in_garage(&projects, &["build", "--bins", "--examples"]));
    // Cargo sets the variable for the program as for this test.
    let crds = |command: &str| {
        let mut crds = Command::new(target().join("debug/crds"));
        succeed(crds.arg(command).env("CARGO_MANIFEST_DIR", &garage).current_dir(&garage).output().unwrap())
    };
    walk.show("cargo run --bin crds -- write", &crds("write"));
    walk.show("cargo crdkit lint", &crds("lint"));

    walk.describe("The tests run the operator on an API server in the process and on a real kube-apiserver, and check the manifests:");
    let ci = Ci::read(&garage);
    for command in ci.commands("cargo test") {
        let tested = succeed(ci.run(&projects, "garage", command));
        assert!(tested.contains("test objects_are_reconciled ... ok"), "{tested}");
        walk.show(&ci.command_line(command), &test_lines(&tested));
    }

    walk.describe(
        "The operator runs on an API server without a cluster. Meanwhile, an object is created, and then the reason `Reconciled` in \
        `src/car/controller.rs` becomes `Checked`. Left out is what the operator prints:",
    );
    walk.show("cargo crdkit dev", &develop(&projects));

    walk.describe("The cluster of the current context is a real kube-apiserver now:");
    let mut cluster = Cluster::start(&projects);
    walk.show("cargo crdkit install", &succeed(cluster.crdkit(&projects, "install")));

    walk.describe(
        "The operator runs there as a program, with a namespace for the certificates of its webhooks. Meanwhile, an object is created, \
        and once its condition `Ready` is `True`, the operator receives SIGTERM. Of its log, these lines have the lease:",
    );
    let operator = operator(&projects);
    walk.show("cargo run", &cluster.run_operator(&operator, CAR));
    let without_cluster = fail(Command::new(operator).env("KUBECONFIG", "none.yaml").output().unwrap());
    assert!(without_cluster.starts_with("Error: no cluster configuration: "), "{without_cluster}");

    walk.describe("Nothing runs Pods there, so `deploy` does not wait:");
    walk.show("cargo crdkit deploy --no-wait", &succeed(cluster.crdkit(&projects, "deploy --no-wait")));

    walk.describe("A definition that has objects is not removed. Once the object is deleted, it is:");
    walk.show("cargo crdkit uninstall --operator", &fail(cluster.crdkit(&projects, "uninstall --operator")));
    cluster.delete(CAR);
    walk.show("cargo crdkit uninstall --operator", &succeed(cluster.crdkit(&projects, "uninstall --operator")));
    drop(cluster);

    walk.describe("A change that breaks users is reported. In `src/car.rs`, the maximum length of 253 becomes 10:");
    let car = projects.read("garage/src/car.rs");
    let broken = car.replace("max = 253", "max = 10");
    assert_ne!(car, broken);
    fs::write(projects.directory.join("garage/src/car.rs"), broken).unwrap();
    let failed = in_garage(&projects, &["test", "--quiet", "--test", "manifests"]);
    assert!(!failed.status.success());
    let output = String::from_utf8(failed.stdout).unwrap();
    let (_, error) = output.split_once("Error: ").unwrap_or_else(|| panic!("{output}"));
    let (error, _) = error.split_once("\n\n\nfailures:").unwrap_or((error, ""));
    assert!(error.contains("breaking: "), "{error}");
    walk.show("cargo test --test manifests", &format!("Error: {error}"));
    walk.check();
}
