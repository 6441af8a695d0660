//! Measures all contestants, in turn, again and again.

use anyhow::Result;
use crdkit_benches::{Figures, GoProgram, Measured, ServerProcess, in_rounds};

use crate::{
    certificate::Certificate,
    contestants::Contestant,
    options::Options,
    processors::{self, Side},
    scenario,
};

/// Runs all contestants in as many rounds as the options request.
pub(crate) fn measure(options: &Options, go: Option<&GoProgram>) -> Result<Measured> {
    let mut measured = Measured::default();
    let (certificate, processors) = (Certificate::create()?, processors::count());
    for (round, contestant) in in_rounds(options.rounds, Contestant::ALL, Contestant::word, &options.only) {
        let Some(mut command) = contestant.command(go, certificate.folder.path())? else { continue };
        eprintln!("round {round} of {}: {}", options.rounds, contestant.word());
        processors::confine_to(Side::Server, processors)?;
        let server = ServerProcess::spawn(&mut command);
        processors::confine_to(Side::Client, processors)?;
        let run = |server| -> Result<Figures> { scenario::run(server?, &certificate, options) };
        measured.add(contestant.word(), run(server));
    }
    Ok(measured)
}
