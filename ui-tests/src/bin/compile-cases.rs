//! Runs in place of the cargo of trybuild, which would compile the dependencies of the cases once more: cases are a package of
//! another workspace. This compiles them with the crates that `cargo test --workspace` compiled, in a quarter of the time.

use std::{
    env, fs,
    io::{Write as _, stdout},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde::Deserialize;
use serde_json::json;

const FLAGS: [&str; 7] = [
    "--crate-type=bin",
    "--edition=2024",
    "--emit=metadata",
    "--error-format=json",
    "--diagnostic-width=140",
    "--verbose",
    "-Adead_code",
];

/// The manifest that trybuild writes.
#[derive(Deserialize)]
struct Manifest {
    bin: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    path: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let has = |argument: &str| arguments.iter().any(|it| it == argument);
    if has("metadata") {
        let status = Command::new(env!("CARGO")).args(&arguments).status().expect("cargo runs");
        return if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    // The other commands compile dependencies, and remove what is compiled of cases.
    if has("--message-format=json") {
        compile_cases();
    }
    ExitCode::SUCCESS
}

/// Compiles the cases of the manifest in the current directory, and writes the messages of the compiler as cargo does.
fn compile_cases() {
    let manifest = fs::read_to_string("Cargo.toml").expect("trybuild has written a manifest");
    let mut cases = toml::from_str::<Manifest>(&manifest).expect("the manifest is that of trybuild").bin;
    // The other program is one of trybuild, from which dependencies would be compiled.
    cases.retain(|case| case.path.is_absolute());
    let crates = env::var("CASE_CRATES").expect("the test sets the arguments for the crates of cases");
    let crates: Vec<_> = crates.split('\n').collect();
    let (next, output) = (AtomicUsize::new(0), Mutex::new(stdout()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let messages = compile(case, &crates);
                    output.lock().expect("no thread panics").write_all(messages.as_bytes()).expect("trybuild reads");
                }
            });
        }
    });
}

/// The messages of the compiler about a case, one in each line.
fn compile(case: &Case, crates: &[&str]) -> String {
    let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--crate-name", &case.name]).arg(&case.path).args(FLAGS).args(crates);
    command.arg("--out-dir").arg(env::temp_dir()).current_dir(workspace());
    let output = command.output().expect("the compiler runs");
    let messages = String::from_utf8(output.stderr).expect("messages are text");
    let target = json!({ "src_path": case.path });
    let message_of_cargo =
        |message| format!("{{\"reason\":\"compiler-message\",\"target\":{target},\"message\":{message}}}\n");
    messages.lines().map(with_absolute_paths).map(message_of_cargo).collect()
}

/// The crates of the workspace were compiled with relative paths, which trybuild does not recognize.
fn with_absolute_paths(message: &str) -> String {
    let workspace = workspace().display();
    let place = |text: &str| if text.starts_with('/') { text.to_owned() } else { format!("{workspace}/{text}") };
    ["--> ", "::: "].iter().fold(message.to_owned(), |message, arrow| {
        let mut parts = message.split(arrow);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + arrow + &place(part))
    })
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in the workspace")
}
