//! Go's own libraries, which judge what crdkit-core reads: `runtime/control-plane/oracles`, built once for a test binary.
//!
//! variable | what
//! ---|---
//! `CRDKIT_ORACLE_CASES=n` | so many random questions of each kind
//! `CRDKIT_ORACLE_SEED=n` | the questions of this seed
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

mod random;

pub use random::Random;

/// The program that answers.
pub struct Oracle {
    program: PathBuf,
}

impl Oracle {
    /// The oracle of this test binary, built by the first call.
    ///
    /// `None` if the machine has no Go that builds it, which is said on standard error.
    ///
    /// # Panics
    ///
    /// Instead of `None` if `CRDKIT_REQUIRE_CONTROL_PLANE=1`.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Oracle>> = OnceLock::new();
        SHARED.get_or_init(|| program("oracles").map(|program| Self { program })).as_ref()
    }

    /// Asks the questions, and calls `check` with each of them and with the fields of its answer.
    ///
    /// # Panics
    ///
    /// If the program ends before it has answered all of them.
    pub fn ask(&self, questions: &[Vec<String>], mut check: impl FnMut(&[String], &[String])) {
        let mut oracle = Command::new(&self.program)
            .arg("judge")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the oracle starts");
        let input = oracle.stdin.take().expect("the input is piped");
        let output = oracle.stdout.take().expect("the output is piped");
        thread::scope(|scope| {
            scope.spawn(|| write(questions, BufWriter::new(input)));
            // It is closed when a check panics, so that the oracle ends, and with it the writing.
            let mut answers = BufReader::new(output).lines();
            for question in questions {
                let answer = answers.next().and_then(io::Result::ok);
                let answer = answer.unwrap_or_else(|| panic!("no answer to {question:?}"));
                let answer: Vec<String> = answer.split('\t').map(unescape).collect();
                check(question, &answer);
            }
        });
        let ended = oracle.wait().expect("the oracle ends");
        assert!(ended.success(), "the oracle failed");
    }
}

/// Builds a program of `runtime/control-plane` from its folder.
///
/// `None` if the machine has no Go that builds it, which is said on standard error.
///
/// # Panics
///
/// Instead of `None` if `CRDKIT_REQUIRE_CONTROL_PLANE=1`.
pub fn program(name: &str) -> Option<PathBuf> {
    program_of("runtime/control-plane", &format!("./{name}"), name)
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

/// The answers to questions, each as one text; none without an oracle.
pub fn answers(questions: &[Vec<String>]) -> Option<Vec<String>> {
    let mut answers = Vec::with_capacity(questions.len());
    Oracle::shared()?.ask(questions, |_, answer| answers.push(answer.join("\t")));
    Some(answers)
}

/// The folder of the build's output.
fn target() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    workspace.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

fn write(questions: &[Vec<String>], mut input: impl Write) {
    for question in questions {
        let fields: Vec<String> = question.iter().map(|field| escape(field)).collect();
        // An oracle that ended gives no answer, which is said there.
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

/// How many random questions of a kind are asked.
pub fn cases(default: usize) -> usize {
    number("CRDKIT_ORACLE_CASES").map_or(default, |cases| usize::try_from(cases).unwrap_or(default))
}

/// What random questions are made from: 1, so that a run is like the one before, or another number.
pub fn seed() -> u64 {
    number("CRDKIT_ORACLE_SEED").unwrap_or(1)
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}
