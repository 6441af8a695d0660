//! Writing files from a build script.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::check::relative_path;
use super::error::WriteError;
use super::files::Files;
use super::{Crds, Destination};

impl Crds {
    /// Writes the files from a build script, and prints the directives that make cargo run it again after changes.
    ///
    /// The files are written to `OUT_DIR`, where `include_str!` can read them, unless [`directory`](Crds::directory) or
    /// [`file`](Crds::file) specify a path in the source tree. The source tree of a packaged crate is never modified;
    /// if its files are out of date, cargo shows a warning. Deleted files are restored by the next build.
    pub fn build_script(&self) -> ExitCode {
        let Some(build) = Build::from_cargo() else {
            eprintln!("`OUT_DIR` is not set: this program is not a build script");
            return ExitCode::FAILURE;
        };
        for directive in build.run(self) {
            println!("{directive}");
        }
        // Cargo fails the build after error directives. With a failing exit code, it would print them twice.
        ExitCode::SUCCESS
    }
}

/// The environment that cargo provides to a build script.
struct Build {
    package: PathBuf,
    out: PathBuf,
}

impl Build {
    fn from_cargo() -> Option<Self> {
        let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
        Some(Self { package: path("CARGO_MANIFEST_DIR")?, out: path("OUT_DIR")? })
    }

    /// Writes the files, and returns the directives for cargo.
    fn run(&self, crds: &Crds) -> Vec<String> {
        self.write(crds).unwrap_or_else(|failure| error(&failure))
    }

    fn write(&self, crds: &Crds) -> Result<Vec<String>, WriteError> {
        let in_sources = crds.destination.clone().map(|destination| destination.below(&self.package));
        let in_out = || Destination::Directory(self.out.clone());
        let files = crds.files_at(&in_sources.clone().unwrap_or_else(in_out))?;

        let mut directives = vec![self.rerun_if_changed()];
        directives.extend(files.warnings().iter().flat_map(warning));
        if in_sources.is_some() {
            directives.extend(self.write_sources(&files)?);
        } else {
            files.update()?;
        }
        Ok(directives)
    }

    /// Writes the files into the source tree. The next build restores deleted and modified files.
    fn write_sources(&self, files: &Files) -> Result<Vec<String>, WriteError> {
        if is_packaged(&self.package) {
            let differences = files.differences()?;
            let stale = differences.iter().flat_map(|difference| {
                let path = relative_path(&difference.path);
                warning(format!("`{path}` is out of date, and cannot be updated in a packaged crate"))
            });
            return Ok(stale.collect());
        }
        files.update()?;
        let paths = files.paths();
        Ok(paths.map(|path| format!("cargo::rerun-if-changed={}", path.display())).collect())
    }

    /// Prevents cargo from running the script whenever any file of the package changes. Cargo always runs it when the
    /// script or the crate of the types changes.
    fn rerun_if_changed(&self) -> String {
        let script = self.package.join("build.rs").is_file();
        let path = if script { "build.rs" } else { "Cargo.toml" };
        format!("cargo::rerun-if-changed={path}")
    }
}

/// Whether a directory is an unpacked `.crate`, built by the verification of `cargo package` or from a registry or a
/// vendored source.
fn is_packaged(package: &Path) -> bool {
    [".cargo-checksum.json", ".cargo-ok", "Cargo.toml.orig"].iter().any(|file| package.join(file).exists())
}

fn error(failure: &WriteError) -> Vec<String> {
    lines("error", failure)
}

fn warning(message: impl ToString) -> Vec<String> {
    lines("warning", message)
}

/// Returns a directive for each line of a message, because cargo reads directives line by line.
fn lines(directive: &str, message: impl ToString) -> Vec<String> {
    let message = message.to_string();
    let directives = message.lines().map(|line| format!("cargo::{directive}={line}"));
    directives.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{crd, crds};
    use super::*;

    fn build(directory: &Path) -> Build {
        let build = Build { package: directory.join("package"), out: directory.join("out") };
        std::fs::create_dir_all(&build.package).unwrap();
        std::fs::write(build.package.join("build.rs"), "").unwrap();
        build
    }

    #[test]
    fn files_go_to_out_dir() {
        let directory = tempfile::tempdir().unwrap();
        let build = build(directory.path());
        assert_eq!(build.write(&crds()).unwrap(), ["cargo::rerun-if-changed=build.rs"]);
        assert!(build.out.join("ats.example.com.yaml").is_file());
    }

    #[test]
    fn files_go_to_the_source_tree_on_request() {
        let directory = tempfile::tempdir().unwrap();
        let build = build(directory.path());
        let path = build.package.join("deploy/crds.yaml");
        let directives = build.write(&crds().file("deploy/crds.yaml")).unwrap();
        let rerun = format!("cargo::rerun-if-changed={}", path.display());
        assert_eq!(directives, ["cargo::rerun-if-changed=build.rs", &rerun]);
        assert!(path.is_file());
    }

    #[test]
    fn a_packaged_source_tree_is_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let build = build(directory.path());
        std::fs::write(build.package.join("Cargo.toml.orig"), "").unwrap();
        let directives = build.write(&crds().directory("crds")).unwrap();
        assert!(directives[1].starts_with("cargo::warning="), "{directives:?}");
        assert!(directives[1].contains("ats.example.com.yaml` is out of date"));
        assert!(!build.package.join("crds").exists());
    }

    #[test]
    fn warnings_are_printed_line_by_line() {
        let directory = tempfile::tempdir().unwrap();
        let mut other = crd("At", "ats");
        let version = &mut other.spec.versions[0];
        version.name = "v2".into();
        version.storage = false;
        let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        version.schema = serde_json::from_value(json!({ "openAPIV3Schema": schema })).unwrap();
        let directives = build(directory.path()).run(&crds().add_crd("v2::At", other));
        let warnings = &directives[1..];
        assert_eq!(warnings.len(), 3, "{directives:?}");
        assert_eq!(warnings[1], "cargo::warning=  only in `v2::At`: .a");
    }

    #[test]
    fn errors_are_printed_line_by_line() {
        let directory = tempfile::tempdir().unwrap();
        let mut other = crd("At", "ats");
        other.spec.scope = "Cluster".into();
        let directives = build(directory.path()).run(&crds().add_crd("other", other));
        assert!(directives.len() > 1);
        assert!(directives.iter().all(|line| line.starts_with("cargo::error=")), "{directives:?}");
    }
}
