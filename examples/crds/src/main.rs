//! `cargo run -p example-crds -- write`, `check`, `docs`, `samples`, `lint` and more.

fn main() -> std::process::ExitCode {
    crdkit_tools::main(example_crds::crds())
}
