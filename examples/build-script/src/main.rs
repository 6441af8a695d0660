//! Prints the definition that the build script wrote, as an operator would apply it.

const AT: &str = include_str!(concat!(env!("OUT_DIR"), "/ats.cnat.programming-kubernetes.info.yaml"));

fn main() {
    print!("{AT}");
}
