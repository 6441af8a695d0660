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
use serde_json::{Value, json};

/// What trybuild and cargo pass to the compiler of cases.
const FLAGS: [&str; 6] = [
    "--crate-type=bin",
    "--emit=metadata",
    "--error-format=json",
    "--diagnostic-width=140",
    "--verbose",
    "-Adead_code",
];

/// The manifest that trybuild writes.
#[derive(Deserialize)]
struct Manifest {
    package: Package,
    bin: Vec<Case>,
}

#[derive(Deserialize)]
struct Package {
    edition: String,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    path: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let has = |argument: &str| arguments.iter().any(|it| it == argument);
    match () {
        () if has("metadata") => {
            let status = Command::new(env!("CARGO")).args(&arguments).status().expect("cargo runs");
            return if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        () if has("check") && has("--message-format=json") => compile_cases(),
        // The dependencies are compiled, and nothing is kept of cases.
        () if has("check") || has("clean") => {}
        () => panic!("trybuild runs another command than those that are implemented: {arguments:?}"),
    }
    ExitCode::SUCCESS
}

/// Compiles the cases of the manifest in the current directory, and writes the messages of the compiler as cargo does.
fn compile_cases() {
    let manifest = fs::read_to_string("Cargo.toml").expect("trybuild has written a manifest");
    let Manifest { package, bin: mut cases } = toml::from_str(&manifest).expect("the manifest is that of trybuild");
    // The other program is one of trybuild, from which dependencies would be compiled.
    cases.retain(|case| case.path.is_absolute());
    let argument = env::var("CASE_CRATES").expect("the test sets the arguments for the crates of cases");
    let crates: Vec<_> = argument.split('\n').collect();
    let (next, output) = (AtomicUsize::new(0), Mutex::new(stdout()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let messages = compile(case, &package.edition, &crates);
                    output.lock().expect("no thread panics").write_all(messages.as_bytes()).expect("trybuild reads");
                }
            });
        }
    });
}

/// The messages of the compiler about a case, one in each line.
fn compile(case: &Case, edition: &str, crates: &[&str]) -> String {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in the workspace");
    let target = env::var_os("CARGO_TARGET_DIR").expect("trybuild sets the folder of its build");
    let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--crate-name", &case.name, "--edition", edition]).arg(&case.path).args(FLAGS).args(crates);
    let output = command.arg("--out-dir").arg(target).current_dir(workspace).output().expect("the compiler runs");
    let lines = String::from_utf8_lossy(&output.stderr);
    let messages = lines.lines().map(|line| {
        // A compiler that does not start prints another text.
        let mut message = serde_json::from_str(line).unwrap_or_else(|_| json!({ "level": "error", "rendered": line }));
        if let Value::String(rendered) = &mut message["rendered"] {
            *rendered = with_absolute_paths(rendered, workspace);
        }
        let target = json!({ "src_path": case.path });
        // trybuild looks for messages that start with their reason.
        format!("{{\"reason\":\"compiler-message\",\"target\":{target},\"message\":{message}}}\n")
    });
    messages.collect()
}

/// The crates of the workspace were compiled with relative paths, which trybuild does not recognize.
fn with_absolute_paths(rendered: &str, workspace: &Path) -> String {
    let lines = rendered.split_inclusive('\n').map(|line| {
        let place = ["--> ", "::: "].iter().find_map(|arrow| line.trim_start().strip_prefix(arrow));
        match place.filter(|place| !Path::new(place).is_absolute()) {
            Some(place) => format!("{}{}", &line[..line.len() - place.len()], workspace.join(place).display()),
            None => line.to_owned(),
        }
    });
    lines.collect()
}
