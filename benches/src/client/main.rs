//! The cost of calls of the typed client, compared with kube's: time, allocations and memory.
//!
//! Both clients make the same calls, in turn, to a server in the process and to one on the loopback interface.

mod cases;
mod clients;
mod clock;
mod counts;
mod loopback;
mod objects;
mod options;
mod report;
mod server;
mod times;

use anyhow::Result;
use crdkit_benches::{Results, in_conditions};

use crate::{counts::Counts, options::Options, report::Report, server::OBJECTS, times::Times};

fn main() -> Result<()> {
    let options = Options::parse()?;
    eprintln!("counting allocations");
    let counts = Counts::take()?;
    let times = in_conditions(options.rounds, || Times::take(OBJECTS, options.rounds))?;

    let report = Report::new(&times, &counts);
    println!("\n{report}");
    let mut results = Results::default();
    report.state(&mut results);
    results.note("rounds", options.rounds);
    results.write("client")
}
