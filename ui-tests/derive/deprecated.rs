#![allow(warnings)]

#[path = "deprecated/empty.rs"]
mod empty;
#[path = "deprecated/list.rs"]
mod list;
#[path = "deprecated/number.rs"]
mod number;
#[path = "deprecated/twice.rs"]
mod twice;
#[path = "deprecated/two_lines.rs"]
mod two_lines;

fn main() {}
