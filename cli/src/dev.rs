//! `cargo crdkit dev`.

mod build;
mod changes;
mod failures;
mod objects;
mod packages;
mod process;
mod screen;

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc::{self, Receiver, Sender},
};

use serde_json::{Value, json};

use self::{
    build::{Programs, build},
    process::{Process, run},
    screen::Screen,
};
use crate::{
    command_line::{DevArguments, Format},
    error::Error,
    project,
};

/// Where the API server is, below the project.
const KUBECONFIG: &str = "target/dev/kubeconfig.yaml";

/// Makes the errors of the operator's client quote values of objects.
const QUOTE_VALUES: &str = "CRDKIT_QUOTE_VALUES";

/// What the session waits for.
enum Message {
    /// A line that a process has printed.
    Line { source: Source, text: String },
    /// A process has ended.
    Ended(Source),
    /// A file of the project has changed.
    Edited,
    /// The terminal has another size.
    Resized,
}

/// A process of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The standard output of the program `crds`, which has the API server.
    Watch,
    WatchErrors,
    /// The operator, by the number of its start.
    Operator(u32),
}

/// Runs the operator, and starts it again after each change, until the terminal interrupts it.
pub(crate) fn dev(arguments: &DevArguments) -> Result<(), Error> {
    let project = project::find()?;
    let (sender, messages) = mpsc::channel();
    changes::watch(&project, sender.clone());
    let output = Output::new(arguments.format, &project);
    if matches!(output, Output::Screen(_)) {
        screen::watch_size(sender.clone());
    }
    let mut session = Session { arguments, project, sender, messages, output, operator: None, starts: 0 };
    let programs = session.first_build()?;
    let _watch = session.start_watch(&programs)?;
    session.start_operator(&programs)?;
    session.run()
}

struct Session<'a> {
    arguments: &'a DevArguments,
    project: PathBuf,
    sender: Sender<Message>,
    messages: Receiver<Message>,
    output: Output,
    operator: Option<Process>,
    /// How many times the operator was started.
    starts: u32,
}

impl Session<'_> {
    fn build(&mut self) -> Result<Option<Programs>, Error> {
        self.output.status("building");
        build(&self.project, self.arguments)
    }

    /// Builds the project until that succeeds.
    fn first_build(&mut self) -> Result<Programs, Error> {
        loop {
            if let Some(programs) = self.build()? {
                return Ok(programs);
            }
            self.output.pause("the build failed; waiting for a change");
            while !matches!(self.receive(), Message::Edited) {}
        }
    }

    fn receive(&self) -> Message {
        self.messages.recv().expect("the session has a sender")
    }

    /// Starts the program that serves and watches the definitions, and waits until they are installed.
    fn start_watch(&mut self, programs: &Programs) -> Result<Process, Error> {
        let mut command = self.command(&programs.definitions);
        command.args(["dev", "--watch-stdin", "--format", self.output.format_of_watch()]);
        if self.arguments.cluster {
            command.arg("--cluster")
        } else {
            command.args(["--kubeconfig", KUBECONFIG])
        };
        let watch = Process::start(&command, Source::Watch, Source::WatchErrors, &self.sender)?;
        let mut errors = Vec::new();
        loop {
            match self.receive() {
                Message::Line { source: Source::Watch, text } if is_ready(&text) => {
                    self.output.watch(&text);
                    return Ok(watch);
                }
                Message::Line { source: Source::Watch, text } => self.output.watch(&text),
                Message::Line { text, .. } => errors.push(text),
                Message::Ended(Source::Watch) => {
                    // The other stream ends at the same time.
                    errors.extend(self.messages.try_iter().filter_map(line));
                    return Err(Error::Watch(errors.join("\n")));
                }
                Message::Resized => self.output.draw(),
                Message::Ended(_) | Message::Edited => {}
            }
        }
    }

    fn start_operator(&mut self, programs: &Programs) -> Result<(), Error> {
        self.starts += 1;
        let source = Source::Operator(self.starts);
        let mut command = self.command(&programs.operator);
        command.args(&self.arguments.operator_arguments);
        self.operator = Some(Process::start(&command, source, source, &self.sender)?);
        self.output.forget_failures();
        self.output.status("the operator runs");
        Ok(())
    }

    /// Returns a command in the project that uses the API server of the session.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.project);
        if !self.arguments.cluster {
            command.env("KUBECONFIG", self.project.join(KUBECONFIG));
            // The objects of another cluster may be secret.
            command.env(QUOTE_VALUES, "1");
        }
        command
    }

    fn run(&mut self) -> Result<(), Error> {
        loop {
            match self.receive() {
                Message::Line { source: Source::Watch, text } => self.output.watch(&text),
                Message::Line { source: Source::WatchErrors, text } => self.output.log("crds", &text),
                Message::Line { text, .. } => self.output.log("operator", &text),
                Message::Ended(Source::Operator(start)) if start == self.starts => {
                    if let Some(operator) = self.operator.take() {
                        self.output
                            .status(&format!("the operator ended with {}; waiting for a change", operator.wait()));
                    }
                }
                Message::Ended(Source::Operator(_) | Source::WatchErrors) => {}
                Message::Ended(Source::Watch) => return Err(Error::Watch(String::new())),
                Message::Edited => self.build_again()?,
                // The table is drawn below.
                Message::Resized => {}
            }
            self.output.draw();
        }
    }

    fn build_again(&mut self) -> Result<(), Error> {
        let Some(programs) = self.build()? else {
            self.output.pause("the build failed; waiting for a change");
            return Ok(());
        };
        if let Some(operator) = self.operator.take() {
            operator.stop();
        }
        self.install(&programs)?;
        self.start_operator(&programs)
    }

    /// Installs definitions that have changed.
    fn install(&mut self, programs: &Programs) -> Result<(), Error> {
        let mut command = self.command(&programs.definitions);
        command.args(["install", "--format", self.output.format_of_watch()]);
        if !self.arguments.cluster {
            // The objects are those of this session.
            command.args(["--admission", "--allow-data-loss"]);
        }
        let installed = run(&mut command)?;
        for line in installed.output.lines().filter(|line| !is_unchanged(line)) {
            self.output.watch(line);
        }
        if !installed.errors.is_empty() {
            self.output.status(&format!("the definitions are not installed: {}", installed.errors.trim_end()));
        }
        Ok(())
    }
}

