//! The program in each of its forms, and the output in the README.

use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use crdkit::{Client, CustomResourceExt as _};
use crdkit_api_server::ApiServer;
use crdkit_tests::{ControlPlane, Program, find_kubectl};
use example_quickstart::{
    output::{Form, Output},
    steps,
};
use example_resources::virtual_machine::VirtualMachine;

const QUICKSTART: &str = env!("CARGO_BIN_EXE_quickstart");
const STEPS: [&str; 7] = ["definition", "install", "create", "status", "scale", "refusal", "table"];

/// Replaces the ages, which the columns are as wide as.
fn without_ages(text: &str) -> String {
    let is_age = |word: &str| word.strip_suffix('s').is_some_and(|number| number.parse::<u32>().is_ok());
    let line = |line: &str| match line.rsplit_once(' ') {
        Some((start, age)) if is_age(age) => format!("{start} 0s\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

async fn sections() -> String {
    let mut written = Vec::new();
    let mut output = Output::new(&mut written, Form::Sections { color: false });
    steps::run(&ApiServer::new().client(), steps::IN_PROCESS, &mut output).await.unwrap();
    steps::show_options(&mut output).unwrap();
    String::from_utf8(written).unwrap()
}

#[tokio::test]
async fn the_readme_has_the_output() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let command = "```console\n$ cargo run -p example-quickstart\n";
    let (_, shown) = readme.split_once(command).expect("the README has the command");
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(shown, without_ages(&sections().await));
}

#[tokio::test]
async fn sections_fit_into_a_terminal() {
    for line in sections().await.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn lines_of_a_pipe_start_with_the_step() {
    let began = Instant::now();
    let output = Command::new(QUICKSTART).output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(20), "it ends by itself");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut found: Vec<_> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    found.dedup();
    assert_eq!(found[..STEPS.len()], STEPS, "{text}");
    assert!(!text.contains('\x1b'), "{text}");
    for line in ["informer: added web", "Running with 2 of 5 machines", "one disk must be bootable", "NAME   IMAGE"] {
        assert!(text.contains(line), "{text}");
    }
}

/// Runs the program in a pseudo-terminal, which the program `script` of util-linux makes.
fn in_terminal(no_color: &str) -> Option<String> {
    let script = Command::new("script").arg("--version").output().ok()?;
    if !String::from_utf8_lossy(&script.stdout).contains("util-linux") {
        return None;
    }
    let mut command = Command::new("script");
    command.args(["-qec", QUICKSTART, "/dev/null"]).env("NO_COLOR", no_color).env("TERM", "xterm");
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap().replace('\r', ""))
}

#[tokio::test]
async fn sections_of_a_terminal_have_colors() {
    let Some(colored) = in_terminal("") else {
        return;
    };
    assert!(colored.contains("\n\x1b[1m2. It is installed on an API server in this process\x1b[0m\n"), "{colored}");
    assert!(
        colored.contains("\x1b[31mcannot create VirtualMachine `bad` in namespace `default`: the object is invalid"),
        "{colored}"
    );
    let plain = in_terminal("1").unwrap();
    assert_eq!(without_ages(&plain), without_ages(&sections().await));
}

/// The program that listens.
struct Listening {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    kubeconfig: String,
}

impl Listening {
    fn start() -> Self {
        let mut child = Command::new(QUICKSTART).arg("--serve").stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let name = |line: String| line.split_once("export KUBECONFIG=").map(|it| it.1.to_owned());
        let kubeconfig = lines.by_ref().find_map(|line| name(line.unwrap()));
        Self { child, lines, kubeconfig: kubeconfig.expect("the program prints the name of a file") }
    }

    fn interrupt(mut self) {
        let interrupted = Command::new("kill").args(["-s", "INT", &self.child.id().to_string()]).status().unwrap();
        assert!(interrupted.success());
        self.lines.for_each(drop);
        assert!(self.child.wait().unwrap().success());
        assert!(!Path::new(&self.kubeconfig).exists());
    }
}

#[tokio::test]
async fn serve_listens_until_it_is_interrupted() {
    let listening = Listening::start();
    let text = std::fs::read_to_string(&listening.kubeconfig).unwrap();
    let config = kube::config::Kubeconfig::from_yaml(&text).unwrap();
    let options = kube::config::KubeConfigOptions::default();
    let mut config = kube::Config::from_custom_kubeconfig(config, &options).await.unwrap();
    config.proxy_url = None;
    assert!(steps::is_installed(&Client::try_from(config).unwrap()).await.unwrap());
    listening.interrupt();
}

/// Runs kubectl, and returns what it prints without what differs between servers. It caches what it discovers.
fn kubectl(program: &Path, kubeconfig: &Path, cache: &Path, command: &str) -> String {
    let mut kubectl = Command::new(program);
    kubectl.args(command.split(' ')).arg("--cache-dir").arg(cache).env("KUBECONFIG", kubeconfig);
    let output = kubectl.env("KUBE_EDITOR", "sed -i s/debian:13/debian:14/").output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let differs = ["UID:", "Resource Version:", "Creation Timestamp:", "Time:", "Last Transition Time:"];
    let lines = text.lines().filter(|line| !differs.iter().any(|name| line.trim_start().starts_with(name)));
    format!("{}\n{}", output.status.success(), without_ages(&lines.collect::<Vec<_>>().join("\n")))
}

/// Compares the program that listens with a cluster on which the steps have run.
fn kubectl_prints_the_same_as_with(plane: &ControlPlane) {
    let Some(program) = find_kubectl() else { return };
    let listening = Listening::start();
    let cache = tempfile::tempdir().unwrap();
    for command in [
        "get vm",
        "get vm -o wide",
        "describe vm web",
        "explain vm.spec.disks",
        "apply --server-side --field-manager=test -f virtualmachines.yaml",
        "scale vm web --replicas=4",
        "get vm web -o jsonpath={.spec.replicas}",
        "edit vm web",
        "wait vm web --for=jsonpath={.spec.image}=debian:14 --timeout=20s",
        "get vm none",
        "delete vm web",
    ] {
        let run = |kubeconfig: &Path, name: &str| kubectl(&program, kubeconfig, &cache.path().join(name), command);
        let ours = run(Path::new(&listening.kubeconfig), "ours");
        assert_eq!(ours, run(&plane.kubeconfig(), "theirs"), "kubectl {command}");
    }
    listening.interrupt();
}

#[tokio::test]
async fn cluster_keeps_nothing_and_changes_no_definition() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let text = Program::run(plane, QUICKSTART, &["--cluster"]);
    assert!(text.contains("one disk must be bootable"), "{text}");
    assert!(text.ends_with("removal     virtualmachines.infra.example.com: Deleted\n"), "{text}");
    let client = Client::from(plane.client());
    assert!(!steps::is_installed(&client).await.unwrap());

    client.install([VirtualMachine::crd()]).await.unwrap();
    let again = Command::new(QUICKSTART).arg("--cluster").env("KUBECONFIG", plane.kubeconfig()).output().unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&again.stdout), "");
    assert!(String::from_utf8_lossy(&again.stderr).contains("already"), "{again:?}");
    assert!(steps::is_installed(&client).await.unwrap());

    steps::run(&client, "", &mut Output::new(Vec::new(), Form::Lines)).await.unwrap();
    kubectl_prints_the_same_as_with(plane);
}

#[test]
fn other_arguments_are_refused() {
    let output = Command::new(QUICKSTART).arg("--help").output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"usage: "));
    assert_eq!(Command::new(QUICKSTART).arg("--watch").output().unwrap().status.code(), Some(2));
}
