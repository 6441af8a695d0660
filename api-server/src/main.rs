//! The API server as a program, for projects in other languages.

use std::process::ExitCode;

fn main() -> ExitCode {
    crdkit_api_server::program::main()
}
