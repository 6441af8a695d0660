//! The generated workspace.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use crdkit_benches::{GeneratedWorkspace, runtime_path};

use crate::{
    crd,
    form::Form,
    source::{self, Changed, Types},
};

/// A workspace with a crate a form, and one that calls `crd()`.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) workspace: GeneratedWorkspace,
    pub(crate) crds: usize,
    pub(crate) types: Types,
}

const WORKSPACE: &str = r#"[workspace]
resolver = "3"
members = MEMBERS

[profile.dev.package."*"]
debug = false
incremental = false

[profile.release]
strip = true
"#;

impl Project {
    /// Writes the workspace. What is there already and the same stays, and so do its compiled dependencies.
    pub(crate) fn generate(crds: usize, types: Types) -> Result<Self> {
        let of_forms = Form::ALL.into_iter().flat_map(|form| [form.name().to_owned(), form.program_name()]);
        let members: Vec<_> = of_forms.chain(["crd".to_owned()]).collect();
        let of_workspace = WORKSPACE.replace("MEMBERS", &format!("{members:?}"));
        let project = Self { workspace: GeneratedWorkspace::new("compile-time", &of_workspace)?, crds, types };
        for form in Form::ALL {
            project.generate_form(form)?;
        }
        let names = ["form_kube", "form_crdkit"].map(|name| {
            let dir = name.trim_start_matches("form_");
            format!("{name} = {{ path = \"../{dir}\" }}")
        });
        let manifest = manifest("crd", &["kube", "serde_json"], &names);
        project.workspace.write("crd/Cargo.toml", &manifest)?;
        project.workspace.write("crd/src/main.rs", &crd::source(crds))?;
        Ok(project)
    }

    fn generate_form(&self, form: Form) -> Result<()> {
        let manifest = manifest(&form.crate_name(), form.dependencies(), &[]);
        self.workspace.write(Path::new(form.name()).join("Cargo.toml"), &manifest)?;
        for number in 0..self.crds {
            self.write_module(form, number, Changed::Before)?;
        }
        self.write_root(form, "generated")?;
        let library = format!("{} = {{ path = \"../{}\" }}", form.crate_name(), form.name());
        let program = form.program_name();
        let manifest = self::manifest(&program, &["serde_json"], &[library]);
        self.workspace.write(Path::new(&program).join("Cargo.toml"), &manifest)?;
        self.write_program(form, "generated")
    }

    /// Writes the program of a form.
    pub(crate) fn write_program(&self, form: Form, stamp: &str) -> Result<()> {
        let path = Path::new(&form.program_name()).join("src/main.rs");
        self.workspace.write(path, &source::program(form, self.crds, stamp))
    }

    /// The kilobytes of the program of a form, without symbols.
    pub(crate) fn program_size(&self, form: Form) -> Result<f64> {
        let program = self.workspace.target().join("release").join(form.program_name());
        let metadata = fs::metadata(&program).with_context(|| format!("there is no {}", program.display()))?;
        Ok(metadata.len() as f64 / 1e3)
    }

    /// Writes the module of a custom resource.
    pub(crate) fn write_module(&self, form: Form, number: usize, changed: Changed) -> Result<()> {
        let name = source::module_name(number);
        let path = Path::new(form.name()).join(format!("src/{name}.rs"));
        self.workspace.write(path, &source::module(self.types, form, number, changed))
    }

    /// Writes the root module of a form.
    pub(crate) fn write_root(&self, form: Form, stamp: &str) -> Result<()> {
        let path = Path::new(form.name()).join("src/lib.rs");
        self.workspace.write(path, &source::root(form, self.crds, stamp))
    }

    /// The versions of what is compared.
    pub(crate) fn versions(&self) -> Result<String> {
        self.workspace.versions(&["crdkit", "kube-derive", "schemars", "serde", "k8s-openapi", "syn"])
    }
}

/// The manifest of a crate that depends on crates by name, and on others by the lines of a manifest.
pub(crate) fn manifest(name: &str, dependencies: &[&str], others: &[String]) -> String {
    let dependencies = ["k8s-openapi", "serde"].iter().chain(dependencies);
    let lines = dependencies.map(|name| dependency(name)).chain(others.iter().cloned()).collect::<Vec<_>>().join("\n");
    format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{lines}\n")
}

/// The same features in all forms, so that what is compiled before is the same.
fn dependency(name: &str) -> String {
    let requirement = match name {
        "crdkit" => format!("{{ path = {} }}", runtime_path()),
        "k8s-openapi" => r#"{ version = "0.29", features = ["latest", "schemars"] }"#.to_owned(),
        "kube" => r#"{ version = "5", default-features = false, features = ["derive"] }"#.to_owned(),
        "serde" => r#"{ version = "1", features = ["derive"] }"#.to_owned(),
        _ => "\"1\"".to_owned(),
    };
    format!("{name} = {requirement}")
}
