//! Tools for the custom resources of [crdkit]: the manifests of an operator, API references, samples, lints, types of existing
//! definitions, and installation in a cluster.

mod docs;
mod import;
mod kubernetes;
mod lint;
mod markdown;
mod operator;
mod program;
mod project;
mod samples;
mod words;

pub use docs::{reference_html, reference_markdown};
pub use import::{Imported, import};
pub use lint::{Lint, LintError, LintFinding};
pub use operator::Operator;
pub use program::main;
pub use project::Project;
pub use samples::{Sample, SampleProblem, samples};

#[cfg(test)]
mod tests;
