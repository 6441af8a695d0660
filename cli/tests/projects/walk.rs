//! The way of a new user, from an empty folder to an operator that runs on a control plane. `walk.md` has what is printed.
//!
//! `CRDKIT_BLESS=1` writes the file. Without a control plane, the test is skipped.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::Instant,
};

use crate::{PROGRAMS, Projects, linted, session::Session, succeed, target, write_script};

const INTRODUCTION: &str = "\
# From an empty folder to an operator

A test runs these commands, with the crdkit of this repository, and compares what they print with this page. Left out are the progress
and the times of cargo. The sentence about the time at the end is measured from the first command to the last one.
";

/// The beginning of the sentence about the time.
const TIME: &str = "When this page was written, these commands took ";

/// The commands so far, with what they printed.
struct Walk {
    text: String,
    start: Instant,
}

/// Returns the page without the time, which differs each time.
fn without_time(page: &str) -> String {
    page.lines().filter(|line| !line.starts_with(TIME)).map(|line| format!("{line}\n")).collect()
}

impl Walk {
    fn describe(&mut self, text: &str) {
        self.text += &format!("\n{text}\n");
    }

    fn show(&mut self, command: &str, output: &str) {
        self.text += &format!("\n```console\n$ {command}\n{}\n```\n", output.trim_end());
    }

    fn check(mut self) {
        let time = self.start.elapsed().as_secs();
        self.text += &format!(
            "\n{TIME}{time} seconds on {} processors, with the compiled dependencies of the project.\n",
            std::thread::available_parallelism().unwrap()
        );
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("walk.md");
        if env::var("CRDKIT_BLESS").is_ok_and(|value| value == "1") {
            fs::write(&path, &self.text).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            without_time(&committed) == without_time(&self.text),
            "walk.md is out of date, CRDKIT_BLESS=1 updates it. It is now:\n{}",
            self.text
        );
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

/// A program that starts a control plane, and runs until standard input ends.
const PLANE: &str = r#"
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plane = crdkit::testing::ControlPlane::start()?;
    println!("{}", plane.kubeconfig().display());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}
"#;

/// A control plane for the project.
struct Cluster {
    plane: Child,
    kubeconfig: String,
    cargo: PathBuf,
}

impl Cluster {
    fn start(projects: &Projects) -> Self {
        let mut command = Command::new(target().join("debug/examples/plane"));
        let mut plane = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut kubeconfig = String::new();
        BufReader::new(plane.stdout.take().unwrap()).read_line(&mut kubeconfig).unwrap();
        assert!(!kubeconfig.is_empty(), "the control plane has not started");
        // It runs what the session has built: with the features of the program alone, cargo would compile crdkit again.
        let cargo = projects.directory.join("cargo-of-walk");
        let crds = target().join("debug/crds");
        write_script(&cargo, &format!("shift 5 && CARGO_MANIFEST_DIR=$PWD exec '{}' \"$@\"", crds.display()));
        Self { plane, kubeconfig: kubeconfig.trim().to_owned(), cargo }
    }

    fn crdkit(&self, projects: &Projects, words: &str) -> String {
        let mut command = projects.command("garage", &words.split(' ').collect::<Vec<_>>());
        succeed(command.env("CARGO", &self.cargo).env("KUBECONFIG", &self.kubeconfig).output().unwrap())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.plane.stdin.take());
        let _ = self.plane.wait();
    }
}

/// Runs the operator, and changes its code.
fn develop(projects: &Projects) -> String {
    let mut session = Session::start(projects, "garage");
    session.wait_for("the operator runs");
    let car = r#"{
        "apiVersion": "cars.example.com/v1alpha1", "kind": "Car", "metadata": { "name": "example" }, "spec": { "message": "Hello" }
    }"#;
    session.create("/apis/cars.example.com/v1alpha1/namespaces/default/cars", car);
    session.wait_for("Car default/example: Ready=True (Reconciled): Hello");

    let path = projects.directory.join("garage/src/car/controller.rs");
    let code = projects.read("garage/src/car/controller.rs");
    fs::write(path, code.replace("\"Reconciled\"", "\"Checked\"")).unwrap();
    session.wait_for("Car default/example: Ready=True (Checked): Hello");
    session.stop()
}

#[test]
fn from_an_empty_folder_to_an_operator() {
    if !has_control_plane() {
        eprintln!("skipped: there is neither Go nor KUBEBUILDER_ASSETS");
        return;
    }
    let _alone = PROGRAMS.lock();
    let projects = Projects::new("walk");
    projects.workspace("garage");
    let mut walk = Walk { text: INTRODUCTION.to_owned(), start: Instant::now() };

    let created = projects.new_project("garage", &["--group", "cars.example.com", "--kind", "Car", "--no-build"]);
    walk.show("cargo crdkit new garage --group cars.example.com --kind Car --no-build", &succeed(created));
    projects.join_workspace("garage");
    projects.use_features_in_tests("garage");
    let garage = projects.directory.join("garage");
    fs::create_dir_all(garage.join("examples")).unwrap();
    fs::write(garage.join("examples/plane.rs"), PLANE).unwrap();

    walk.describe("A second version, and a webhook:");
    for words in ["add version Car v1beta1", "add webhook Car"] {
        let arguments: Vec<_> = words.split(' ').collect();
        walk.show(&format!("cargo crdkit {words}"), &succeed(projects.crdkit("garage", &arguments)));
    }
    // With the features of the tests, as in `dev`, so that nothing is compiled twice.
    succeed(in_garage(&projects, &["build", "--bins", "--examples"]));
    let mut write = Command::new(target().join("debug/crds"));
    // Cargo sets the variable for the program as for this test.
    let written = succeed(write.arg("write").env("CARGO_MANIFEST_DIR", &garage).current_dir(&garage).output().unwrap());
    walk.show("cargo run --bin crds -- write", &written);

    walk.describe("The tests run the operator on an API server in the process and on a real kube-apiserver, and check the manifests:");
    let tested = succeed(in_garage(&projects, &["test"]));
    assert!(tested.contains("test objects_are_reconciled ... ok"), "{tested}");
    walk.show("END_TO_END=1 cargo test", &test_lines(&tested));

    walk.describe(
        "The operator runs on an API server without a cluster. Meanwhile, an object is created, and then the reason `Reconciled` in \
        `src/car/controller.rs` becomes `Checked`. Left out is what the operator prints:",
    );
    walk.show("cargo crdkit dev", &develop(&projects));

    walk.describe("The cluster of the current context is a real kube-apiserver now. Nothing runs Pods there, so `deploy` does not wait:");
    let cluster = Cluster::start(&projects);
    for words in ["install", "deploy --no-wait", "uninstall --operator"] {
        walk.show(&format!("cargo crdkit {words}"), &cluster.crdkit(&projects, words));
    }
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
