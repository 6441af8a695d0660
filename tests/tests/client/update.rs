//! Updates lose nothing.

use crdkit::client::{Error, UpdateError};
use tokio::task::JoinSet;

use crate::served::{Disk, Machine, MachineSpec, client, namespace, older};

#[tokio::test]
async fn writers_of_one_object_lose_no_update() {
    const WRITERS: i32 = 32;
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-writers").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::new("a", MachineSpec::default())).await.unwrap();
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let machines = machines.max_attempts(100);
        writers.spawn(async move {
            machines.update("a", |machine| machine.spec.size += 1).await.unwrap();
        });
    }
    writers.join_all().await;
    assert_eq!(machines.get("a").await.unwrap().spec.size, WRITERS);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_fails_after_its_last_attempt() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-bound").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::new("a", MachineSpec::default())).await.unwrap();
    let others = machines.clone();
    let (started, handle) = (std::time::Instant::now(), tokio::runtime::Handle::current());
    let mut tries = 0;
    let bounded = machines.max_attempts(3);
    let update = bounded.update("a", |machine| {
        tries += 1;
        machine.spec.note = Some("mine".into());
        // Another writer is always faster.
        let (others, handle) = (others.clone(), handle.clone());
        let other = async move { others.update("a", |machine| machine.spec.size += 1).await };
        std::thread::spawn(move || handle.block_on(other).unwrap()).join().unwrap();
    });
    let error = update.await.unwrap_err();
    assert!(matches!(error, UpdateError::RetriesExhausted { attempts: 3, .. }), "{error}");
    assert!(Error::from(error).is_conflict());
    assert_eq!(tries, 3);
    assert_eq!(machines.get("a").await.unwrap().spec.size, 3);
    assert!(started.elapsed().as_secs() < 10);
}

#[tokio::test]
async fn an_older_program_preserves_unknown_fields() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-older").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let disk = |name: &str, size| Disk { name: name.into(), size, encrypted: true };
    let spec = MachineSpec { size: 1, note: Some("new".into()), disks: vec![disk("a", 1), disk("b", 2)] };
    machines.create(&Machine::new("a", spec.clone())).await.unwrap();

    let older = client.resources::<older::Machine>().namespace(&namespace);
    let update = older.update("a", |machine| {
        machine.spec.size = 2;
        machine.spec.disks[1].size = 3;
        let new = older::Disk { name: "c".into(), size: 4 };
        machine.spec.disks.insert(0, new);
    });
    update.await.unwrap();

    let new = Disk { encrypted: false, ..disk("c", 4) };
    let expected = MachineSpec { size: 2, disks: vec![new, disk("a", 1), disk("b", 3)], ..spec };
    assert_eq!(machines.get("a").await.unwrap().spec, expected);
}

#[tokio::test]
async fn a_closure_that_fails_changes_nothing() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-called-off").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    machines.create(&Machine::new("a", MachineSpec::default())).await.unwrap();
    let update = machines.update("a", |machine| {
        machine.spec.size = 2;
        "many".parse::<i32>().map(drop)
    });
    let error = update.await.unwrap_err();
    assert!(matches!(error, UpdateError::Aborted(_)), "{error}");
    assert_eq!(machines.get("a").await.unwrap().spec.size, 0);
}
