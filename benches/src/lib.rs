//! Shared parts of the benchmarks: objects and servers of them, processes and their resource usage, generated workspaces and their
//! compilation, figures, tables, results and the conditions of a measurement.

mod conditions;
mod figures;
pub mod gauges;
mod generated;
mod go_program;
pub mod http;
mod measured;
pub mod objects;
mod paths;
mod process;
mod results;
mod rustc;
mod table;

pub use conditions::{Conditions, Load, in_conditions};
pub use figures::Samples;
pub use generated::{GeneratedWorkspace, absent_is_fine, runtime_path};
pub use go_program::GoProgram;
pub use measured::{Measured, contest, in_rounds};
pub use paths::{bench_dir, workspace};
pub use process::{Figures, ServerProcess, control, itself};
pub use results::Results;
pub use rustc::{Compilation, Detail, Order};
pub use table::Table;
