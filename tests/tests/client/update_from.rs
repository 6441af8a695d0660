//! Updates that start from an object, without reading it first, lose nothing.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use crdkit::{
    client::{Error, OperationResult, Resources, UpdateError, scope::InNamespace},
    conditions::NewCondition,
};
use tokio::task::JoinSet;

use crate::{
    served::{Disk, Machine, MachineSpec, client, namespace, older},
    server::server,
};

const CLEANUP: &str = "example.com/cleanup";

async fn create(machines: &Resources<Machine, InNamespace>) -> Machine {
    let machine = Machine::new("a", MachineSpec::default());
    machines.create(&machine).await.unwrap()
}

fn version(machine: &Machine) -> Option<&str> {
    machine.metadata.resource_version.as_deref()
}

#[tokio::test]
async fn writers_with_an_old_object_lose_no_update() {
    const WRITERS: i32 = 16;
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-from-writers").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let earlier = create(&machines).await;
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let all = client.resources::<Machine>().all_namespaces();
        let (all, earlier) = (all.max_attempts(100), earlier.clone());
        writers.spawn(async move {
            let grow = |machine: &mut Machine| machine.spec.size += 1;
            all.update_from(&earlier, grow).await.unwrap();
        });
    }
    writers.join_all().await;
    assert_eq!(machines.get("a").await.unwrap().spec.size, WRITERS);
}

#[tokio::test]
async fn unchanged_objects_are_not_written() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-from-quiet").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    create(&machines).await;
    let finalizers = machines.finalizers();
    finalizers.add("a", CLEANUP).await.unwrap();
    let ready = || NewCondition::is_true("Ready", "AllRun");
    let earlier = machines.status().set_condition("a", ready()).await.unwrap();

    let added = finalizers.add_to(&earlier, CLEANUP).await.unwrap();
    assert_eq!(added, OperationResult::Unchanged);
    let status = machines.status();
    status.update_from(&earlier, |status| status.size = 0).await.unwrap();
    status.set_condition_from(&earlier, ready()).await.unwrap();
    machines.update_from(&earlier, |machine| machine.spec.size = 0).await.unwrap();
    let stored = machines.get("a").await.unwrap();
    assert_eq!(version(&stored), version(&earlier));
    finalizers.remove_from(&earlier, CLEANUP).await.unwrap();
}

#[tokio::test]
async fn concurrent_writes_are_preserved() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-from-behind").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let earlier = create(&machines).await;
    let (finalizers, status) = (machines.finalizers(), machines.status());
    finalizers.add("a", "example.com/other").await.unwrap();
    status.set_condition("a", NewCondition::is_true("Paused", "Requested")).await.unwrap();

    let added = finalizers.add_to(&earlier, CLEANUP).await.unwrap();
    assert_eq!(added, OperationResult::Updated);
    let ready = NewCondition::is_true("Ready", "AllRun");
    status.set_condition_from(&earlier, ready).await.unwrap();
    status.update_from(&earlier, |status| status.size = 3).await.unwrap();
    let stored = machines.get("a").await.unwrap();
    let stored_finalizers = stored.metadata.finalizers.as_deref().unwrap();
    assert_eq!(stored_finalizers, ["example.com/other", CLEANUP]);
    let status = stored.status.as_ref().unwrap();
    let types: Vec<_> = status.conditions.iter().map(|it| it.type_.as_str()).collect();
    assert_eq!((types, status.size), (vec!["Paused", "Ready"], 3));

    for finalizer in [CLEANUP, "example.com/other"] {
        let removed = finalizers.remove_from(&stored, finalizer).await.unwrap();
        assert_eq!(removed, OperationResult::Updated);
    }
    let stored = machines.get("a").await.unwrap();
    assert_eq!(stored.metadata.finalizers, None);
}

#[tokio::test]
async fn an_older_program_preserves_unknown_fields() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-from-older").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let disk = |size| Disk { name: "a".into(), size, encrypted: true };
    let spec = MachineSpec { size: 1, note: Some("new".into()), disks: vec![disk(1)] };
    machines.create(&Machine::new("a", spec)).await.unwrap();
    let older = client.resources::<older::Machine>().namespace(&namespace);
    let earlier = older.get("a").await.unwrap();
    let resize = |machine: &mut older::Machine| {
        machine.spec.size = 2;
        machine.spec.disks[0].size = 3;
    };
    older.update_from(&earlier, resize).await.unwrap();
    let expected = MachineSpec { size: 2, note: Some("new".into()), disks: vec![disk(3)] };
    assert_eq!(machines.get("a").await.unwrap().spec, expected);
}

#[tokio::test]
async fn a_recreated_object_is_not_changed() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-from-recreated").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let earlier = create(&machines).await;
    machines.delete("a").await.unwrap();
    let grow = |machine: &mut Machine| machine.spec.size += 1;
    let error = machines.update_from(&earlier, grow).await.unwrap_err();
    assert!(error.is_not_found(), "{error}");

    let another = create(&machines).await;
    let error = machines.update_from(&earlier, grow).await.unwrap_err();
    assert!(matches!(error, UpdateError::Request(Error::Recreated { .. })), "{error}");
    let stored = machines.get("a").await.unwrap();
    assert_eq!(version(&stored), version(&another));
}

#[tokio::test]
async fn a_condition_changes_with_one_request() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "update-from-condition").await;
    create(&client.resources().namespace(&namespace)).await;

    let sent = Arc::new(AtomicUsize::new(0));
    let counter = sent.clone();
    let counted = server().unwrap().changing_requests(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let machines = counted.resources::<Machine>().namespace(&namespace);
    let mut earlier = machines.get("a").await.unwrap();
    let status = machines.status();
    for (number, condition) in [
        NewCondition::is_false("Ready", "Starting"),
        NewCondition::is_true("Ready", "AllRun"),
        NewCondition::is_true("Paused", "Requested"),
    ]
    .into_iter()
    .enumerate()
    {
        let before = version(&earlier).map(str::to_owned);
        earlier = status.set_condition_from(&earlier, condition).await.unwrap();
        assert_ne!(version(&earlier), before.as_deref());
        assert_eq!(sent.load(Ordering::Relaxed), 2 + number);
    }
    let conditions = earlier.status.unwrap().conditions;
    let statuses: Vec<_> = conditions.iter().map(|it| (&*it.type_, &*it.status)).collect();
    assert_eq!(statuses, [("Ready", "True"), ("Paused", "True")]);
}
