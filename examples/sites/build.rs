//! Writes the operator as it was before the switch: each changed line is replaced with the text after `// before: `.

use std::{env, fs, path::Path};

const SWITCHED: &str = "src/bin/switched.rs";
const CHANGED_LINES: usize = 2;

fn main() {
    println!("cargo:rerun-if-changed={SWITCHED}");
    let switched = fs::read_to_string(SWITCHED).unwrap();
    let code = switched.lines().filter(|line| !line.starts_with("//!"));
    let mut changed = 0;
    let before = code
        .map(|line| match line.split_once("// before: ") {
            Some((_, before)) => {
                changed += 1;
                before
            }
            None => line,
        })
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(changed, CHANGED_LINES);
    let out = env::var("OUT_DIR").unwrap();
    fs::write(Path::new(&out).join("before.rs"), before).unwrap();
}
