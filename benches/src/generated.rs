use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{Compilation, Detail, Order, bench_dir, workspace};

/// A workspace that a benchmark writes and compiles.
#[derive(Debug)]
pub struct GeneratedWorkspace {
    dir: PathBuf,
}

impl GeneratedWorkspace {
    /// The workspace in `target/bench/<name>`, with the versions that this workspace has been tested with.
    pub fn new(name: &str, manifest: &str) -> Result<Self> {
        let generated = Self { dir: bench_dir().join(name) };
        generated.write("Cargo.toml", manifest)?;
        let lock = workspace().join("Cargo.lock");
        let text = fs::read_to_string(&lock).context("cannot read the workspace's Cargo.lock")?;
        fs::write(generated.dir.join("Cargo.lock"), text)?;
        Ok(generated)
    }

    /// The path of a file or folder of the workspace.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.join(name)
    }

    /// Cargo's target folder.
    pub fn target(&self) -> PathBuf {
        self.path("target")
    }

    /// Writes a file unless it is there and the same: so it is not compiled again.
    pub fn write(&self, name: impl AsRef<Path>, text: &str) -> Result<()> {
        let path = self.path(name);
        if fs::read_to_string(&path).is_ok_and(|present| present == text) {
            return Ok(());
        }
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        folder.and_then(|()| fs::write(&path, text)).with_context(|| format!("cannot write {}", path.display()))
    }

    /// The versions of some packages.
    pub fn versions(&self, names: &[&str]) -> Result<String> {
        let lock = fs::read_to_string(self.path("Cargo.lock"))?;
        let versions: Vec<_> = names.iter().filter_map(|name| locked_version(&lock, name)).collect();
        Ok(versions.join(", "))
    }

    /// Cargo in this workspace, without the environment that changes how it compiles.
    pub fn cargo(&self) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&self.dir).env("CARGO_TARGET_DIR", self.target());
        for name in [
            "CARGO_INCREMENTAL",
            "CARGO_BUILD_TARGET_DIR",
            "RUSTC_WRAPPER",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_RUSTFLAGS",
            "CARGO_BUILD_RUSTC_WRAPPER",
        ] {
            cargo.env_remove(name);
        }
        let names = env::vars_os().map(|(name, _)| name);
        for profile in names.filter(|name| name.as_encoded_bytes().starts_with(b"CARGO_PROFILE_")) {
            cargo.env_remove(profile);
        }
        cargo
    }

    /// Runs cargo with arguments, by which it compiles a crate; returns what that crate took.
    pub fn compile(&self, arguments: &[&str], crate_name: &str, detail: Detail) -> Result<Compilation> {
        let report = self.path("compilation.json");
        absent_is_fine(fs::remove_file(&report))?;
        let mut cargo = self.cargo();
        cargo.args(arguments);
        Order::new(&report, crate_name, detail).give(&mut cargo)?;
        let output = cargo.stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{crate_name} does not compile:\n{errors}");
        let text = fs::read(&report).with_context(|| format!("{crate_name} was not compiled"))?;
        serde_json::from_slice(&text).context("the report of the compilation cannot be read")
    }
}

/// The name and version of a package, by the text of a `Cargo.lock`.
fn locked_version(lock: &str, name: &str) -> Option<String> {
    let named = format!("name = \"{name}\"");
    let line = lock.lines().skip_while(|line| *line != named).nth(1)?;
    let version = line.split('"').nth(1)?;
    Some(format!("{name} {version}"))
}

/// The path of crdkit's crate, as a string of a manifest.
pub fn runtime_path() -> String {
    format!("{:?}", workspace().join("runtime").display().to_string())
}

/// What is not there need not be removed.
pub fn absent_is_fine(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::locked_version;

    #[test]
    fn versions_of_a_lock() {
        let lock = "[[package]]\nname = \"kube-core\"\nversion = \"5.1.0\"\n\n[[package]]\nname = \"kube\"\nversion = \"5.0.0\"\n";
        assert_eq!(locked_version(lock, "kube").as_deref(), Some("kube 5.0.0"));
        assert_eq!(locked_version(lock, "kub"), None);
    }
}
