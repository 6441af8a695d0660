//! `crdkit::validate` beside a real API server: what one refuses, the other refuses, for the same reasons.
//!
//! A corpus has each rule broken alone, in its ways, and the nearest definitions that the server accepts. Random definitions
//! look for what the corpus does not think of: `CRDKIT_RANDOM_DEFINITIONS=n` sets their number, and
//! `CRDKIT_RANDOM_DEFINITIONS_SEED=n` one of the runs.

mod base;
mod catalogue;

mod corpus;
mod expressions;
mod fuzz;
mod judge;

mod random;
mod report;
mod shrink;
mod stored;

mod verdicts;
