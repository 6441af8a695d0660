//! `cargo run -p example-crds -- write`, `print` or `check`.

fn main() -> std::process::ExitCode {
    example_crds::crds().main()
}
