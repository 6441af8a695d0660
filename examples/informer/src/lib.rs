//! Two programs with informers: a [live table](table) of VirtualMachines, and an [operator] that runs them.

pub mod operator;
pub mod table;
