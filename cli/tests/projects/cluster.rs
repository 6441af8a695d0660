//! A real kube-apiserver, and the programs of a project that use it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio},
};

use crate::{Projects, target, write_script};

/// A program of the project that starts a control plane, and prints the path of a kubeconfig. It creates the object
/// on standard input, and prints the condition `Ready` that the operator sets, and once the leader has ended, that its lease is free. If
/// the object is there, it deletes it.
const PROGRAM: &str = r#"
use std::{error::Error, io, time::Duration};

use crdkit_api_server::ControlPlane;
use garage::{NAME, NAMESPACE, car::Car};
use k8s_openapi::api::{coordination::v1::Lease, core::v1::Namespace};
use tokio::time::sleep;

const INTERVAL: Duration = Duration::from_millis(50);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let plane = ControlPlane::start()?;
    let client = plane.client().field_manager("test");
    let cars = client.resources::<Car>().namespace("default");
    let leases = client.resources::<Lease>().namespace("default");
    // For the certificates of the webhooks.
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some(NAMESPACE.into());
    client.resources::<Namespace>().create(&namespace).await?;
    println!("{}", plane.kubeconfig().display());
    for line in io::stdin().lines() {
        let car: Car = serde_json::from_str(&line?)?;
        let name = car.metadata.name.clone().unwrap_or_default();
        if cars.get_opt(&name).await?.is_some() {
            cars.delete(&name).await?;
            println!("deleted");
            continue;
        }
        cars.create(&car).await?;
        let ready = loop {
            let conditions = cars.get(&name).await?.status.map(|status| status.conditions).unwrap_or_default();
            match conditions.into_iter().find(|condition| condition.type_ == "Ready") {
                Some(ready) => break ready,
                None => sleep(INTERVAL).await,
            }
        };
        println!("{}: {}", ready.status, ready.message);
        while leases.get(NAME).await?.spec.unwrap_or_default().holder_identity.is_some_and(|holder| !holder.is_empty()) {
            sleep(INTERVAL).await;
        }
        println!("free");
    }
    Ok(())
}
"#;

/// A control plane for a project.
pub(crate) struct Cluster {
    plane: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    kubeconfig: String,
    cargo: PathBuf,
}

impl Cluster {
    /// Writes the program into a project, as an example.
    pub(crate) fn write_program(project: &Path) {
        fs::create_dir_all(project.join("examples")).unwrap();
        fs::write(project.join("examples/plane.rs"), PROGRAM).unwrap();
    }

    pub(crate) fn start(projects: &Projects) -> Self {
        let mut command = Command::new(target().join("debug/examples/plane"));
        let mut plane = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (plane.stdin.take(), BufReader::new(plane.stdout.take().unwrap()));
        // It runs what the session has built: with the features of the program alone, cargo would compile crdkit again.
        let cargo = projects.directory.join("cargo-of-walk");
        let crds = target().join("debug/crds");
        write_script(&cargo, &format!("shift 5 && CARGO_MANIFEST_DIR=$PWD exec '{}' \"$@\"", crds.display()));
        let mut cluster = Self { plane, stdin, stdout, kubeconfig: String::new(), cargo };
        cluster.kubeconfig = cluster.next_line();
        cluster
    }

    /// Runs `cargo crdkit` with this cluster as the current context.
    pub(crate) fn crdkit(&self, projects: &Projects, words: &str) -> Output {
        let mut command = projects.command("garage", &words.split(' ').collect::<Vec<_>>());
        command.env("CARGO", &self.cargo).env("KUBECONFIG", &self.kubeconfig).output().unwrap()
    }

    /// Deletes an object that exists.
    pub(crate) fn delete(&mut self, object: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{object}").unwrap();
        assert_eq!(self.next_line(), "deleted");
    }

    /// Runs the operator until it has reconciled an object, and returns the lines of its log about the lease, without the time and
    /// the fields.
    pub(crate) fn run_operator(&mut self, program: &Path, object: &str) -> String {
        let mut command = Command::new(program);
        command
            .env("KUBECONFIG", &self.kubeconfig)
            .env("HEALTH_PROBE_BIND_ADDRESS", "0")
            .env("METRICS_BIND_ADDRESS", "0");
        let mut operator = Operator(command.stderr(Stdio::piped()).spawn().unwrap());
        writeln!(self.stdin.as_mut().unwrap(), "{object}").unwrap();
        assert_eq!(self.next_line(), "True: Hello");
        let log = operator.terminate();
        assert_eq!(self.next_line(), "free");
        let lines = log.lines().filter(|line| line.contains("::leader_election::elector: "));
        let without_time =
            lines.filter_map(|line| Some(line.split_once(' ')?.1.trim().split(" lease=").next()?.to_owned()));
        without_time.collect::<Vec<_>>().join("\n")
    }

    fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the control plane has ended");
        line.trim().to_owned()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.plane.wait();
    }
}

/// The operator as a process.
struct Operator(Child);

impl Operator {
    /// Ends the operator as Kubernetes does, and returns its log.
    fn terminate(&mut self) -> String {
        let sent = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let status = self.0.wait().unwrap();
        let mut log = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert!(status.success(), "the operator ended with {status}:\n{log}");
        log
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        // It has ended, unless the test fails.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
