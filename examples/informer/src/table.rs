//! A live table of VirtualMachines.

mod row;
mod view;

use std::{
    collections::BTreeMap,
    future::Future,
    io::{self, Write},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use crdkit::informer::{Event, Health, Informer, ObjectKey};
use example_resources::virtual_machine::VirtualMachine;
use k8s_openapi::jiff::Timestamp;

pub use row::{COLUMNS, Row};
pub use view::View;

/// The VirtualMachines, by namespace and name.
#[derive(Default)]
pub struct Table(BTreeMap<ObjectKey, Arc<VirtualMachine>>);

impl Table {
    /// Applies an event.
    pub fn apply(&mut self, event: &Event<VirtualMachine>) {
        match event {
            Event::Added(vm) | Event::Updated { new: vm, .. } => {
                self.0.insert(ObjectKey::of(&**vm), vm.clone());
            }
            Event::Deleted(vm) => drop(self.0.remove(&ObjectKey::of(&**vm))),
            Event::Synced => {}
        }
    }

    /// Returns the rows as of a time.
    pub fn rows(&self, health: &Health, now: Timestamp) -> Vec<Row> {
        let vms = self.0.values();
        vms.map(|vm| Row::of(vm, health, now)).collect()
    }
}

/// Shows the table after each batch of events, and every second, because ages and health change without events.
///
/// It returns when the informer or `stop` ends.
///
/// # Errors
///
/// Fails if the output cannot be written.
pub async fn show(
    vms: &Informer<VirtualMachine>,
    mut view: View<impl Write>,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut table = Table::default();
    let mut events = vms.subscribe();
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            batch = events.next_batch() => match batch {
                Some(batch) => batch.iter().for_each(|event| table.apply(event)),
                None => return Ok(()),
            },
            _ = second.tick() => {}
            () = &mut stop => return Ok(()),
        }
        view.show(table.rows(&vms.health(), Timestamp::now()))?;
    }
}
