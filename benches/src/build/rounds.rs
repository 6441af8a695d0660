//! What is measured, and when.

use anyhow::Result;
use crdkit_benches::{Figures, Measured, Samples};

use crate::{
    form::Form,
    options::Options,
    project::{Profile, Project},
};

/// How often a program is built after an edit in each round: it takes seconds, and a round has their median.
const EDITS: usize = 5;

/// Something that is measured of a project.
#[derive(Clone, Copy)]
struct Step {
    name: &'static str,
    measure: fn(&Project) -> Result<Figures>,
}

const COLD: Step = Step { name: "from nothing", measure: cold };
const EDIT: Step = Step { name: "after an edit", measure: edit };
const RELEASE: Step = Step { name: "release, from nothing", measure: release };
const STRIPPED: Step = Step { name: "release, stripped", measure: stripped };
const FUNCTIONS: Step = Step { name: "functions", measure: functions };

/// Measures all steps of all projects in turn, as often as there are rounds, and then what does not change.
pub(crate) fn measure(projects: &[Project], options: &Options) -> Result<Measured> {
    let mut measured = Measured::default();
    let mut steps = vec![COLD, EDIT];
    let mut steps_at_the_end = vec![FUNCTIONS];
    if !options.dev_only {
        steps.push(RELEASE);
        steps_at_the_end.push(STRIPPED);
    }
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        for step in &steps {
            step.of_all(projects.iter(), &mut measured)?;
        }
    }
    for step in steps_at_the_end {
        let operators = projects.iter().filter(|project| Form::OPERATORS.contains(&project.form));
        step.of_all(operators, &mut measured)?;
    }
    Ok(measured)
}

impl Step {
    /// Measures projects one after the other: the machine may be faster or slower at the next step. A failure ends the
    /// benchmark, as the next step needs what this one builds.
    fn of_all<'a>(self, projects: impl Iterator<Item = &'a Project>, measured: &mut Measured) -> Result<()> {
        for project in projects {
            let name = project.form.name();
            eprintln!("{name}: {}", self.name);
            let figures = (self.measure)(project)?;
            measured.add(name, Ok(figures));
        }
        Ok(())
    }
}

fn cold(project: &Project) -> Result<Figures> {
    project.clean()?;
    let build = project.build(Profile::Dev)?;
    let mut figures = Figures::default();
    figures.add("cold", build.whole.wall);
    figures.add("cold_cpu", build.whole.cpu);
    figures.add("crate", build.own.wall);
    figures.add("crate_cpu", build.own.cpu);
    figures.add("program", project.program_size(Profile::Dev)?);
    Ok(figures)
}

fn edit(project: &Project) -> Result<Figures> {
    let (mut wall, mut cpu) = (Samples::default(), Samples::default());
    for _ in 0..EDITS {
        project.touch()?;
        let build = project.build(Profile::Dev)?;
        wall.push(build.whole.wall);
        cpu.push(build.whole.cpu);
    }
    let mut figures = Figures::default();
    figures.add("edit", wall.median());
    figures.add("edit_cpu", cpu.median());
    Ok(figures)
}

/// The first build with this profile since all was removed.
fn release(project: &Project) -> Result<Figures> {
    let build = project.build(Profile::Release)?;
    let mut figures = Figures::default();
    figures.add("release", build.whole.wall);
    figures.add("release_cpu", build.whole.cpu);
    figures.add("release_crate", build.own.wall);
    figures.add("release_program", project.program_size(Profile::Release)?);
    Ok(figures)
}

fn stripped(project: &Project) -> Result<Figures> {
    project.build_stripped()?;
    let mut figures = Figures::default();
    figures.add("release_stripped", project.program_size(Profile::Release)?);
    Ok(figures)
}

fn functions(project: &Project) -> Result<Figures> {
    let functions = project.functions()?;
    let mut figures = Figures::default();
    figures.add("functions", functions.len() as f64);
    Ok(figures)
}
