use std::{
    fs::OpenOptions,
    io::Write,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// Gives any program the manner of `tests/control-plane`: it ends when standard input closes, and then removes the
/// folder `$0`, unless it has read the word `keep`.
const KEEPER: &str = r#"
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
{
    word=$(cat <&3)
    kill -KILL "$child"
    [ "$word" = keep ] || rm -rf "$0"
} 2>/dev/null &
wait "$child"
"#;

/// A process that ends with its owner, even if the owner is killed, because it watches its standard input.
pub(crate) struct Process(Child);

impl Process {
    /// Starts a program that watches its standard input itself.
    pub(crate) fn spawn(mut command: Command, log: &Path) -> Result<Self> {
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        command.process_group(0).stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        Ok(Self(command.spawn().with_context(|| format!("cannot run {}", command.get_program().display()))?))
    }

    /// Starts a program that does not, under a keeper that does, and that removes `dir` in the end.
    pub(crate) fn spawn_kept(command: &Command, dir: &Path, log: &Path) -> Result<Self> {
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER]).arg(dir).arg(command.get_program()).args(command.get_args());
        Self::spawn(keeper, log)
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    /// Sends a signal, such as `STOP`, to the process and its children.
    pub(crate) fn signal(&self, signal: &str) -> Result<()> {
        let group = format!("-{}", self.0.id());
        let mut kill = Command::new("kill");
        kill.args(["-s", signal, "--", &group]);
        let sent = kill.output().context("cannot run kill")?;
        if !sent.status.success() {
            bail!("{}", String::from_utf8_lossy(&sent.stderr));
        }
        Ok(())
    }

    /// Ends the process, and keeps its folder.
    pub(crate) fn halt(mut self) {
        if let Some(stdin) = &mut self.0.stdin {
            // Fails if the process has ended, which is what is wanted.
            let _ = stdin.write_all(b"keep");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.has_ended() {
            // A stopped process would never read that it is to end.
            let _ = self.signal("CONT");
        }
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
