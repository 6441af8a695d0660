//! The duration of a call of `crd()`.

use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{form::Form, project::Project, source::root_type};

const TEMPLATE: &str = include_str!("crd.rs.in");

/// The medians of calls of `crd()`, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    pub(crate) kube: f64,
    pub(crate) crdkit: f64,
}

impl Calls {
    /// How much faster crdkit's are.
    pub(crate) fn speedup(self) -> f64 {
        self.kube / self.crdkit
    }
}

/// The program that calls them all.
pub(crate) fn source(crds: usize) -> String {
    let list = |form: Form| {
        let calls = (0..crds).map(|number| format!("    {}::crd,", root_type(form, number)));
        calls.collect::<Vec<_>>().join("\n")
    };
    // The longer name first: it contains the other.
    TEMPLATE.replace("CRDKIT_LIST", &list(Form::Crdkit)).replace("KUBE_LIST", &list(Form::Kube))
}

/// Calls `crd()` of kube-derive's and crdkit's types in one process.
pub(crate) fn measure(project: &Project) -> Result<Calls> {
    let mut cargo = project.workspace.cargo();
    cargo.args(["run", "--release", "--quiet", "--package", "crd"]);
    let output = cargo.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the calls of crd() failed");
    let value: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| value[name].as_f64().with_context(|| format!("no `{name}`"));
    Ok(Calls { kube: number("kube")?, crdkit: number("crdkit")? })
}
