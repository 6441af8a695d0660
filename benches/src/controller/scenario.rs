//! The scenario of all contestants: the start, changes at a rate, and changes at once.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use crdkit_benches::{
    Figures, control,
    gauges::{Lapse, Meter, memory, peak},
};

use crate::{observed::Observed, work::Work};

/// After this nothing moves any more.
const REST: Duration = Duration::from_millis(400);

/// Starts a contestant, and measures until its process ends.
pub(crate) async fn run(work: &Work, start: impl AsyncFnOnce(&Work, Arc<Observed>) -> Result<()>) -> Result<Figures> {
    let mut figures = Figures::default();
    let observed = Arc::new(Observed::new(work.objects));
    let meter = Meter::start()?;
    start(work, observed.clone()).await?;
    observed.complete().await?;
    add(&mut figures, "start", meter.stop()?, work.objects);
    tokio::time::sleep(REST).await;
    figures.add("memory", memory()?);
    figures.add("peak", peak()?);

    let lapse = change(work, &observed, work.paced, work.rate).await?;
    add(&mut figures, "paced", lapse, work.paced);
    let latencies = observed.take_latencies();
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p999", 0.999)] {
        figures.add(name, quantile(&latencies, share));
    }

    let runs = observed.runs();
    let lapse = change(work, &observed, work.burst, 0).await?;
    add(&mut figures, "burst", lapse, work.burst);
    figures.add("burst_runs", (observed.runs() - runs) as f64);
    tokio::time::sleep(REST).await;
    figures.add("memory_after", memory()?);
    Ok(figures)
}

async fn change(work: &Work, observed: &Observed, count: usize, rate: usize) -> Result<Lapse> {
    observed.expect(count);
    let meter = Meter::start()?;
    control(work.port, &format!("change?count={count}&rate={rate}"))?;
    observed.complete().await?;
    meter.stop()
}

/// Adds the time, and the processor time of a reconciliation in microseconds.
fn add(figures: &mut Figures, name: &str, lapse: Lapse, reconciliations: usize) {
    figures.add(format!("{name}_wall"), lapse.wall);
    figures.add(format!("{name}_cpu"), lapse.cpu / reconciliations as f64 * 1e6);
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        let sorted: Vec<_> = (0..1000).map(f64::from).collect();
        assert_eq!([0.5, 0.99, 0.999].map(|share| quantile(&sorted, share)), [500.0, 990.0, 999.0]);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
