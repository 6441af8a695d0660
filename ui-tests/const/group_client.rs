#![allow(warnings)]

#[path = "group_client/a_kind_of_another_version.rs"]
mod a_kind_of_another_version;

fn main() {}
