//! Projects as a new user creates them: each passes rustfmt, clippy and its own tests.

mod cluster;
mod pipeline;
mod session;
#[cfg(target_os = "linux")]
mod terminal;
mod walk;

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Mutex,
};

use crdkit_oracles::remove_package_variables;

use self::pipeline::Ci;

/// Programs of different projects have the same names in the target folder, and the processor is busy with one test.
static PROGRAMS: Mutex<()> = Mutex::new(());

struct Projects {
    directory: PathBuf,
}

impl Projects {
    /// Creates a directory below the target folder, so that cargo compiles the same dependencies only once.
    fn new(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        Self { directory }
    }

    /// Runs `cargo crdkit` in a directory.
    fn crdkit(&self, directory: &str, arguments: &[&str]) -> Output {
        self.command(directory, arguments).output().unwrap()
    }

    fn command(&self, directory: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-crdkit"));
        command.arg("crdkit").args(arguments).current_dir(self.directory.join(directory));
        command
    }

    fn new_project(&self, name: &str, arguments: &[&str]) -> Output {
        let runtime = repository().join("runtime");
        let crdkit = ["--crdkit", runtime.to_str().unwrap()];
        let no_build = (!arguments.contains(&"--no-build")).then_some("--no-build");
        self.crdkit("", &[&["new", name], arguments, &crdkit, no_build.as_slice()].concat())
    }

    /// Creates a project, which writes its manifests. Its cargo makes it a member of the workspace, and builds it with the
    /// features of the workspace, so that nothing is compiled twice.
    fn new_built_project(&self, name: &str, arguments: &[&str]) -> Output {
        let folder = repository().canonicalize().unwrap();
        let clone = folder.to_str().unwrap();
        let join = format!("sed -i -e 's#\"{clone}/#\"../#' -e '/^# Backtraces/,$d' Cargo.toml");
        let build = format!("'{}' build --bins -p features -p {name}", env!("CARGO"));
        let run = format!("CARGO_MANIFEST_DIR=$PWD exec '{}/debug/crds'", target().display());
        let expected = "[ \"$1 $2 $3 $4\" = 'run --bin crds --' ]";
        let script = self.directory.join("cargo-of-workspace");
        write_script(&script, &format!("{expected} && {join} && {build} && shift 4 && {run} \"$@\""));
        let mut command = self.command("", &[&["new", name, "--crdkit", clone], arguments].concat());
        self.set_environment(&mut command);
        linted(command.env("CARGO", script))
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).current_dir(&self.directory);
        self.set_environment(&mut command);
        command
    }

    fn set_environment(&self, command: &mut Command) {
        remove_package_variables(command);
        command.env("CARGO_TARGET_DIR", target()).env_remove("CRDKIT_BLESS");
    }

    /// Makes the projects members of one workspace, so that cargo compiles them together, and crdkit as in the workspace of this
    /// repository: at the same paths, with the same versions and profiles. With the features of the package `features`, cargo
    /// uses what it has compiled there.
    fn workspace(&self, members: &str) {
        let root = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
        let (before, after) = root.split_once("members = [").unwrap();
        let (_, after) = after.split_once("\n]").unwrap();
        let root = format!("{before}members = [\"features\", \"{members}\"]{after}");
        fs::write(self.directory.join("Cargo.toml"), root).unwrap();
        fs::copy(repository().join("Cargo.lock"), self.directory.join("Cargo.lock")).unwrap();
        fs::create_dir_all(self.directory.join("tests")).unwrap();
        for (part, name) in [
            ("api-server", "api-server"),
            ("core", "core"),
            ("macros", "macros"),
            ("runtime", "runtime"),
            ("tools", "tools"),
            ("tests/features", "crdkit-features"),
            // What the tests of the API server use: cargo reads its manifest.
            ("tests/oracles", "tests/oracles"),
        ] {
            std::os::unix::fs::symlink(repository().join(part), self.directory.join(name)).unwrap();
        }
        self.write_features();
    }

    /// Writes a package with the features that everything has in the workspace of this repository.
    fn write_features(&self) {
        let tests = fs::read_to_string(repository().join("tests/Cargo.toml")).unwrap();
        let (_, list) = tests.split_once("\n[build-dependencies]\n").unwrap();
        let crdkit = list.lines().find(|line| line.starts_with("crdkit = ")).unwrap();
        let api_server = tests.lines().find(|line| line.starts_with("crdkit-api-server = ")).unwrap();
        let features = "crdkit-features = { path = \"../crdkit-features\" }";
        let package = "[package]\nname = \"features\"\nedition = \"2024\"";
        let manifest = format!("{package}\n\n[dependencies]\n{crdkit}\n{api_server}\n{features}\n");
        fs::create_dir_all(self.directory.join("features/src")).unwrap();
        fs::write(self.directory.join("features/Cargo.toml"), manifest).unwrap();
        fs::write(self.directory.join("features/src/lib.rs"), "").unwrap();
    }

    /// Changes the manifest of a project: a workspace has one profile, and one crdkit.
    fn join_workspace(&self, project: &str) {
        let clone = format!("\"{}/", repository().canonicalize().unwrap().display());
        self.change_manifest(project, |text| {
            let (text, _) = text.split_once("\n# Backtraces").unwrap();
            text.replace(&clone, "\"../")
        });
    }

    /// Adds the features of the package `features` to the tests of a project.
    fn use_features_in_tests(&self, project: &str) {
        let tests = "[dev-dependencies]\n";
        let features = format!("{tests}features = {{ path = \"../features\" }}\n");
        self.change_manifest(project, |text| text.replace(tests, &features));
    }

    fn change_manifest(&self, project: &str, change: impl FnOnce(&str) -> String) {
        let manifest = format!("{project}/Cargo.toml");
        let text = self.read(&manifest);
        let changed = change(&text);
        assert_ne!(text, changed);
        fs::write(self.directory.join(manifest), changed).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.directory.join(path)).unwrap()
    }
}

