//! What every contestant goes through.

use std::{future::Future, time::Duration};

use anyhow::{Result, ensure};

use crate::{
    follow::Followers,
    gauges::{Lapse, Meter, forget_peak, memory, peak},
    lookups::{self, Lookups},
    work::{Figures, Work, control, newest},
};

/// An informer of some making.
pub(crate) trait Contestant: Sized {
    /// Reads all objects once, and goes on to follow what happens.
    fn sync(work: &Work) -> impl Future<Output = Result<Self>>;

    /// How many objects are there.
    fn objects(&self) -> usize;

    fn followers(&mut self) -> &mut Followers;

    fn lookups(&self) -> impl Lookups;

    /// Waits until all objects have been read again, up to a resourceVersion.
    fn relisted(&mut self, newest: u64) -> impl Future<Output = Result<()>>;

    /// Reads all of every object.
    fn read(&self) -> Result<()> {
        Ok(())
    }
}

/// After this nothing moves any more.
const REST: Duration = Duration::from_millis(400);

/// Goes through all that is asked for.
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
    Ok(figures)
}

async fn sync<C: Contestant>(work: &Work, figures: &mut Figures) -> Result<C> {
    let meter = Meter::start()?;
    let contestant = C::sync(work).await?;
    add(figures, "sync", &meter.stop()?);
    tokio::time::sleep(REST).await;
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
    tokio::time::sleep(REST).await;
    figures.add("settled_after_read", memory()?);
    Ok(())
}

async fn watch(contestant: &mut impl Contestant, work: &Work, figures: &mut Figures) -> Result<()> {
    forget_peak()?;
    contestant.followers().expect(newest(work.port)? + work.events as u64);
    let meter = Meter::start()?;
    control(work.port, &format!("modify?count={}", work.events))?;
    let heard = contestant.followers().heard().await?;
    let cpu = meter.stop()?.cpu;
    figures.add("watch_wall", heard.seconds);
    figures.add("watch_cpu", cpu);
    figures.add("watch_events", heard.events as f64);
    tokio::time::sleep(REST).await;
    figures.add("watch_peak", peak()?);
    figures.add("settled_after_watch", memory()?);
    Ok(())
}

/// The API server has forgotten where the watch was, and so many objects have changed meanwhile.
async fn relist(
    contestant: &mut impl Contestant,
    work: &Work,
    name: &str,
    changed: usize,
    figures: &mut Figures,
) -> Result<()> {
    let before = memory()?;
    forget_peak()?;
    let meter = Meter::start()?;
    let newest = control(work.port, &format!("expire?changed={changed}"))?.parse()?;
    contestant.relisted(newest).await?;
    add(figures, name, &meter.stop()?);
    tokio::time::sleep(REST).await;
    figures.add(format!("{name}_peak"), peak()?);
    figures.add(format!("{name}_growth"), peak()? / before);
    ensure!(contestant.objects() == work.objects, "{} objects were read again", contestant.objects());
    Ok(())
}

fn add(figures: &mut Figures, name: &str, lapse: &Lapse) {
    figures.add(format!("{name}_wall"), lapse.wall);
    figures.add(format!("{name}_cpu"), lapse.cpu);
}
