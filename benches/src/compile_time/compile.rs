//! Runs of cargo.

use std::fs;

use anyhow::Result;
use crdkit_benches::{Compilation, Detail, absent_is_fine};

use crate::{
    form::Form,
    measurement::{Measurements, Step},
    project::Project,
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
            for step in [Step::Check, Step::Debug, Step::Release, Step::Program] {
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
                let compilation = self.measure(form, step, &format!("round {round}"))?;
                measurements.add(form, step, &compilation);
            }
        }
        for form in Form::ALL {
            measurements.add_size(form, self.project.program_size(form)?);
        }
        Ok(())
    }

    fn measure(&self, form: Form, step: Step, stamp: &str) -> Result<Compilation> {
        let crate_name = if step == Step::Program { form.program_name() } else { form.crate_name() };
        match step {
            Step::Changed => {}
            Step::Program => self.project.write_program(form, stamp)?,
            _ => {
                self.forget(form)?;
                self.project.write_root(form, &format!("{stamp}, {step}"))?;
            }
        }
        let arguments = [arguments(step), &["--package", &crate_name]].concat();
        let detail = if step == Step::Expand { Detail::Passes } else { Detail::None };
        self.project.workspace.compile(&arguments, &crate_name, detail)
    }

    /// Removes what the compiler keeps of a form for the next time.
    fn forget(&self, form: Form) -> Result<()> {
        let prefix = format!("{}-", form.crate_name());
        for profile in ["debug", "release"] {
            let incremental = self.project.workspace.target().join(profile).join("incremental");
            let Ok(entries) = fs::read_dir(incremental) else {
                continue;
            };
            for entry in entries {
                let entry = entry?;
                if entry.file_name().to_string_lossy().starts_with(&prefix) {
                    absent_is_fine(fs::remove_dir_all(entry.path()))?;
                }
            }
        }
        Ok(())
    }
}

fn arguments(step: Step) -> &'static [&'static str] {
    match step {
        Step::Check | Step::Changed | Step::Expand => &["check"],
        Step::Debug => &["build"],
        Step::Release | Step::Program => &["build", "--release"],
    }
}
