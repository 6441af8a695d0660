//! Runs of cargo.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{
    form::Form,
    measurement::{Measurements, Step, Usage},
    project::Project,
    rustc::Order,
    source::Changed,
};

/// Compiles the forms of a project.
#[derive(Debug)]
pub(crate) struct Compiler<'a> {
    project: &'a Project,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(project: &'a Project) -> Self {
        Self { project }
    }

    /// Compiles all once, and with it the dependencies.
    pub(crate) fn warm_up(&self) -> Result<()> {
        for form in Form::ALL {
            for step in [Step::Check, Step::Debug, Step::Release] {
                self.measure(form, step, "warm-up")?;
            }
        }
        Ok(())
    }

    /// Measures each step once, the forms next to each other: the machine may be faster or slower at the next step. The
    /// change turns back and forth with the rounds.
    pub(crate) fn round(&self, round: usize, measurements: &mut Measurements) -> Result<()> {
        let changed = match round % 2 {
            0 => Changed::After,
            _ => Changed::Before,
        };
        for step in Step::ALL {
            for form in Form::ALL {
                if step == Step::Changed {
                    self.project.write_module(form, 0, changed)?;
                }
                let usage = self.measure(form, step, &format!("round {round}"))?;
                measurements.add(form, step, usage);
            }
        }
        Ok(())
    }

    fn measure(&self, form: Form, step: Step, stamp: &str) -> Result<Usage> {
        if step != Step::Changed {
            self.forget(form)?;
            self.project.write_root(form, &format!("{stamp}, {step}"))?;
        }
        let report = self.project.dir.join("usage.json");
        remove(fs::remove_file(&report))?;
        let mut cargo = cargo(&self.project.dir);
        cargo.args(arguments(step)).args(["--package", &form.crate_name()]);
        Order::new(&report, &form.crate_name(), step == Step::Expand).give(&mut cargo)?;
        let output = cargo.stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{form} does not compile:\n{errors}");
        let text = fs::read(&report).with_context(|| format!("{form}, {step}: nothing was compiled"))?;
        Usage::from_json(&serde_json::from_slice(&text)?)
    }

    /// Removes what the compiler keeps of a form for the next time.
    fn forget(&self, form: Form) -> Result<()> {
        let prefix = format!("{}-", form.crate_name());
        for profile in ["debug", "release"] {
            let incremental = target(&self.project.dir).join(profile).join("incremental");
            let Ok(entries) = fs::read_dir(incremental) else {
                continue;
            };
            for entry in entries {
                let entry = entry?;
                if entry.file_name().to_string_lossy().starts_with(&prefix) {
                    remove(fs::remove_dir_all(entry.path()))?;
                }
            }
        }
        Ok(())
    }
}

/// Cargo in the generated workspace, without the environment that cargo sets for this program.
pub(crate) fn cargo(dir: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(dir).env("CARGO_TARGET_DIR", target(dir));
    for name in ["CARGO_INCREMENTAL", "CARGO_BUILD_TARGET_DIR", "RUSTC_WRAPPER", "RUSTFLAGS"] {
        cargo.env_remove(name);
    }
    cargo
}

fn target(dir: &Path) -> PathBuf {
    dir.join("target")
}

fn arguments(step: Step) -> &'static [&'static str] {
    match step {
        Step::Check | Step::Changed | Step::Expand => &["check"],
        Step::Debug => &["build"],
        Step::Release => &["build", "--release"],
    }
}

/// What is not there need not be removed.
fn remove(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
