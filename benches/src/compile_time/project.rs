//! The generated workspace.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use crdkit_benches::{bench_dir, workspace};

use crate::{
    crd,
    form::Form,
    source::{self, Changed, Types},
};

/// A workspace with a crate a form, and one that calls `crd()`.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) dir: PathBuf,
    pub(crate) crds: usize,
    pub(crate) types: Types,
}

const WORKSPACE: &str = r#"[workspace]
resolver = "3"
members = ["serde", "schemars", "kube", "crdkit", "crd"]

[profile.dev.package."*"]
debug = false
incremental = false
"#;

impl Project {
    /// Writes the workspace. What is there already and the same stays, and so do its compiled dependencies.
    pub(crate) fn generate(crds: usize, types: Types) -> Result<Self> {
        let project = Self { dir: bench_dir().join("compile-time"), crds, types };
        write(&project.dir.join("Cargo.toml"), WORKSPACE)?;
        project.lock()?;
        for form in Form::ALL {
            project.generate_form(form)?;
        }
        let dir = project.dir.join("crd");
        let names = ["form_kube", "form_crdkit"].map(|name| {
            let dir = name.trim_start_matches("form_");
            format!("{name} = {{ path = \"../{dir}\" }}")
        });
        let manifest = manifest("crd", &["kube", "serde_json"], &names);
        write(&dir.join("Cargo.toml"), &manifest)?;
        write(&dir.join("src/main.rs"), &crd::source(crds))?;
        Ok(project)
    }

    /// The versions that this workspace has been tested with.
    fn lock(&self) -> Result<()> {
        let lock = workspace().join("Cargo.lock");
        let text = fs::read_to_string(&lock).context("cannot read the workspace's Cargo.lock")?;
        fs::write(self.dir.join("Cargo.lock"), text)?;
        Ok(())
    }

    fn generate_form(&self, form: Form) -> Result<()> {
        let dir = self.dir.join(form.name());
        let manifest = manifest(&form.crate_name(), form.dependencies(), &[]);
        write(&dir.join("Cargo.toml"), &manifest)?;
        for number in 0..self.crds {
            self.write_module(form, number, Changed::Before)?;
        }
        self.write_root(form, "generated")
    }

    /// Writes the module of a custom resource.
    pub(crate) fn write_module(&self, form: Form, number: usize, changed: Changed) -> Result<()> {
        let name = source::module_name(number);
        let path = self.dir.join(form.name()).join(format!("src/{name}.rs"));
        write(&path, &source::module(self.types, form, number, changed))
    }

    /// Writes the root module of a form.
    pub(crate) fn write_root(&self, form: Form, stamp: &str) -> Result<()> {
        let path = self.dir.join(form.name()).join("src/lib.rs");
        write(&path, &source::root(form, self.crds, stamp))
    }

    /// The versions of what is compared.
    pub(crate) fn versions(&self) -> Result<String> {
        let lock = fs::read_to_string(self.dir.join("Cargo.lock"))?;
        let lines: Vec<_> = lock.lines().collect();
        let version = |name: &str| {
            let at = lines.iter().position(|line| *line == format!("name = \"{name}\""))?;
            let version = lines.get(at + 1)?.split('"').nth(1)?;
            Some(format!("{name} {version}"))
        };
        let names = ["crdkit", "kube-derive", "schemars", "serde", "k8s-openapi", "syn"];
        let versions: Vec<_> = names.into_iter().filter_map(version).collect();
        Ok(versions.join(", "))
    }
}

fn manifest(name: &str, dependencies: &[&str], others: &[String]) -> String {
    let dependencies = ["k8s-openapi", "serde"].iter().chain(dependencies);
    let lines = dependencies.map(|name| dependency(name)).chain(others.iter().cloned()).collect::<Vec<_>>().join("\n");
    format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{lines}\n")
}

/// The same features in all forms, so that what is compiled before is the same.
fn dependency(name: &str) -> String {
    let requirement = match name {
        "crdkit" => {
            let path = workspace().join("runtime");
            format!("{{ path = {:?} }}", path.display().to_string())
        }
        "k8s-openapi" => r#"{ version = "0.29", features = ["latest", "schemars"] }"#.to_owned(),
        "kube" => r#"{ version = "5", default-features = false, features = ["derive"] }"#.to_owned(),
        "serde" => r#"{ version = "1", features = ["derive"] }"#.to_owned(),
        _ => "\"1\"".to_owned(),
    };
    format!("{name} = {requirement}")
}

/// Writes a file unless it is there and the same.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    let written: io::Result<()> = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.with_context(|| format!("cannot write {}", path.display()))
}
