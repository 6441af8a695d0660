use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use kube::{Client, Config};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    connection::Connection,
    process::Process,
    programs::{Programs, free_port},
};

const TOKEN: &str = "crdkit";
const START_LIMIT: Duration = Duration::from_secs(120);
const START_ATTEMPTS: usize = 3;
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const LOG_TAIL_LINES: usize = 40;

/// A kube-apiserver with its etcd, empty at first, of which the client is the administrator.
///
/// No controllers run: nothing collects garbage, namespaces never finish deleting, no service accounts appear.
pub struct ControlPlane {
    programs: Programs,
    flags: Vec<String>,
    port: u16,
    processes: Vec<Process>,
    connection: Option<Connection>,
    dir: TempDir,
}

/// What etcd had on its disk at some moment.
pub struct Backup(TempDir);

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

impl ControlPlane {
    /// The control plane of this test binary, started by the first call.
    ///
    /// `None` if the machine has neither the programs nor what it takes to build them, which is said on standard error.
    ///
    /// # Panics
    ///
    /// Instead of `None` if `CRDKIT_REQUIRE_CONTROL_PLANE=1`, and if the programs are there but do not start.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Result<Option<ControlPlane>>> = OnceLock::new();
        match SHARED.get_or_init(|| Self::try_start(&[])) {
            Ok(plane) => plane.as_ref(),
            Err(error) => panic!("{error:#}"),
        }
    }

    /// Starts a control plane of the caller's own, which ends when it is dropped. `None` as for [`Self::shared`].
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// As [`Self::start`], with more flags for kube-apiserver, such as `--emulated-version=kube=1.35`.
    pub fn start_with(flags: &[&str]) -> Option<Self> {
        Self::try_start(flags).unwrap_or_else(|error| panic!("{error:#}"))
    }

    fn try_start(flags: &[&str]) -> Result<Option<Self>> {
        if is_replaced() {
            return Ok(None);
        }
        match Programs::find_or_build() {
            Ok(programs) => Self::start_programs(&programs, flags).map(Some),
            Err(reason) if is_required() => Err(reason.context("no control plane, but one is required")),
            Err(reason) => {
                announce(&format!("NO CONTROL PLANE, so tests that need one prove nothing: {reason:#}"));
                Ok(None)
            }
        }
    }

    fn start_programs(programs: &Programs, flags: &[&str]) -> Result<Self> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut plane = Self::prepare(programs, flags)?;
            match plane.launch() {
                Ok(()) => return Ok(plane),
                Err(_) if attempts < START_ATTEMPTS && plane.lost_a_port() => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn prepare(programs: &Programs, flags: &[&str]) -> Result<Self> {
        let plane = Self {
            programs: programs.clone(),
            flags: flags.iter().map(ToString::to_string).collect(),
            port: free_port()?,
            processes: Vec::new(),
            connection: None,
            dir: tempfile::Builder::new().prefix("control-plane-").tempdir()?,
        };
        fs::write(plane.path("tokens.csv"), format!("{TOKEN},admin,admin,\"system:masters\"\n"))?;
        fs::write(plane.kubeconfig(), plane.render_kubeconfig())?;
        Ok(plane)
    }

    fn launch(&mut self) -> Result<()> {
        self.processes = self.programs.spawn(self.dir.path(), &self.log(), &self.api_server_flags())?;
        let opened = self.wait_until_ready();
        self.connection =
            Some(opened.with_context(|| format!("the control plane did not start\n{}", self.log_tail()))?);
        Ok(())
    }

    /// Kills the processes and keeps their data and port for [`Self::resume`].
    pub fn halt(&mut self) {
        self.processes.drain(..).for_each(Process::halt);
    }

    /// Kills the processes as by `kill -9`, and keeps their data and port for [`Self::resume`].
    pub fn kill(&mut self) {
        self.signal("KILL");
        self.processes.clear();
    }

    /// Stops the processes in the middle of what they do, as a hypervisor would. Their connections stay open.
    pub fn freeze(&self) {
        self.signal("STOP");
        // The signal is on its way.
        thread::sleep(POLL_INTERVAL);
    }

    /// Lets the processes go on.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// A copy of what etcd has on its disk, taken between two steps of the processes.
    pub fn back_up(&self) -> Backup {
        let backup = tempfile::Builder::new().prefix("backup-").tempdir();
        let backup = backup.expect("a folder can be made");
        self.freeze();
        let copied = copy(&self.data(), backup.path());
        self.thaw();
        copied.unwrap_or_else(|error| panic!("etcd's data cannot be copied: {error:#}"));
        Backup(backup)
    }

    /// Starts the control plane again, on older data, with the same port and certificates. What was written since is lost,
    /// and its versions will be made again.
    pub fn restore(&mut self, backup: &Backup) {
        self.kill();
        let put_back = fs::remove_dir_all(self.data())
            .map_err(anyhow::Error::from)
            .and_then(|()| copy(backup.0.path(), &self.data()));
        put_back.unwrap_or_else(|error| panic!("etcd's data cannot be put back: {error:#}"));
        self.resume();
    }

    fn signal(&self, signal: &str) {
        for process in &self.processes {
            let sent = process.signal(signal);
            sent.unwrap_or_else(|error| panic!("no signal can be sent: {error:#}"));
        }
    }

    fn data(&self) -> PathBuf {
        self.path("etcd")
    }

    /// Starts a halted control plane again.
    pub fn resume(&mut self) {
        assert!(self.processes.is_empty(), "only a halted control plane can be resumed");
        self.launch().unwrap_or_else(|error| panic!("{error:#}"));
    }

    /// Ends the control plane and removes its data, as dropping does.
    pub fn stop(self) {}

    /// A client for the runtime of the caller, as a client does not outlive the runtime that made it.
    pub fn client(&self) -> Client {
        Client::try_from(self.config()).expect("the configuration of the control plane is valid")
    }

    /// The configuration of [`Self::client`], for a client that differs.
    pub fn config(&self) -> Config {
        self.connection().config().clone()
    }

    /// A kubeconfig file, for kubectl and the like.
    pub fn kubeconfig(&self) -> PathBuf {
        self.path("kubeconfig")
    }

    /// The Kubernetes version such as `v1.37.1` if the control plane was built from `tests/control-plane`.
    pub fn built_version(&self) -> Option<&str> {
        self.programs.built_version()
    }

    pub(crate) fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("the control plane has been ready")
    }

    fn api_server_flags(&self) -> Vec<String> {
        let (port, key) = (self.port, self.path("apiserver.key"));
        let mut flags = vec![
            "--advertise-address=127.0.0.1".to_owned(),
            "--allow-privileged=true".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            "--bind-address=127.0.0.1".to_owned(),
            // kube-apiserver writes its serving certificate and key here, and the key signs the service accounts too.
            format!("--cert-dir={}", self.dir.path().display()),
            "--disable-admission-plugins=ServiceAccount".to_owned(),
            "--endpoint-reconciler-type=none".to_owned(),
            format!("--secure-port={port}"),
            format!("--service-account-issuer=https://127.0.0.1:{port}/"),
            format!("--service-account-key-file={}", key.display()),
            format!("--service-account-signing-key-file={}", key.display()),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
            format!("--token-auth-file={}", self.path("tokens.csv").display()),
        ];
        flags.extend_from_slice(&self.flags);
        flags
    }

    fn render_kubeconfig(&self) -> String {
        json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "contexts": [{ "name": "test", "context": { "cluster": "test", "user": "admin" } }],
            "users": [{ "name": "admin", "user": { "token": TOKEN } }],
            "clusters": [{ "name": "test", "cluster": {
                "server": format!("https://127.0.0.1:{}", self.port),
                "certificate-authority": self.path("apiserver.crt"),
            } }],
        })
        .to_string()
    }

    fn wait_until_ready(&mut self) -> Result<Connection> {
        let deadline = Instant::now() + START_LIMIT;
        loop {
            match Connection::open(&self.kubeconfig()) {
                Ok(connection) => return Ok(connection),
                Err(_) if self.processes.iter_mut().any(Process::has_ended) => {
                    bail!("a process ended before the API server was ready")
                }
                Err(error) if Instant::now() > deadline => {
                    return Err(error.context(format!("not ready after {START_LIMIT:?}")));
                }
                Err(_) => thread::sleep(POLL_INTERVAL),
            }
        }
    }

    fn lost_a_port(&self) -> bool {
        fs::read_to_string(self.log()).is_ok_and(|log| log.contains("address already in use"))
    }

    fn log_tail(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n")
    }

    fn log(&self) -> PathBuf {
        self.path("control-plane.log")
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }
}

/// Returns whether the tests use the API server in the process only.
fn is_replaced() -> bool {
    std::env::var("CRDKIT_API_SERVER").is_ok_and(|server| server == "process")
}

fn is_required() -> bool {
    std::env::var("CRDKIT_REQUIRE_CONTROL_PLANE").is_ok_and(|value| value == "1")
}

/// Writes to standard error past the capture of the test runner, which hides what passing tests print.
pub(crate) fn announce(message: &str) {
    let _ = writeln!(io::stderr(), "\n==> {message}\n");
}
