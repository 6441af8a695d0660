#![allow(warnings)]

#[path = "apply/items_without_their_key.rs"]
mod items_without_their_key;

fn main() {}
