//! The programs of a control plane: where they are, and how they are built.

use std::{
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::{ControlPlaneError, process::Process};

/// The sources of a program that is etcd and kube-apiserver in one process.
const SOURCES: [(&str, &str); 3] = [
    ("go.mod", include_str!("../../control-plane/go.mod")),
    ("go.sum", include_str!("../../control-plane/go.sum")),
    ("main.go", include_str!("../../control-plane/main.go")),
];
const VERSION_PACKAGES: [&str; 2] = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
/// The variable that makes kube-controller-manager built from source, if it is `1`.
const BUILDS_CONTROLLER_MANAGER: &str = "CRDKIT_KUBE_CONTROLLER_MANAGER";
const CONTROL_PLANE: GoProgram = GoProgram { name: "control-plane", package: ".", modules: "readonly" };
/// It has modules whose checksums the sources lack; Go adds them from its checksum database.
const CONTROLLER_MANAGER: GoProgram = GoProgram {
    name: "kube-controller-manager",
    package: "k8s.io/kubernetes/cmd/kube-controller-manager",
    modules: "mod",
};
const KUBEBUILDER_FOLDER: &str = "/usr/local/kubebuilder/bin";

/// A program that Go builds from the modules of the sources.
struct GoProgram {
    name: &'static str,
    package: &'static str,
    /// The mode of `go build` in which it uses modules.
    modules: &'static str,
}

/// The programs of a control plane.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    servers: Servers,
    controller_manager: Option<PathBuf>,
}

#[derive(Clone, Debug)]
enum Servers {
    /// Both in one process.
    Built { program: PathBuf, version: String },
    /// The programs that a user of kubebuilder has.
    Found { etcd: PathBuf, api_server: PathBuf },
}

impl Programs {
    pub(super) fn find_or_build(has_controllers: bool) -> Result<Self, ControlPlaneError> {
        let controller_manager = if has_controllers { Some(controller_manager()?) } else { None };
        let servers = Servers::find().map_or_else(Servers::build, Ok)?;
        Ok(Self { servers, controller_manager })
    }

    pub(super) fn built_version(&self) -> Option<&str> {
        match &self.servers {
            Servers::Built { version, .. } => Some(version),
            Servers::Found { .. } => None,
        }
    }

    /// Starts etcd with its data in `dir`, and kube-apiserver with the flags.
    pub(super) fn spawn(&self, dir: &Path, log: &Path, flags: &[String]) -> io::Result<Vec<Process>> {
        match &self.servers {
            Servers::Built { program, .. } => {
                let mut command = Command::new(program);
                command.arg(dir).args(flags);
                Ok(vec![Process::spawn(command, log)?])
            }
            Servers::Found { etcd, api_server } => {
                let client_url = format!("http://127.0.0.1:{}", free_port()?);
                let etcd = etcd_command(etcd, &dir.join("etcd"), &client_url)?;
                let mut api_server = Command::new(api_server);
                api_server.arg(format!("--etcd-servers={client_url}")).args(flags);
                Ok(vec![Process::spawn_kept(&etcd, dir, log)?, Process::spawn_kept(&api_server, dir, log)?])
            }
        }
    }

    /// Starts kube-controller-manager.
    pub(super) fn spawn_controllers(
        &self,
        dir: &Path,
        log: &Path,
        flags: &[String],
    ) -> Result<Process, ControlPlaneError> {
        let program = self.controller_manager.as_ref().ok_or(ControlPlaneError::NoControllerManager)?;
        let mut command = Command::new(program);
        command.args(flags);
        Ok(Process::spawn_kept(&command, dir, log)?)
    }
}

impl Servers {
    fn find() -> Option<Self> {
        let etcd = find_asset("TEST_ASSET_ETCD", "etcd")?;
        let api_server = find_asset("TEST_ASSET_KUBE_APISERVER", "kube-apiserver")?;
        Some(Self::Found { etcd, api_server })
    }

    fn build() -> Result<Self, ControlPlaneError> {
        let program = CONTROL_PLANE.build()?;
        Ok(Self::Built { program, version: kubernetes_version().to_owned() })
    }
}

fn controller_manager() -> Result<PathBuf, ControlPlaneError> {
    let found = find_asset("TEST_ASSET_KUBE_CONTROLLER_MANAGER", "kube-controller-manager");
    match found {
        Some(program) => Ok(program),
        None if env::var_os(BUILDS_CONTROLLER_MANAGER).is_some_and(|it| it == "1") => CONTROLLER_MANAGER.build(),
        None => Err(ControlPlaneError::NoControllerManager),
    }
}

