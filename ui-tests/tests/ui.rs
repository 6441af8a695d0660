//! Runs the cases. `TRYBUILD=overwrite` writes what the compiler says now: read it before you commit it.

use std::process::Command;

/// The compiler of `rust-toolchain.toml`, whose words the `.stderr` files are.
const COMPILER: &str = "rustc 1.95.0 ";

#[test]
fn mistakes() {
    let compiler = compiler();
    if !compiler.starts_with(COMPILER) {
        eprintln!("skipped: the expected messages are those of {COMPILER}, and this is {compiler}");
        return;
    }
    trybuild::TestCases::new().compile_fail("fail/*/*.rs");
}

#[test]
fn accepted() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    cases.pass("pass/*/*.rs");
}

fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let output = output.expect("the compiler that built this test runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
