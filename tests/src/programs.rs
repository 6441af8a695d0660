use std::{
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context, Result, bail};

use crate::{control_plane::announce, process::Process};

const SOURCES: [&str; 3] = ["go.mod", "go.sum", "main.go"];
const VERSION_PACKAGES: [&str; 2] = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
const KUBEBUILDER_FOLDER: &str = "/usr/local/kubebuilder/bin";

/// The programs of a control plane.
#[derive(Clone, Debug)]
pub(crate) enum Programs {
    /// The program of `tests/control-plane`, which is both in one process.
    Built { program: PathBuf, version: String },
    /// The programs that a user of kubebuilder has.
    Found { etcd: PathBuf, api_server: PathBuf },
}

impl Programs {
    pub(crate) fn find_or_build() -> Result<Self> {
        match Self::find() {
            Some(found) => Ok(found),
            None => Self::build().context(
                "set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver, or install Go 1.26 or newer, with \
                 which tests/control-plane is built",
            ),
        }
    }

    fn find() -> Option<Self> {
        let etcd = find_asset("TEST_ASSET_ETCD", "etcd")?;
        let api_server = find_asset("TEST_ASSET_KUBE_APISERVER", "kube-apiserver")?;
        Some(Self::Found { etcd, api_server })
    }

    fn build() -> Result<Self> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("control-plane");
        let version = kubernetes_version(&sources)?;
        let program = cache().join(fingerprint(&sources)?).join("control-plane");
        fs::create_dir_all(program.parent().expect("the program is in a folder"))?;
        let lock = File::create(cache().join("lock"))?;
        lock.lock()?;
        if !program.exists() {
            compile(&sources, &version, &program)?;
        }
        Ok(Self::Built { program, version })
    }

    pub(crate) fn built_version(&self) -> Option<&str> {
        match self {
            Self::Built { version, .. } => Some(version),
            Self::Found { .. } => None,
        }
    }

    /// Starts etcd with its data in `dir`, and kube-apiserver with the flags.
    pub(crate) fn spawn(&self, dir: &Path, log: &Path, flags: &[String]) -> Result<Vec<Process>> {
        match self {
            Self::Built { program, .. } => {
                let mut command = Command::new(program);
                command.arg(dir).args(flags);
                Ok(vec![Process::spawn(command, log)?])
            }
            Self::Found { etcd, api_server } => {
                let client_url = format!("http://127.0.0.1:{}", free_port()?);
                let etcd = etcd_command(etcd, &dir.join("etcd"), &client_url)?;
                let mut api_server = Command::new(api_server);
                api_server.arg(format!("--etcd-servers={client_url}")).args(flags);
                Ok(vec![Process::spawn_kept(&etcd, dir, log)?, Process::spawn_kept(&api_server, dir, log)?])
            }
        }
    }
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn etcd_command(program: &Path, data: &Path, client_url: &str) -> Result<Command> {
    let mut command = Command::new(program);
    command
        .arg(format!("--data-dir={}", data.display()))
        .arg(format!("--listen-client-urls={client_url}"))
        .arg(format!("--advertise-client-urls={client_url}"))
        .arg(format!("--listen-peer-urls=http://127.0.0.1:{}", free_port()?))
        .arg("--unsafe-no-fsync=true");
    Ok(command)
}

/// The program `kube-controller-manager`, if `KUBEBUILDER_ASSETS` or a variable of its own has it.
pub(crate) fn controller_manager() -> Option<PathBuf> {
    find_asset("TEST_ASSET_KUBE_CONTROLLER_MANAGER", "kube-controller-manager")
}

fn find_asset(variable: &str, name: &str) -> Option<PathBuf> {
    let candidates = [
        env::var_os(variable).map(PathBuf::from),
        env::var_os("KUBEBUILDER_ASSETS").map(|folder| Path::new(&folder).join(name)),
        Some(Path::new(KUBEBUILDER_FOLDER).join(name)),
    ];
    candidates.into_iter().flatten().find(|path| path.is_file())
}

/// The folder of the programs that were built before, which survive as long as the other build output.
fn cache() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    workspace.join(target).join("control-plane")
}

fn fingerprint(sources: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    run(Command::new("go").arg("version"))?.stdout.hash(&mut hasher);
    for name in SOURCES {
        fs::read(sources.join(name))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn kubernetes_version(sources: &Path) -> Result<String> {
    let module = fs::read_to_string(sources.join("go.mod"))?;
    let version = module.lines().find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "));
    Ok(version.context("go.mod does not require k8s.io/kubernetes")?.to_owned())
}

/// Builds beside the place and moves the program there, so that it is whole or absent.
fn compile(sources: &Path, version: &str, program: &Path) -> Result<()> {
    announce("building a control plane, once; the first time takes some minutes");
    let unfinished = program.with_extension("unfinished");
    run(Command::new("go")
        .current_dir(sources)
        .args(["build", "-trimpath", "-buildvcs=false", "-ldflags", &linker_flags(version), "-o"])
        .arg(&unfinished)
        .arg(".")
        .envs([("CGO_ENABLED", "0"), ("GOTOOLCHAIN", "local"), ("GOWORK", "off")]))?;
    Ok(fs::rename(unfinished, program)?)
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

fn run(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output)
}
