//! Two programs on informers: a [live table](table) of VirtualMachines, and an [operator] that makes them run.

pub mod operator;
mod signals;
pub mod table;

pub use signals::asked_to_stop;
