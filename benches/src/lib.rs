//! What the benchmarks share: figures, tables, results and the conditions that they were taken under.

mod conditions;
mod figures;
mod place;
mod results;
mod table;

pub use conditions::{Conditions, Load};
pub use figures::Samples;
pub use place::{bench_dir, workspace};
pub use results::Results;
pub use table::Table;