fn line(message: Message) -> Option<String> {
    match message {
        Message::Line { text, .. } => Some(text),
        Message::Ended(_) | Message::Edited | Message::Resized => None,
    }
}

/// Whether a line of `crds dev` states that everything is installed.
fn is_ready(line: &str) -> bool {
    line.starts_with("ready: ") || action(line) == Some("ready".to_owned())
}

fn is_unchanged(line: &str) -> bool {
    line.starts_with("unchanged ") || action(line) == Some("unchanged".to_owned())
}

fn action(line: &str) -> Option<String> {
    let parsed: Value = serde_json::from_str(line).ok()?;
    parsed["action"].as_str().map(str::to_owned)
}

/// Where the session is shown.
enum Output {
    Text,
    Json,
    Screen(Screen),
}

impl Output {
    fn new(format: Option<Format>, project: &Path) -> Self {
        match format {
            Some(Format::Json) => Self::Json,
            Some(Format::Text) => Self::Text,
            None if !std::io::stdout().is_terminal() => Self::Text,
            None => Self::Screen(Screen::new(project)),
        }
    }

    /// Returns the format in which the program `crds` prints changes.
    fn format_of_watch(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json | Self::Screen(_) => "json",
        }
    }

    fn status(&mut self, status: &str) {
        match self {
            Self::Text => println!("{status}"),
            Self::Json => println!("{}", json!({ "action": "status", "message": status })),
            Self::Screen(screen) => screen.set_status(status),
        }
    }

    /// Shows a status below what cargo has printed.
    fn pause(&mut self, status: &str) {
        self.status(status);
        if let Self::Screen(screen) = self {
            screen.pause();
        }
    }

    /// Takes a line of the program `crds`.
    fn watch(&mut self, line: &str) {
        match self {
            Self::Text | Self::Json => println!("{line}"),
            Self::Screen(screen) => screen.objects.update(line),
        }
    }

    fn log(&mut self, program: &str, line: &str) {
        match self {
            Self::Text => println!("{program}: {line}"),
            Self::Json => println!("{}", json!({ "action": "log", "program": program, "message": line })),
            Self::Screen(screen) => screen.log(line),
        }
    }

    /// Forgets the failures of an operator that has ended.
    fn forget_failures(&mut self) {
        if let Self::Screen(screen) = self {
            screen.objects.forget_failures();
        }
    }

    fn draw(&mut self) {
        if let Self::Screen(screen) = self {
            screen.draw();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn errors_quote_values_unless_the_cluster_is_another_one() {
        for cluster in [false, true] {
            let arguments = DevArguments { cluster, bin: None, format: None, operator_arguments: Vec::new() };
            let (sender, messages) = mpsc::channel();
            let session = Session {
                arguments: &arguments,
                project: "garage".into(),
                sender,
                messages,
                output: Output::Text,
                operator: None,
                starts: 0,
            };
            let command = session.command(Path::new("operator"));
            let variables: Vec<_> = command.get_envs().collect();
            assert_eq!(variables.contains(&(OsStr::new(QUOTE_VALUES), Some(OsStr::new("1")))), !cluster);
        }
    }
}
