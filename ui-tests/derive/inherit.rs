#![allow(warnings)]

#[path = "inherit/no_path.rs"]
mod no_path;
#[path = "inherit/number.rs"]
mod number;
#[path = "inherit/on_an_enum.rs"]
mod on_an_enum;
#[path = "inherit/twice.rs"]
mod twice;
#[path = "inherit/union.rs"]
mod union;
#[path = "inherit/unknown_key.rs"]
mod unknown_key;
#[path = "inherit/without_inherit.rs"]
mod without_inherit;
#[path = "inherit/without_metadata.rs"]
mod without_metadata;

fn main() {}
