//! Two programs on informers: a [live table](table) of VirtualMachines, and an [operator] that makes them run.

pub mod operator;
pub mod table;