impl GoProgram {
    /// Returns the program, built now or before.
    fn build(&self) -> Result<PathBuf, ControlPlaneError> {
        let folder = cache().join(fingerprint()?);
        let program = folder.join(self.name);
        if program.exists() {
            return Ok(program);
        }
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join(format!("lock-of-{}", self.name)))?;
        lock.lock()?;
        if !program.exists() {
            self.compile(&folder, &program)?;
        }
        Ok(program)
    }

    /// Builds beside the place and moves the program there, so that it is whole or absent.
    fn compile(&self, folder: &Path, program: &Path) -> Result<(), ControlPlaneError> {
        // Past the capture of the test runner, because it takes minutes.
        let _ = writeln!(io::stderr(), "\n==> building {}, once; the first time takes some minutes\n", self.name);
        let sources = folder.join(format!("source-of-{}", self.name));
        fs::create_dir_all(&sources)?;
        for (name, text) in SOURCES {
            fs::write(sources.join(name), text)?;
        }
        let unfinished = program.with_extension("unfinished");
        let built = run(Command::new("go")
            .current_dir(&sources)
            .args(["build", "-trimpath", "-buildvcs=false", "-mod", self.modules])
            .args(["-ldflags", &linker_flags(kubernetes_version()), "-o"])
            .arg(&unfinished)
            .arg(self.package)
            .envs([("CGO_ENABLED", "0"), ("GOTOOLCHAIN", "local"), ("GOWORK", "off")]));
        built.map_err(|reason| ControlPlaneError::Build { reason })?;
        Ok(fs::rename(unfinished, program)?)
    }
}

/// A port that was free a moment ago.
pub(super) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn etcd_command(program: &Path, data: &Path, client_url: &str) -> io::Result<Command> {
    let mut command = Command::new(program);
    command
        .arg(format!("--data-dir={}", data.display()))
        .arg(format!("--listen-client-urls={client_url}"))
        .arg(format!("--advertise-client-urls={client_url}"))
        .arg(format!("--listen-peer-urls=http://127.0.0.1:{}", free_port()?))
        .arg("--unsafe-no-fsync=true");
    Ok(command)
}

fn find_asset(variable: &str, name: &str) -> Option<PathBuf> {
    let candidates = [
        env::var_os(variable).map(PathBuf::from),
        env::var_os("KUBEBUILDER_ASSETS").map(|folder| Path::new(&folder).join(name)),
        Some(Path::new(KUBEBUILDER_FOLDER).join(name)),
    ];
    candidates.into_iter().flatten().find(|path| path.is_file())
}

/// Returns the folder of the programs that were built before: in cargo's target folder, or in the user's cache.
fn cache() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    let is_target = |folder: &&Path| folder.ends_with("target") || folder.join("CACHEDIR.TAG").is_file();
    if let Some(target) = program.ancestors().find(is_target) {
        return target.join("control-plane");
    }
    let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let caches = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap_or_else(env::temp_dir);
    caches.join("crdkit").join("control-plane")
}

/// Returns a name for what is built by this version of Go from these sources.
fn fingerprint() -> Result<String, ControlPlaneError> {
    let no_programs = |reason: String| ControlPlaneError::NoPrograms { reason };
    let go = run(Command::new("go").arg("version")).map_err(no_programs)?;
    let mut hasher = DefaultHasher::new();
    go.stdout.hash(&mut hasher);
    SOURCES.iter().for_each(|(_, text)| text.as_bytes().hash(&mut hasher));
    Ok(format!("{:016x}", hasher.finish()))
}

fn kubernetes_version() -> &'static str {
    let (_, module) = SOURCES[0];
    let version = module.lines().find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "));
    version.expect("go.mod requires k8s.io/kubernetes")
}

/// Puts the version where `/version` reads it, which the build of a release does too.
fn linker_flags(version: &str) -> String {
    let mut numbers = version.trim_start_matches('v').split('.');
    let (major, minor) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let mut flags = "-s -w".to_owned();
    for package in VERSION_PACKAGES {
        flags += &format!(
            " -X {package}.gitVersion={version} -X {package}.gitMajor={major} -X {package}.gitMinor={minor} \
             -X {package}.gitTreeState=clean -X {package}.gitCommit=none"
        );
    }
    flags
}

fn run(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))
    }
}
