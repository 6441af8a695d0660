#![allow(warnings)]

#[path = "several/markers.rs"]
mod markers;
#[path = "several/paths.rs"]
mod paths;

fn main() {}
