#![allow(warnings)]

#[path = "selectable/as_list.rs"]
mod as_list;
#[path = "selectable/brackets.rs"]
mod brackets;
#[path = "selectable/nine.rs"]
mod nine;
#[path = "selectable/no_leading_dot.rs"]
mod no_leading_dot;
#[path = "selectable/of_metadata.rs"]
mod of_metadata;
#[path = "selectable/twice.rs"]
mod twice;

fn main() {}
