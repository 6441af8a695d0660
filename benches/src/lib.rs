//! Shared parts of the benchmarks: objects and servers of them, processes and their resource usage, figures, tables, results and
//! the conditions of a measurement.

mod conditions;
mod figures;
pub mod gauges;
mod go_program;
pub mod http;
mod measured;
pub mod objects;
mod paths;
mod process;
mod results;
mod table;

pub use conditions::{Conditions, Load, in_conditions};
pub use figures::Samples;
pub use go_program::GoProgram;
pub use measured::{Measured, contest, in_rounds};
pub use paths::{bench_dir, workspace};
pub use process::{Figures, ServerProcess, control, itself};
pub use results::Results;
pub use table::Table;
