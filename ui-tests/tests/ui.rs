//! Runs the cases that need the compiler. `TRYBUILD=overwrite` writes what it prints now: review it before you commit it.
//! The mistakes in `derive/` are also expanded by the tests of `crdkit-macros`, which write what is expected of them.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crdkit_oracles::remove_package_variables;
use serde_json::Value;

/// The compiler of `rust-toolchain.toml`, whose words the `.stderr` files are.
const COMPILER: &str = "rustc 1.95.0 ";

/// The crates that cases use, sorted.
const CRATES: [&str; 7] = ["crdkit", "crdkit_ui_tests", "k8s_openapi", "kube", "schemars", "serde", "serde_json"];

#[test]
fn mistakes() {
    let compiler = compiler();
    if !compiler.starts_with(COMPILER) {
        eprintln!("skipped: the expected messages are those of {COMPILER}, and this is {compiler}");
        return;
    }
    let program = env::current_exe().expect("this program has a path");
    let filters = env::args().filter(|argument| argument.starts_with("trybuild="));
    let mut command = Command::new(program);
    command.args(["compile", "--exact", "--ignored", "--nocapture"]).args(filters);
    command.env("CARGO", env!("CARGO_BIN_EXE_compile-cases")).env("CASE_CRATES", crates().join("\n"));
    let output = command.output().expect("this program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "some mistakes are reported differently");
    assert!(text.contains("test result: ok. 1 passed"), "the cases are not compiled");
}

/// The arguments of the compiler for `CRATES`, compiled with the features that all tests of the workspace need.
fn crates() -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--workspace", "--test", "ui", "--message-format=json"]);
    cargo.arg("--target-dir").arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."));
    remove_package_variables(&mut cargo);
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut libraries: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().filter_map(library).collect();
    libraries.sort();
    assert!(libraries.iter().map(|(name, _)| &**name).eq(CRATES), "{libraries:?}");
    let parents: BTreeSet<_> = libraries.iter().filter_map(|(_, path)| path.parent()).collect();
    let directories = parents.iter().map(|path| format!("-Ldependency={}", path.display()));
    let libraries = libraries.iter().map(|(name, path)| format!("--extern={name}={}", path.display()));
    libraries.chain(directories).collect()
}

/// The name and the path of a library of `CRATES` that cargo reports.
fn library(artifact: &str) -> Option<(String, PathBuf)> {
    let artifact: Value = serde_json::from_str(artifact).ok()?;
    let name = artifact["target"]["name"].as_str().filter(|name| CRATES.contains(name))?;
    let files = artifact["filenames"].as_array()?.iter().filter_map(Value::as_str);
    let library = files.map(Path::new).find(|file| file.extension().is_some_and(|extension| extension == "rlib"))?;
    Some((name.to_owned(), library.to_owned()))
}

#[test]
#[ignore = "`mistakes` runs it with the cargo that compiles cases"]
fn compile() {
    assert!(env::var_os("CASE_CRATES").is_some(), "run `mistakes`, which sets the crates of cases");
    let cases = trybuild::TestCases::new();
    cases.compile_fail("fail/*/*.rs");
    // One compilation for each topic: its file has the mistakes of its folder as modules.
    cases.compile_fail("const/*.rs");
    cases.compile_fail("types/*.rs");
    cases.compile_fail(write_case_of_derives());
}

/// Writes one case with the mistakes of all folders in `derive`, so that they are compiled together.
fn write_case_of_derives() -> PathBuf {
    let (mut source, mut expected) = ("#![allow(warnings)]\n\nfn main() {}\n".to_owned(), Vec::new());
    for folder in entries(Path::new("derive")).into_iter().filter(|path| path.is_dir()) {
        let topic = name(&folder);
        source += &format!("\nmod {topic} {{\n");
        for file in entries(&folder) {
            let path = file.canonicalize().expect("the file exists").display().to_string();
            source += &format!("    #[path = {path:?}]\n    mod {};\n", name(&file));
        }
        source += "}\n";
        expected.push(fs::read_to_string(folder.with_extension("stderr")).expect("a folder has expected errors"));
    }
    let case = Path::new(env!("CARGO_TARGET_TMPDIR")).join("derive.rs");
    fs::write(&case, source).expect("the folder is writable");
    fs::write(case.with_extension("stderr"), expected.join("\n")).expect("the folder is writable");
    case
}

#[test]
fn each_mistake_is_a_module_of_its_topic() {
    let topics = ["const", "types"].map(|kind| entries(Path::new(kind)));
    for folder in topics.into_iter().flatten().filter(|path| path.is_dir()) {
        let topic = fs::read_to_string(folder.with_extension("rs")).expect("a topic has a file");
        let modules: BTreeSet<_> = topic.lines().filter_map(|line| line.strip_prefix("mod ")).collect();
        let files: BTreeSet<_> = entries(&folder).iter().map(|file| format!("{};", name(file))).collect();
        assert_eq!(modules, files.iter().map(String::as_str).collect(), "{}", folder.display());
    }
}

/// The compiler shows lines of the standard library only where its source is installed (`rust-src`), which is not part of each toolchain.
#[test]
fn no_expected_error_shows_the_standard_library() {
    let topics = ["fail", "const", "types", "derive"].map(|kind| entries(Path::new(kind)));
    let (folders, files): (Vec<_>, Vec<_>) = topics.into_iter().flatten().partition(|path| path.is_dir());
    let files = files.into_iter().chain(folders.iter().flat_map(|folder| entries(folder)));
    let expected: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|extension| extension == "stderr")).collect();
    assert!(expected.len() > 100, "only {} files with expected errors were found", expected.len());
    for file in expected {
        let text = fs::read_to_string(&file).expect("the file is readable");
        assert!(
            !text.contains("$RUST"),
            "{} shows the standard library: let the case use a function of its own",
            file.display()
        );
    }
}

/// The files and folders in a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("the folder is readable")
        .map(|entry| entry.expect("the entry is readable").path())
        .collect();
    entries.sort();
    entries
}

fn name(path: &Path) -> String {
    path.file_stem().expect("an entry has a name").display().to_string()
}

fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().expect("the compiler that built this test runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
