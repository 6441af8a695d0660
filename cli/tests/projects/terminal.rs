//! A person at a terminal, with a project whose programs are scripts, so that nothing is compiled.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use crate::{Projects, write_script};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A program in a terminal, which is that of `script` of util-linux.
struct Terminal {
    child: Child,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    /// Starts `cargo crdkit`. Returns nothing if there is no such `script`.
    fn start(directory: &Path, arguments: &str, environment: &[(&str, &str)]) -> Option<Self> {
        let version = Command::new("script").arg("--version").output();
        if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux")) {
            eprintln!("skipped: there is no `script` of util-linux");
            return None;
        }
        let mut command = Command::new("script");
        let program = format!(
            "tty > terminal; stty cols 80 rows 24; exec {} crdkit {arguments}",
            env!("CARGO_BIN_EXE_cargo-crdkit")
        );
        command.args(["--quiet", "--return", "--command", &program, "/dev/null"]).current_dir(directory);
        command.env_remove("NO_COLOR").envs(environment.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, output) = mpsc::channel();
        let mut stdout = child.stdout.take().unwrap();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Some(Self { child, output, seen: String::new() })
    }

    /// Waits until a text is shown, and returns everything that was.
    fn wait_for(&mut self, text: &str) -> &str {
        let start = Instant::now();
        while !self.seen.contains(text) {
            let left = TIMEOUT.saturating_sub(start.elapsed());
            let bytes = self
                .output
                .recv_timeout(left)
                .unwrap_or_else(|error| panic!("`{text}` is not shown: {error}\n{:?}", self.seen));
            self.seen += &String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        }
        &self.seen
    }

    fn enter(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn succeed(mut self) {
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The terminal closes, which ends the program.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_terminal_prompts_for_what_is_missing() {
    let projects = Projects::new("prompts");
    let runtime = crate::repository().join("runtime");
    let arguments = format!("new garage --no-build --crdkit {}", runtime.display());
    let Some(mut terminal) = Terminal::start(&projects.directory, &arguments, &[]) else {
        return;
    };
    terminal.wait_for("API group, such as cars.example.com: ");
    terminal.enter("cars");
    terminal.wait_for("the API group `cars` has no dot");
    terminal.enter("cars.example.com");
    terminal.wait_for("Kind, such as Car: ");
    terminal.enter("Car");
    terminal.wait_for("\n  cargo run ");
    terminal.succeed();
    assert!(projects.read("garage/src/car.rs").contains("kind = \"Car\""));
}

/// Writes a project, and a cargo that has built it.
fn write_project(directory: &Path) {
    fs::write(directory.join("Cargo.toml"), "").unwrap();
    let artifact = |name: &str| {
        let path = directory.join(name);
        format!(
            "echo '{{\"target\":{{\"kind\":[\"bin\"],\"name\":\"{name}\"}},\"executable\":\"{}\"}}'",
            path.display()
        )
    };
    let build = [artifact("crds"), artifact("garage")].join("\n");
    write_script(&directory.join("cargo"), &format!("[ \"$1\" = metadata ] && exit 1\n{build}"));
    let changed = r#"{"action":"changed","kind":"Car","namespace":"default","name":"one","conditions":[{"type":"Ready","status":"True"}]}"#;
    let ready = r#"{"action":"ready"}"#;
    write_script(
        &directory.join("crds"),
        &format!("[ \"$1\" = install ] && exit\necho '{ready}'\necho '{changed}'\nexec cat >/dev/null"),
    );
    write_script(&directory.join("garage"), &format!("echo '{FAILURE}'\necho 'It drives.'\nexec cat >/dev/null"));
}

/// A record of crdkit, which is longer than a line of the terminal.
const FAILURE: &str = r#"2026-01-01T00:00:00Z  WARN reconcile{controller="car"}: run: reconciliation failed key=default/one error="there is no fuel""#;

#[test]
fn a_session_is_a_table_in_a_terminal() {
    const TABLE: &str =
        "KIND  NAMESPACE  NAME  CONDITIONS\nCar   default    one   Ready=True\n    error: there is no fuel\n";
    let directory = Projects::new("terminal").directory.join("garage");
    fs::create_dir_all(&directory).unwrap();
    write_project(&directory);
    let cargo = directory.join("cargo");
    for (no_color, has_colors) in [("", true), ("1", false)] {
        let environment = [("CARGO", cargo.to_str().unwrap()), ("NO_COLOR", no_color)];
        let Some(mut terminal) = Terminal::start(&directory, "dev", &environment) else {
            return;
        };
        let shown = terminal.wait_for("It drives.").replace("\x1b[1m", "").replace("\x1b[0m", "");
        assert!(shown.contains("garage: the operator runs\n"), "{shown:?}");
        assert_eq!(terminal.seen.contains("\x1b[1m"), has_colors, "{:?}", terminal.seen);
        terminal.wait_for("one   Ready=True\n");
        let shown = terminal.seen.replace("\x1b[1m", "").replace("\x1b[0m", "");
        assert!(shown.contains(TABLE), "{shown:?}");

        let starts = |text: &str| text.matches("garage: building").count();
        let before = starts(&terminal.seen);
        fs::write(directory.join("Cargo.lock"), no_color).unwrap();
        terminal.seen.clear();
        let again = terminal.wait_for("garage: building");
        assert_eq!((before, starts(again)), (1, 1));

        // After a resize, the table is drawn again, in lines of the new width.
        let device = fs::read_to_string(directory.join("terminal")).unwrap();
        let resized = Command::new("stty").args(["-F", device.trim(), "cols", "30", "rows", "20"]).status().unwrap();
        assert!(resized.success());
        terminal.wait_for("KIND  NAMESPACE  NAME  CONDITIO");
    }
}
