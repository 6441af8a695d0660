//! The scenario of all contestants.

use std::{future::Future, time::Duration};

use anyhow::{Result, ensure};

use crate::{
    gauges::{Lapse, Meter, memory, peak, reset_peak},
    lookups::{self, Lookups, Readers},
    subscribers::Subscribers,
    work::{Figures, Work, control, newest},
};

/// An informer implementation.
pub(crate) trait Contestant: Sized {
    /// Lists all objects, and starts to watch them.
    fn sync(work: &Work) -> impl Future<Output = Result<Self>>;

    /// The number of objects.
    fn objects(&self) -> usize;

    fn subscribers(&mut self) -> &mut Subscribers;

    fn lookups(&self) -> impl Lookups;

    /// Waits until all objects have been listed again, up to a resourceVersion.
    fn relisted(&mut self, newest: u64) -> impl Future<Output = Result<()>>;

    /// Reads all of every object.
    fn read(&self) -> Result<()> {
        Ok(())
    }
}

/// The time after which memory has settled.
const SETTLE: Duration = Duration::from_millis(400);

/// The longest time of a storm: beside readers that hold its lock, a contestant may take minutes for all changes, and kube's watch may
/// end for good.
const STORM: Duration = Duration::from_secs(3);

/// Runs the requested parts of the scenario.
pub(crate) async fn run<C: Contestant>(work: &Work) -> Result<Figures> {
    let mut figures = Figures::default();
    let mut contestant = sync::<C>(work, &mut figures).await?;
    if work.lookups {
        lookups::measure(&contestant.lookups(), work, &mut figures);
    }
    if work.events > 0 {
        watch(&mut contestant, work, &mut figures).await?;
    }
    if work.relists {
        relist(&mut contestant, work, "relist_unchanged", 0, &mut figures).await?;
        relist(&mut contestant, work, "relist_changed", work.objects / 10, &mut figures).await?;
    }
    if work.reads {
        read(&contestant, &mut figures).await?;
    }
    // At the end, since it leaves memory that others measure.
    if work.lookups && work.events > 0 {
        storm(&mut contestant, work, &mut figures).await?;
    }
    Ok(figures)
}

async fn sync<C: Contestant>(work: &Work, figures: &mut Figures) -> Result<C> {
    let meter = Meter::start()?;
    let contestant = C::sync(work).await?;
    add(figures, "sync", &meter.stop()?);
    tokio::time::sleep(SETTLE).await;
    ensure!(contestant.objects() == work.objects, "{} objects were read", contestant.objects());
    figures.add("sync_peak", peak()?);
    figures.add("settled", memory()?);
    Ok(contestant)
}

async fn read(contestant: &impl Contestant, figures: &mut Figures) -> Result<()> {
    figures.add("settled_before_read", memory()?);
    let meter = Meter::start()?;
    contestant.read()?;
    add(figures, "read", &meter.stop()?);
    tokio::time::sleep(SETTLE).await;
    figures.add("settled_after_read", memory()?);
    Ok(())
}

async fn watch(contestant: &mut impl Contestant, work: &Work, figures: &mut Figures) -> Result<()> {
    reset_peak()?;
    contestant.subscribers().expect(newest(work.port)? + work.events as u64);
    let meter = Meter::start()?;
    control(work.port, &format!("modify?count={}", work.events))?;
    let delivery = contestant.subscribers().delivered().await?;
    let cpu = meter.stop()?.cpu;
    figures.add("watch_wall", delivery.seconds);
    figures.add("watch_cpu", cpu);
    figures.add("watch_events", delivery.events as f64);
    tokio::time::sleep(SETTLE).await;
    figures.add("watch_peak", peak()?);
    figures.add("settled_after_watch", memory()?);
    Ok(())
}

/// Changes objects while others read.
async fn storm(contestant: &mut impl Contestant, work: &Work, figures: &mut Figures) -> Result<()> {
    contestant.subscribers().expect(newest(work.port)? + work.events as u64);
    let readers = Readers::start(&contestant.lookups(), work.objects);
    control(work.port, &format!("modify?count={}", work.events))?;
    // An error is that the time has passed.
    let delivered = tokio::time::timeout(STORM, contestant.subscribers().delivered()).await;
    readers.stop(figures);
    delivered.map_or(Ok(()), |delivery| delivery.map(drop))
}

/// Expires the watch after a number of objects have changed.
async fn relist(
    contestant: &mut impl Contestant,
    work: &Work,
    name: &str,
    changed: usize,
    figures: &mut Figures,
) -> Result<()> {
    let before = memory()?;
    reset_peak()?;
    let meter = Meter::start()?;
    let newest = control(work.port, &format!("expire?changed={changed}"))?.parse()?;
    contestant.relisted(newest).await?;
    add(figures, name, &meter.stop()?);
    tokio::time::sleep(SETTLE).await;
    figures.add(format!("{name}_peak"), peak()?);
    figures.add(format!("{name}_growth"), peak()? / before);
    ensure!(contestant.objects() == work.objects, "{} objects were listed again", contestant.objects());
    Ok(())
}

fn add(figures: &mut Figures, name: &str, lapse: &Lapse) {
    figures.add(format!("{name}_wall"), lapse.wall);
    figures.add(format!("{name}_cpu"), lapse.cpu);
}
