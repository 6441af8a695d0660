//! A generated project, and how it is built.

use std::{
    fs::{self, File},
    process::{Command, Stdio},
    time::SystemTime,
};

use anyhow::{Context, Result, ensure};
use crdkit_benches::{
    Compilation, Detail, GeneratedWorkspace, absent_is_fine,
    gauges::{Lapse, Meter},
};

use crate::form::Form;

/// The project of a form, a workspace of its own.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) form: Form,
    pub(crate) workspace: GeneratedWorkspace,
}

/// A profile of cargo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Dev,
    Release,
}

/// A run of cargo, and what it took.
#[derive(Debug)]
pub(crate) struct Build {
    /// Cargo and all that it started.
    pub(crate) whole: Lapse,
    /// The compilation of the project's own crate, with linking.
    pub(crate) own: Compilation,
}

const MAIN: &str = "src/main.rs";

impl Project {
    /// Writes the project. What is there already and the same stays, and so does what is compiled.
    pub(crate) fn generate(form: Form) -> Result<Self> {
        let workspace = GeneratedWorkspace::new(&format!("build/{}", form.name()), &form.manifest())?;
        workspace.write(MAIN, form.main())?;
        workspace.write("src/greeting.rs", form.kind())?;
        let project = Self { form, workspace };
        project.fetch()?;
        Ok(project)
    }

    /// Downloads what is missing: builds are offline, so that none waits for the network.
    fn fetch(&self) -> Result<()> {
        if self.fetch_command().arg("--offline").stderr(Stdio::null()).status()?.success() {
            return Ok(());
        }
        ensure!(self.fetch_command().status()?.success(), "the dependencies of {} are missing", self.form.name());
        Ok(())
    }

    fn fetch_command(&self) -> Command {
        let mut cargo = self.workspace.cargo();
        cargo.args(["fetch", "--target", "host-tuple"]);
        cargo
    }

    pub(crate) fn versions(&self) -> Result<String> {
        self.workspace.versions(&["crdkit", "kube", "kube-derive", "k8s-openapi", "schemars", "serde", "tokio"])
    }

    /// Removes what was compiled, for both profiles.
    pub(crate) fn clean(&self) -> Result<()> {
        absent_is_fine(fs::remove_dir_all(self.workspace.target()))?;
        Ok(())
    }

    /// Builds the program.
    pub(crate) fn build(&self, profile: Profile) -> Result<Build> {
        self.run(&[&["build", "--offline"], profile.arguments()].concat())
    }

    /// Builds the program without symbols. The dependencies stay: `strip` in a profile would compile them again.
    pub(crate) fn build_stripped(&self) -> Result<Build> {
        let arguments = ["rustc", "--offline", "--release", "--bin", self.form.name(), "--", "-Cstrip=symbols"];
        self.run(&arguments)
    }

    fn run(&self, arguments: &[&str]) -> Result<Build> {
        let meter = Meter::of_children()?;
        let own = self.workspace.compile(arguments, &self.form.crate_name(), Detail::None)?;
        Ok(Build { whole: meter.stop()?, own })
    }

    /// Makes cargo believe that `main.rs` was edited.
    pub(crate) fn touch(&self) -> Result<()> {
        let main = File::options().append(true).open(self.workspace.path(MAIN))?;
        main.set_modified(SystemTime::now())?;
        Ok(())
    }

    /// The functions that the compiler compiles in the project's own crate, with the dev profile.
    pub(crate) fn functions(&self) -> Result<Vec<String>> {
        self.touch()?;
        let crate_name = self.form.crate_name();
        let compilation = self.workspace.compile(&["build", "--offline"], &crate_name, Detail::Functions)?;
        Ok(compilation.functions)
    }

    /// The megabytes of the program.
    pub(crate) fn program_size(&self, profile: Profile) -> Result<f64> {
        let program = self.workspace.target().join(profile.folder()).join(self.form.name());
        let metadata = fs::metadata(&program).with_context(|| format!("there is no {}", program.display()))?;
        Ok(metadata.len() as f64 / 1e6)
    }
}

impl Profile {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Dev => &[],
            Self::Release => &["--release"],
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }
}
