//! Processes of a session, which end with it.

use std::{
    io::{BufRead as _, BufReader, Read},
    process::{Child, Command, Stdio},
    sync::mpsc::Sender,
    thread,
    time::{Duration, Instant},
};

use super::{Message, Source};
use crate::error::Error;

/// How long an operator has to end, such as to release the lease of its leader.
const GRACE_PERIOD: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Passes a program the signal to end when standard input closes, also because this program was killed.
#[cfg(unix)]
const KEEPER: &str = r#"
exec 3<&0
"$0" "$@" <&3 3<&- &
child=$!
{ cat <&3; kill -TERM "$child"; } >/dev/null 2>&1 &
wait "$child"
"#;

pub(super) struct Process(Child);

impl Process {
    /// Starts a program, whose lines are sent.
    pub(super) fn start(
        command: &Command,
        output: Source,
        errors: Source,
        sender: &Sender<Message>,
    ) -> Result<Self, Error> {
        let mut command = kept(command);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| failed(&command, error))?;
        send_lines(child.stdout.take(), output, sender, true);
        send_lines(child.stderr.take(), errors, sender, false);
        Ok(Self(child))
    }

    /// Ends the program.
    pub(super) fn stop(mut self) {
        drop(self.0.stdin.take());
        let start = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) && start.elapsed() < GRACE_PERIOD {
            thread::sleep(POLL_INTERVAL);
        }
        // It fails for a program that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Waits for a program that has ended, and returns how.
    pub(super) fn wait(mut self) -> String {
        self.0.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

/// Sends the lines of a stream, and that it has ended.
fn send_lines(stream: Option<impl Read + Send + 'static>, source: Source, sender: &Sender<Message>, is_last: bool) {
    let (Some(stream), sender) = (stream, sender.clone()) else { return };
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if sender.send(Message::Line { source, text }).is_err() {
                return;
            }
        }
        if is_last {
            // Without a session, no one waits.
            let _ = sender.send(Message::Ended(source));
        }
    });
}

/// Returns a command that runs another one under a keeper.
#[cfg(unix)]
fn kept(command: &Command) -> Command {
    let mut keeper = Command::new("sh");
    keeper.args(["-c", KEEPER]).arg(command.get_program()).args(command.get_args());
    copy_surroundings(command, &mut keeper);
    keeper
}

#[cfg(not(unix))]
fn kept(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    copy_surroundings(command, &mut copy);
    copy
}

fn copy_surroundings(from: &Command, to: &mut Command) {
    if let Some(directory) = from.get_current_dir() {
        to.current_dir(directory);
    }
    to.envs(from.get_envs().filter_map(|(name, value)| Some((name, value?))));
}

/// What a program printed that has ended.
pub(super) struct Ran {
    pub(super) output: String,
    /// Empty if it has succeeded.
    pub(super) errors: String,
}

/// Runs a program to its end.
pub(super) fn run(command: &mut Command) -> Result<Ran, Error> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| failed(command, error))?;
    let errors = if output.status.success() { &[][..] } else { &output.stderr };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Ran { output: text(&output.stdout), errors: text(errors) })
}

fn failed(command: &Command, error: std::io::Error) -> Error {
    Error::Run { program: command.get_program().to_string_lossy().into_owned(), error }
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn start(script: &str) -> (Process, mpsc::Receiver<Message>) {
        let (sender, messages) = mpsc::channel();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let source = Source::Operator(1);
        (Process::start(&command, source, source, &sender).unwrap(), messages)
    }

    #[test]
    fn lines_are_sent_and_the_end() {
        let (process, messages) = start("echo one; echo two; exit 3");
        let mut texts = Vec::new();
        for message in messages {
            match message {
                Message::Line { text, .. } => texts.push(text),
                Message::Ended(_) => break,
                Message::Edited | Message::Resized => unreachable!(),
            }
        }
        assert_eq!(texts, ["one", "two"]);
        assert_eq!(process.wait(), "exit status: 3");
    }

    #[test]
    fn a_program_may_end_in_order() {
        let (process, messages) = start("trap 'echo released; exit' TERM; echo ready; while :; do sleep 0.05; done");
        let next = || match messages.recv().unwrap() {
            Message::Line { text, .. } => text,
            Message::Ended(_) | Message::Edited | Message::Resized => String::new(),
        };
        assert_eq!(next(), "ready");
        process.stop();
        assert_eq!(next(), "released");
    }
}
