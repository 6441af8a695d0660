//! Go's own libraries, which check the parsers of crdkit-core: `api-server/control-plane/oracles`, built once for a test
//! binary.
//!
//! variable | what
//! ---|---
//! `CRDKIT_ORACLE_CASES=n` | the number of random queries of each kind
//! `CRDKIT_ORACLE_SEED=n` | the seed of the queries
//! `CRDKIT_REQUIRE_CONTROL_PLANE=1` | a machine without Go is an error

use std::{
    env,
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
    thread,
};

use anyhow::{Context, Result, bail};

pub mod cel;
pub mod evaluation;

mod cases;
mod package_variables;
mod random;
mod schema_json;

pub use cases::{case_count, number, seeds};
pub use package_variables::remove_package_variables;
pub use random::Random;
pub use schema_json::schema_json;

/// A program that answers queries with Go's libraries.
pub struct Oracle {
    program: PathBuf,
}

impl Oracle {
    /// The oracle of this test binary, built by the first call.
    ///
    /// `None` without Go to build it, which is reported on standard error.
    ///
    /// # Panics
    ///
    /// Instead of `None` if `CRDKIT_REQUIRE_CONTROL_PLANE=1`.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Oracle>> = OnceLock::new();
        SHARED.get_or_init(|| program("oracles").map(|program| Self { program })).as_ref()
    }

    /// Sends one query whose response is empty, or `error`, and a text.
    ///
    /// # Errors
    ///
    /// The text after `error`.
    ///
    /// # Panics
    ///
    /// As [`Self::query`], and if the response has another form.
    pub fn ask(&self, query: &[&str]) -> Result<String, String> {
        let query: Vec<String> = query.iter().map(|field| (*field).to_owned()).collect();
        let mut result = Err(String::new());
        self.query(&[query], |query, response| {
            result = match response {
                [kind, text] if kind.is_empty() => Ok(text.clone()),
                [kind, problem] if kind == "error" => Err(problem.clone()),
                other => panic!("{query:?}: {other:?}"),
            };
        });
        result
    }

    /// Sends queries, and calls `check` with each of them and the fields of its response.
    ///
    /// # Panics
    ///
    /// If the program ends before it has answered all queries.
    pub fn query(&self, queries: &[Vec<String>], mut check: impl FnMut(&[String], &[String])) {
        let mut oracle = Command::new(&self.program)
            .arg("judge")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the oracle starts");
        let input = oracle.stdin.take().expect("the input is piped");
        let output = oracle.stdout.take().expect("the output is piped");
        thread::scope(|scope| {
            scope.spawn(|| write(queries, BufWriter::new(input)));
            // It is closed when a check panics, so that the oracle and the writer end.
            let mut responses = BufReader::new(output).lines();
            for query in queries {
                let response: Vec<String> = responses
                    .next()
                    .and_then(io::Result::ok)
                    .unwrap_or_else(|| panic!("no response to {query:?}"))
                    .split('\t')
                    .map(unescape)
                    .collect();
                check(query, &response);
            }
        });
        let ended = oracle.wait().expect("the oracle ends");
        assert!(ended.success(), "the oracle failed");
    }
}

/// Builds a program of `api-server/control-plane` from its folder.
///
/// `None` without Go to build it, which is reported on standard error.
///
/// # Panics
///
/// Instead of `None` if `CRDKIT_REQUIRE_CONTROL_PLANE=1`.
pub fn program(name: &str) -> Option<PathBuf> {
    program_of("api-server/control-plane", &format!("./{name}"), name)
}

/// Builds a program of a Go module of the repository, as [`program`].
///
/// # Panics
///
/// As [`program`].
pub fn program_of(module: &str, package: &str, name: &str) -> Option<PathBuf> {
    match build(module, package, name) {
        Ok(program) => Some(program),
        Err(reason) if is_required() => panic!("no `{name}`, but it is required: {reason:#}"),
        Err(reason) => {
            // Past the capture of the test runner, which hides what passing tests print.
            let _ = writeln!(io::stderr(), "\n==> NO GO, so tests that need its libraries prove nothing: {reason:#}\n");
            None
        }
    }
}

fn build(module: &str, package: &str, name: &str) -> Result<PathBuf> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(module);
    let program = target().join(name);
    let output = Command::new("go")
        .current_dir(sources)
        .args(["build", "-trimpath", "-buildvcs=false", "-o"])
        .arg(&program)
        .arg(package)
        .envs([("CGO_ENABLED", "0"), ("GOTOOLCHAIN", "local"), ("GOWORK", "off")])
        .output()
        .context("cannot run `go build`")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(program)
}

/// Returns bytes as the digits in which queries have them.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes of digits in a response.
///
/// # Panics
///
/// If these are no digits.
pub fn from_hex(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("these are hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Returns the responses to queries as texts; `None` without an oracle.
pub fn responses(queries: &[Vec<String>]) -> Option<Vec<String>> {
    let mut responses = Vec::with_capacity(queries.len());
    Oracle::shared()?.query(queries, |_, response| responses.push(response.join("\t")));
    Some(responses)
}

/// The folder of the build's output.
fn target() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    workspace.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

fn write(queries: &[Vec<String>], mut input: impl Write) {
    for query in queries {
        let fields: Vec<String> = query.iter().map(|field| escape(field)).collect();
        // If the oracle has ended, the missing response is reported.
        if writeln!(input, "{}", fields.join("\t")).is_err() {
            return;
        }
    }
}

fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\t', "\\t");
    text.replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            plain => plain,
        });
    }
    plain
}

fn is_required() -> bool {
    env::var("CRDKIT_REQUIRE_CONTROL_PLANE").is_ok_and(|value| value == "1")
}

/// Returns the number of random queries of a kind, of which a whole run has this many.
pub fn cases(whole_run: u64) -> usize {
    case_count("CRDKIT_ORACLE_CASES", whole_run)
}

/// Returns the seed of random queries: 1, so that each run is the same, or another number.
pub fn seed() -> u64 {
    number("CRDKIT_ORACLE_SEED").unwrap_or(1)
}
