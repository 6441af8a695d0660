//! Runs the cases that need the compiler. `TRYBUILD=overwrite` writes what it prints now: review it before you commit it.
//! The mistakes in `derive/` are expanded by the tests of `crdkit-macros`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The compiler of `rust-toolchain.toml`, whose words the `.stderr` files are.
const COMPILER: &str = "rustc 1.95.0 ";

#[test]
fn mistakes() {
    let compiler = compiler();
    if !compiler.starts_with(COMPILER) {
        eprintln!("skipped: the expected messages are those of {COMPILER}, and this is {compiler}");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("fail/*/*.rs");
    // One compilation for each topic: its file has the mistakes of its folder as modules.
    cases.compile_fail("const/*.rs");
    cases.compile_fail("derive/*.rs");
}

#[test]
fn each_mistake_is_a_module_of_its_topic() {
    let topics = entries(Path::new("const")).chain(entries(Path::new("derive")));
    for folder in topics.filter(|path| path.is_dir()) {
        let topic = fs::read_to_string(folder.with_extension("rs")).expect("a topic has a file");
        let modules: BTreeSet<_> = topic.lines().filter_map(|line| line.strip_prefix("mod ")).collect();
        let files: Vec<_> = entries(&folder).map(|file| module(&file)).collect();
        assert_eq!(modules, files.iter().map(String::as_str).collect(), "{}", folder.display());
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is readable");
    entries.map(|entry| entry.expect("the entry is readable").path())
}

fn module(file: &Path) -> String {
    format!("{};", file.file_stem().expect("a file has a name").display())
}

fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let output = output.expect("the compiler that built this test runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
