#![allow(warnings)]

#[path = "decode/as_text.rs"]
mod as_text;
#[path = "decode/in_x_kube.rs"]
mod in_x_kube;

fn main() {}
