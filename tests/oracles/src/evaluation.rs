//! The evaluation of rules by crdkit and by the server, and their differences.

mod comparison;
mod question;
mod report;
mod shrink;

pub use comparison::{Case, Difference, Disagreement, compare, zone};
pub use question::{Outcome, Question, Response, RuleText, ask};
pub use report::shown;
