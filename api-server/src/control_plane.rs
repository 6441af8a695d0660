//! A real control plane for tests.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use crdkit::Client;
use kube::{
    Config,
    client::Body,
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::json;
use tempfile::TempDir;

mod builder;
mod error;
mod flags;
mod process;
mod programs;

pub use builder::ControlPlaneBuilder;
pub use error::ControlPlaneError;
use process::Process;
use programs::{Programs, free_port};

const TOKEN: &str = "crdkit";
const START_LIMIT: Duration = Duration::from_secs(120);
const START_ATTEMPTS: usize = 3;
const PROBE_LIMIT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const LOG_TAIL_LINES: usize = 40;

/// A real kube-apiserver with its etcd, for end-to-end tests. It is empty at first, and its clients are administrators.
///
/// ```no_run
/// use crdkit_api_server::ControlPlane;
/// use k8s_openapi::api::core::v1::Namespace;
///
/// # async fn test() -> Result<(), Box<dyn std::error::Error>> {
/// let control_plane = ControlPlane::shared()?;
/// let namespaces = control_plane.client().resources::<Namespace>();
/// assert!(namespaces.get_opt("default").await?.is_some());
/// # Ok(())
/// # }
/// ```
///
/// The programs `etcd` and `kube-apiserver` are taken from the folder in `KUBEBUILDER_ASSETS`, from `TEST_ASSET_ETCD` and
/// `TEST_ASSET_KUBE_APISERVER`, or from `/usr/local/kubebuilder/bin`. Otherwise Go builds one program of both from source, once, which
/// takes about ten minutes; it is kept in the folder `control-plane` of cargo's target folder.
///
/// They run with `GOGC=200` unless the environment has another value: with more memory than usual, they take less processor time.
///
/// The processes stop when the value is dropped, also by a panic, and when the process of the tests ends for another reason. A drop
/// by a panic keeps the log, and prints its place.
///
/// No controllers run, unless [`ControlPlaneBuilder::controllers`] adds them: nothing collects garbage, deleted namespaces stay, and
/// no service accounts are created. [`ApiServer`](super::ApiServer) needs no programs and starts faster.
pub struct ControlPlane {
    programs: Programs,
    options: ControlPlaneBuilder,
    port: u16,
    processes: Vec<Process>,
    config: Option<Config>,
    dir: TempDir,
}

/// The data of etcd at a moment, which [`ControlPlane::back_up`] returns.
pub struct ControlPlaneBackup(TempDir);

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
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
    /// Returns the control plane that all tests of a process share. The first call starts it, which blocks the thread for some
    /// seconds.
    ///
    /// # Errors
    ///
    /// If there are no programs and they cannot be built, or if they do not start.
    pub fn shared() -> Result<&'static Self, &'static ControlPlaneError> {
        static SHARED: OnceLock<Result<ControlPlane, ControlPlaneError>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// Starts a control plane of the caller's own, which stops when it is dropped. This blocks the thread for some seconds.
    ///
    /// # Errors
    ///
    /// If there are no programs and they cannot be built, or if they do not start.
    pub fn start() -> Result<Self, ControlPlaneError> {
        Self::builder().start()
    }

    /// Returns the options of a control plane:
    ///
    /// ```no_run
    /// use crdkit_api_server::ControlPlane;
    ///
    /// let control_plane = ControlPlane::builder().flag("--emulated-version=kube=1.35").start()?;
    /// # Ok::<(), crdkit_api_server::ControlPlaneError>(())
    /// ```
    pub fn builder() -> ControlPlaneBuilder {
        ControlPlaneBuilder::default()
    }

    fn start_with(options: &ControlPlaneBuilder) -> Result<Self, ControlPlaneError> {
        let programs = Programs::find_or_build(options.has_controllers)?;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut plane = Self::prepare(&programs, options)?;
            match plane.launch() {
                Ok(()) => return Ok(plane),
                Err(_) if attempts < START_ATTEMPTS && plane.lost_a_port() => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn prepare(programs: &Programs, options: &ControlPlaneBuilder) -> Result<Self, ControlPlaneError> {
        let plane = Self {
            programs: programs.clone(),
            options: options.clone(),
            port: free_port()?,
            processes: Vec::new(),
            config: None,
            dir: tempfile::Builder::new().prefix("control-plane-").tempdir()?,
        };
        fs::write(plane.path("tokens.csv"), format!("{TOKEN},admin,admin,\"system:masters\"\n"))?;
        fs::write(plane.kubeconfig(), plane.render_kubeconfig())?;
        Ok(plane)
    }

    fn launch(&mut self) -> Result<(), ControlPlaneError> {
        let (dir, log) = (self.dir.path(), self.log());
        self.processes = self.programs.spawn(dir, &log, &self.api_server_flags())?;
        let started = self.wait_until_ready();
        self.config = Some(started.map_err(|reason| ControlPlaneError::Start { reason, log: self.log_tail() })?);
        if self.options.has_controllers {
            let flags = self.controller_manager_flags();
            self.processes.push(self.programs.spawn_controllers(self.dir.path(), &self.log(), &flags)?);
        }
        Ok(())
    }

    /// Stops the processes, and keeps their data and port for [`Self::resume`].
    pub fn halt(&mut self) {
        self.processes.drain(..).for_each(Process::halt);
    }

    /// Kills the processes as by `kill -9`, and keeps their data and port for [`Self::resume`].
    ///
    /// # Panics
    ///
    /// If the processes cannot be killed.
    pub fn kill(&mut self) {
        self.signal("KILL");
        self.processes.clear();
    }

    /// Pauses the processes, as a hypervisor would. Their connections stay open.
    ///
    /// # Panics
    ///
    /// If the processes cannot be paused.
    pub fn freeze(&self) {
        self.signal("STOP");
        // The signal is on its way.
        thread::sleep(POLL_INTERVAL);
    }

    /// Continues the processes after [`Self::freeze`].
    ///
    /// # Panics
    ///
    /// If the processes cannot be continued.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// Copies the data of etcd, between two steps of the processes.
    ///
    /// # Panics
    ///
    /// If the data cannot be copied.
    pub fn back_up(&self) -> ControlPlaneBackup {
        let backup = tempfile::Builder::new().prefix("backup-").tempdir().expect("a folder can be made");
        self.freeze();
        let copied = copy(&self.data(), backup.path());
        self.thaw();
        copied.unwrap_or_else(|error| panic!("etcd's data cannot be copied: {error}"));
        ControlPlaneBackup(backup)
    }

    /// Starts the control plane again, on older data, with the same port and certificates. What was written since is lost,
    /// and its versions will be made again.
    ///
    /// # Panics
    ///
    /// If the data cannot be replaced, or the processes do not start.
    pub fn restore(&mut self, backup: &ControlPlaneBackup) {
        self.kill();
        let replaced = fs::remove_dir_all(self.data()).and_then(|()| copy(backup.0.path(), &self.data()));
        replaced.unwrap_or_else(|error| panic!("etcd's data cannot be replaced: {error}"));
        self.resume();
    }

    fn signal(&self, signal: &str) {
        for process in &self.processes {
            let sent = process.signal(signal);
            sent.unwrap_or_else(|error| panic!("no signal can be sent: {error}"));
        }
    }

    fn data(&self) -> PathBuf {
        self.path("etcd")
    }

    /// Starts a control plane again after [`Self::halt`] or [`Self::kill`].
    ///
    /// # Panics
    ///
    /// If the control plane runs, or does not start.
    pub fn resume(&mut self) {
        assert!(self.processes.is_empty(), "only a halted control plane can be resumed");
        self.launch().unwrap_or_else(|error| panic!("{error}"));
    }

    /// Stops the control plane and removes its data, as dropping does.
    pub fn stop(self) {}

    /// Returns a client of an administrator, with the default namespace `default`. It belongs to the tokio runtime of the caller. Its
    /// errors [quote values](Client::quote_values).
    pub fn client(&self) -> Client {
        Client::from(self.kube_client()).quote_values()
    }

    /// Returns kube's client of an administrator, with the default namespace `default`. It belongs to the tokio runtime of the caller.
    pub fn kube_client(&self) -> kube::Client {
        kube::Client::try_from(self.config()).expect("the configuration of the control plane is valid")
    }

    /// Returns the configuration of [`Self::kube_client`], for a client that differs.
    pub fn config(&self) -> Config {
        self.config.clone().expect("the control plane has been ready")
    }

    /// Returns the path of a kubeconfig file, for kubectl and programs in other languages.
    pub fn kubeconfig(&self) -> PathBuf {
        self.path("kubeconfig")
    }

    /// Returns the path of the log of all processes.
    pub fn log(&self) -> PathBuf {
        self.path("control-plane.log")
    }

    /// Returns the Kubernetes version, such as `v1.37.1`, if the control plane was built from source.
    pub fn built_version(&self) -> Option<&str> {
        self.programs.built_version()
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

    /// Waits until the server is ready, and returns the configuration of its clients. The error is the reason why it is not.
    fn wait_until_ready(&mut self) -> Result<Config, String> {
        let deadline = Instant::now() + START_LIMIT;
        loop {
            match probe(&self.kubeconfig()) {
                Ok(config) => return Ok(config),
                Err(_) if self.processes.iter_mut().any(Process::has_ended) => {
                    return Err("a process ended before the API server was ready".to_owned());
                }
                Err(error) if Instant::now() > deadline => {
                    return Err(format!("the API server was not ready after {START_LIMIT:?}: {error}"));
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

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        if thread::panicking() && !self.processes.is_empty() {
            let kept = std::env::temp_dir().join(format!("control-plane-{}.log", self.port));
            // The panic is more important than its log.
            if fs::copy(self.log(), &kept).is_ok() {
                eprintln!("the log of the control plane: {}", kept.display());
            }
        }
    }
}

/// Returns the configuration of clients, if the API server is ready.
fn probe(kubeconfig: &Path) -> Result<Config, Box<dyn std::error::Error + Send + Sync>> {
    let request = async {
        // Fails until kube-apiserver has written its certificate.
        let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        config.proxy_url = None;
        let client = kube::Client::try_from(config.clone())?;
        let response = client.send(http::Request::get("/readyz").body(Body::empty())?).await?;
        match response.status().as_u16() {
            200 => Ok(config),
            status => Err(format!("/readyz has the status {status}").into()),
        }
    };
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { tokio::time::timeout(PROBE_LIMIT, request).await? })
    };
    // kube logs each attempt before the API server is ready as an error.
    let run_silently = || tracing::subscriber::with_default(tracing::subscriber::NoSubscriber::default(), run);
    // The caller may be in a runtime, on whose threads nothing can wait for another one.
    thread::scope(|scope| scope.spawn(run_silently).join()).expect("a probe does not panic")
}
