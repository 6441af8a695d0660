#![allow(warnings)]

#[path = "manual/cel.rs"]
mod cel;
#[path = "manual/nullable.rs"]
mod nullable;
#[path = "manual/rule.rs"]
mod rule;

fn main() {}
