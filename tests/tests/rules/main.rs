//! Compares `crdkit::validate` with a real API server: both refuse the same definitions, for the same reasons.
//!
//! A corpus breaks each rule alone, in all its ways, and has the most similar definitions that the server accepts. Random
//! definitions find what the corpus lacks: `CRDKIT_RANDOM_DEFINITIONS=n` sets their number, and
//! `CRDKIT_RANDOM_DEFINITIONS_SEED=n` one of the runs. `CRDKIT_RANDOM_RULES=n` sets the number of random rules in CEL.
//!
//! The rules of definitions are also evaluated: on created objects, on whole objects, and those of public definitions.

mod base;
mod catalogue;
mod compile_time;

mod comparison;
mod corpus;
mod evaluated;
mod expressions;
mod fuzz;

mod objects;
mod published;
mod random;
mod report;
mod shrink;
mod stored;

mod verdicts;