/// Writes a program. A shell does it: a process that another test starts would inherit the file of this one, and it would be busy.
fn write_script(path: &Path, lines: &str) {
    const WRITE: &str = r#"printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod 755 "$1""#;
    let mut shell = Command::new("sh");
    let written = shell.args(["-c", WRITE, "sh"]).arg(path).arg(lines).status().unwrap();
    assert!(written.success());
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The target folder of this test.
fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()
}

fn succeed(output: Output) -> String {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    out
}

fn fail(output: Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

const OPERATORS: [&str; 3] = ["car-operator", "road-operator", "bare-operator"];
/// Their packages, as arguments of cargo.
const PACKAGES: [&str; 6] = ["-p", OPERATORS[0], "-p", OPERATORS[1], "-p", OPERATORS[2]];

/// The flags of the last project.
const BARE: [&str; 6] = ["--group", "cars.example.com", "--kind", "Car", "--cluster-scoped", "--no-controller"];

/// Creates projects with all combinations of other flags, as one workspace, so that cargo compiles them together.
fn create_operators(name: &str) -> Projects {
    let projects = Projects::new(name);
    let car = ["--group", "cars.example.com", "--kind", "Car"];
    succeed(projects.new_project("car-operator", &car));
    let road = ["--group", "roads.of.a.very.long.domain.that.is.wider.than.a.line.example.com", "--kind", "HTTPRoad"];
    succeed(projects.new_project("road-operator", &[&road[..], &["--cluster-scoped", "--api-version", "v1"]].concat()));
    succeed(projects.crdkit("car-operator", &["add", "kind", "--group", "cars.example.com", "--kind", "Engine"]));
    let match_kind =
        ["add", "kind", "--group", "games.example.com", "--kind", "Match", "--cluster-scoped", "--no-controller"];
    succeed(projects.crdkit("car-operator", &match_kind));
    succeed(projects.crdkit("car-operator", &["add", "controller", "Match"]));
    let kind = "WheelWithANameThatIsTooLongForALineOfItsModule";
    let wheel = ["add", "kind", "--group", "cars.example.com", "--kind", kind, "--no-controller"];
    succeed(projects.crdkit("car-operator", &wheel));
    succeed(projects.crdkit("car-operator", &["add", "version", "Car", "v1beta1"]));
    succeed(projects.crdkit("car-operator", &["add", "version", "Car", "v1"]));
    succeed(projects.crdkit("car-operator", &["add", "webhook", "Car"]));
    succeed(projects.crdkit("car-operator", &["add", "webhook", "Match"]));
    succeed(projects.crdkit("road-operator", &["add", "version", "HTTPRoad", "v2"]));
    let lane = ["--group", "roads.example.com", "--kind", "Lane", "--api-version", "v2alpha1", "--no-controller"];
    succeed(projects.crdkit("road-operator", &[&["add", "kind"], &lane[..]].concat()));
    succeed(projects.crdkit("road-operator", &["add", "webhook", "Lane"]));
    succeed(projects.crdkit("road-operator", &["add", "version", "Lane", "v2"]));

    projects.workspace("*-operator");
    ["car-operator", "road-operator"].iter().for_each(|name| projects.join_workspace(name));
    projects
}

#[test]
#[ignore = "`just projects` runs it: it compiles programs"]
fn projects_pass_rustfmt_clippy_and_their_tests() {
    let _alone = PROGRAMS.lock();
    let projects = create_operators("projects");
    let created = succeed(projects.new_built_project(OPERATORS[2], &BARE));
    assert!(created.contains("wrote manifests/install.yaml\n") && !created.contains("-- write"), "{created}");
    let manifests = projects.read("bare-operator/manifests/install.yaml");
    for name in OPERATORS {
        let ci = Ci::read(&projects.directory.join(name));
        let [command] = ci.commands("cargo fmt")[..] else { panic!("{name} has one command for rustfmt") };
        succeed(ci.run(&projects, name, command));
    }
    let mut write = projects.cargo(&["test", "-p", "features", "--test", "manifests"]);
    succeed(linted(write.args(PACKAGES).env("CRDKIT_BLESS", "1")));
    let tests = succeed(linted(projects.cargo(&["test", "-p", "features"]).args(PACKAGES)));
    for test in [
        "car::controller::tests::objects_become_ready",
        "engine::controller",
        "match_::controller",
        "http_road::controller",
        "car::v1beta1::__test_of_conversion_of_car::car_converts_without_loss",
        "car::v1beta1::tests::samples_convert_in_both_directions",
        "http_road::v2::tests::samples_convert_in_both_directions",
        "car::v1::__test_of_conversion_of_car::car_converts_without_loss",
        "car::webhook::tests::samples_are_valid",
        "match_::webhook::tests::samples_are_valid",
        "http_road::v2::__test_of_conversion",
        "lane::v2::__test_of_conversion",
        "lane::webhook::tests::samples_are_valid",
        "webhooks::__test_of_webhooks::the_api_server_accepts_webhooks",
    ] {
        assert!(tests.contains(test), "{test} did not run:\n{tests}");
    }
    assert_eq!(projects.read("bare-operator/manifests/install.yaml"), manifests);
    assert!(projects.read("car-operator/manifests/crds/engines.cars.example.com.yaml").contains("kind: Engine"));
    let install = projects.read("car-operator/manifests/install.yaml");
    for part in ["strategy: Webhook", "kind: MutatingWebhookConfiguration", "containerPort: 9443", "kind: Deployment"] {
        assert!(install.contains(part), "{part}");
    }
}

#[test]
#[ignore = "`just projects` runs it, with what clippy has checked of the crates of others"]
fn projects_need_no_features_of_crdkit_but_those_of_their_manifests() {
    let _alone = PROGRAMS.lock();
    let projects = create_operators("checked_projects");
    succeed(projects.new_project(OPERATORS[2], &BARE));
    projects.join_workspace(OPERATORS[2]);
    // The features of the crates of others, but not those of crdkit.
    let features = ["-p", "crdkit-features"];
    succeed(linted(projects.cargo(&["check", "--bins"]).args(features).args(PACKAGES)));
    for name in OPERATORS {
        let ci = Ci::read(&projects.directory.join(name));
        let [command] = ci.commands("cargo clippy")[..] else { panic!("{name} has one command for clippy") };
        let (program, arguments) = command.split_at("cargo clippy".len());
        succeed(ci.run(&projects, name, &format!("{program} {} -p {name}{arguments}", features.join(" "))));
    }
}

fn linted(command: &mut Command) -> Output {
    lint(command);
    command.output().unwrap()
}

/// Compiles with clippy in the place of rustc, with warnings denied: a build serves as both.
fn lint(command: &mut Command) {
    let arguments = "-Dwarnings__CLIPPY_HACKERY__-Wclippy::all__CLIPPY_HACKERY__";
    let wrapper = repository().join("cli/tests/projects/clippy");
    command.env("RUSTC_WRAPPER", wrapper).env("CLIPPY_ARGS", arguments);
}

/// Otherwise, `cargo test` and `cargo run --bin crds` compile crdkit, kube and what depends on tokio twice.
#[test]
fn all_commands_have_the_same_features_of_dependencies() {
    let projects = Projects::new("features_of_dependencies");
    succeed(projects.new_project("garage", &["--group", "cars.example.com", "--kind", "Car"]));
    succeed(projects.crdkit("garage", &["add", "version", "Car", "v1"]));
    succeed(projects.crdkit("garage", &["add", "webhook", "Car"]));
    fs::copy(repository().join("Cargo.lock"), projects.directory.join("garage/Cargo.lock")).unwrap();
    // The project is no member of this repository's workspace.
    projects.change_manifest("garage", |text| format!("{text}\n[workspace]\n"));
    let tree = |edges: &str| {
        let format = ["--prefix", "none", "--no-dedupe", "--format", "{p} [{f}]", "--edges", edges];
        let mut command = projects.cargo(&[&["tree"], &format[..]].concat());
        let text = succeed(command.current_dir(projects.directory.join("garage")).output().unwrap());
        text.lines().filter(|line| !line.starts_with("garage ")).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let [programs, tests] = ["normal,build", "normal,build,dev"].map(tree);
    assert!(programs.iter().any(|line| line.starts_with("crdkit ") && line.contains("testing")), "{programs:?}");
    let differences: Vec<_> = programs.symmetric_difference(&tests).collect();
    assert!(differences.is_empty(), "{differences:?}");
}

#[test]
fn nothing_is_overwritten() {
    let projects = Projects::new("nothing_is_overwritten");
    let car = ["--group", "cars.example.com", "--kind", "Car"];
    succeed(projects.new_project("garage", &car));
    let error = fail(projects.new_project("garage", &car));
    assert_eq!(error, "error: `garage` already exists and is not empty: nothing was written\n");

    let library = projects.read("garage/src/lib.rs");
    let error = fail(projects.crdkit("garage", &[&["add", "kind"], &car[..]].concat()));
    assert_eq!(error, "error: `src/car.rs`, `src/car/controller.rs` already exist: nothing was written\n");
    assert_eq!(projects.read("garage/src/lib.rs"), library);
}

#[test]
fn a_project_whose_build_failed_is_completed() {
    let projects = Projects::new("failed_build");
    let clone = repository().to_str().unwrap();
    let cargo = projects.directory.join("cargo");
    let arguments = ["new", "garage", "--group", "cars.example.com", "--kind", "Car", "--crdkit", clone];
    let new = |arguments: &[&str]| projects.command("", arguments).env("CARGO", &cargo).output().unwrap();
    write_script(&cargo, "exit 1");
    let error = fail(new(&arguments));
    assert!(error.contains("`cargo run --bin crds -- write` failed"), "{error}");
    assert!(projects.read("garage/Cargo.toml").contains("/runtime\""), "the package in the clone");

    // What is missing is written, and what a person has written remains.
    fs::remove_file(projects.directory.join("garage/src/main.rs")).unwrap();
    write_script(&cargo, "mkdir manifests");
    let created = succeed(new(&arguments));
    assert!(created.starts_with("  created garage/src/main.rs\n\n"), "{created}");
    let error = fail(new(&arguments));
    assert_eq!(error, "error: `garage` already exists and is not empty: nothing was written\n");
    fs::remove_dir(projects.directory.join("garage/manifests")).unwrap();
    fs::write(projects.directory.join("garage/src/lib.rs"), "mine").unwrap();
    let error = fail(new(&arguments));
    assert_eq!(error, "error: `garage` already exists and is not empty: nothing was written\n");
    assert_eq!(projects.read("garage/src/lib.rs"), "mine");
}

#[test]
fn another_path_than_that_of_crdkit_is_refused() {
    let projects = Projects::new("other_path");
    let core = repository().join("core");
    let car = ["new", "garage", "--group", "cars.example.com", "--kind", "Car", "--no-build", "--crdkit"];
    let error = fail(projects.crdkit("", &[&car[..], &[core.to_str().unwrap()]].concat()));
    assert!(error.contains("is neither crdkit's package `runtime` nor a clone of its repository"), "{error}");
    assert!(!projects.directory.join("garage").exists());
}

#[test]
fn code_without_the_lists_is_left_alone() {
    let projects = Projects::new("code_without_the_lists");
    succeed(projects.new_project("garage", &["--group", "cars.example.com", "--kind", "Car"]));
    let library = projects.read("garage/src/lib.rs").replace("    // crdkit: kinds\n", "");
    fs::write(projects.directory.join("garage/src/lib.rs"), &library).unwrap();
    let error = fail(projects.crdkit("garage", &["add", "kind", "--group", "cars.example.com", "--kind", "Engine"]));
    assert!(error.contains("write the line yourself:\n\nlet crds = crds.add::<engine::Engine>();"), "{error}");
    assert_eq!(projects.read("garage/src/lib.rs"), library);
    assert!(!projects.directory.join("garage/src/engine.rs").exists());

    // Everything that is missing is printed at once, and what a person has written is there.
    let lines = library.lines().filter(|line| !line.trim().starts_with("// crdkit: ")).map(|line| format!("{line}\n"));
    let library: String = lines.collect();
    fs::write(projects.directory.join("garage/src/lib.rs"), &library).unwrap();
    let engine = ["add", "kind", "--group", "cars.example.com", "--kind", "Engine"];
    let error = fail(projects.crdkit("garage", &engine));
    let missing = ["pub mod engine;", "let crds = crds.add::<engine::Engine>();", "engine::controller(),"];
    assert!(missing.iter().all(|line| error.contains(&format!("\n\n{line}\n"))), "{error}");
    let written = library
        .replace("pub mod car;", &format!("pub mod car;\n{}", missing[0]))
        .replace("let crds = Crds::new();", &format!("let crds = Crds::new();\n    {}", missing[1]))
        .replace("car::controller(),", &format!("car::controller(),\n        {}", missing[2]));
    fs::write(projects.directory.join("garage/src/lib.rs"), &written).unwrap();
    let added = succeed(projects.crdkit("garage", &[&engine[..], &["--format", "json"]].concat()));
    assert!(added.starts_with("{\"path\":\"src/engine.rs\",\"state\":\"wrote\"}\n"), "{added}");
    assert_eq!(projects.read("garage/src/lib.rs"), written);
}

#[test]
fn versions_and_webhooks_are_added_once() {
    let projects = Projects::new("versions_and_webhooks");
    succeed(projects.new_project("garage", &["--group", "cars.example.com", "--kind", "Car"]));
    succeed(projects.crdkit("garage", &["add", "version", "Car", "v1"]));
    let library = projects.read("garage/src/lib.rs");
    assert!(
        library.contains("    let crds = crds.add_versions(webhooks::converted(&car::versions()));\n"),
        "{library}"
    );
    let error = fail(projects.crdkit("garage", &["add", "version", "Car", "v1"]));
    assert_eq!(error, "error: `src/car/v1.rs` already exists: nothing was written\n");
    let error = fail(projects.crdkit("garage", &["add", "version", "Car", "v1alpha1"]));
    assert_eq!(error, "error: `src/car.rs` has the version v1alpha1 already\n");
    succeed(projects.crdkit("garage", &["add", "webhook", "Car"]));
    let error = fail(projects.crdkit("garage", &["add", "webhook", "Car"]));
    assert_eq!(error, "error: `src/car/webhook.rs` already exists: nothing was written\n");
    let error = fail(projects.crdkit("garage", &["add", "webhook", "Engine"]));
    assert!(error.contains("Engine has no module `src/engine.rs`: add the kind first"), "{error}");
}

#[test]
fn changed_code_is_described_instead_of_edited() {
    let projects = Projects::new("changed_code");
    succeed(projects.new_project("garage", &["--group", "cars.example.com", "--kind", "Car"]));
    let path = projects.directory.join("garage/src/lib.rs");
    let library = projects.read("garage/src/lib.rs").replace("crds.add::<car::Car>()", "mine(crds)");
    fs::write(&path, &library).unwrap();
    let error = fail(projects.crdkit("garage", &["add", "version", "Car", "v1"]));
    assert!(error.contains("write\n\nlet crds = crds.add_versions(webhooks::converted(&car::versions()));"), "{error}");
    assert_eq!(projects.read("garage/src/lib.rs"), library);
    assert!(!projects.directory.join("garage/src/car/v1.rs").exists());
}

#[test]
fn missing_arguments_are_an_error_without_a_terminal() {
    let projects = Projects::new("missing_arguments");
    let error = fail(projects.new_project("garage", &["--group", "cars.example.com"]));
    assert!(error.contains("`--kind` is required"), "{error}");
    assert!(!projects.directory.join("garage").exists());
    let error = fail(projects.crdkit("", &["add", "controller", "Car"]));
    assert!(error.contains("Car has no module") || error.contains("no Cargo.toml"), "{error}");
}
