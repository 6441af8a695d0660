//! What is at hand is changed without being read, and loses nothing.

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
    let namespace = namespace(&client, "at-hand-writers").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let at_hand = create(&machines).await;
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let all = client.resources::<Machine>().all_namespaces();
        let (all, at_hand) = (all.max_attempts(100), at_hand.clone());
        writers.spawn(async move {
            let grow = |machine: &mut Machine| machine.spec.size += 1;
            all.update_from(&at_hand, grow).await.unwrap();
        });
    }
    writers.join_all().await;
    assert_eq!(machines.get("a").await.unwrap().spec.size, WRITERS);
}

#[tokio::test]
async fn what_is_as_it_was_is_not_written() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "at-hand-quiet").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    create(&machines).await;
    let finalizers = machines.finalizers();
    finalizers.add("a", CLEANUP).await.unwrap();
    let ready = || NewCondition::is_true("Ready", "AllRun");
    let at_hand = machines.status().set_condition("a", ready()).await.unwrap();

    let added = finalizers.add_to(&at_hand, CLEANUP).await.unwrap();
    assert_eq!(added, OperationResult::Unchanged);
    let status = machines.status();
    status.update_from(&at_hand, |status| status.size = 0).await.unwrap();
    status.set_condition_from(&at_hand, ready()).await.unwrap();
    machines.update_from(&at_hand, |machine| machine.spec.size = 0).await.unwrap();
    let stored = machines.get("a").await.unwrap();
    assert_eq!(version(&stored), version(&at_hand));
    finalizers.remove_from(&at_hand, CLEANUP).await.unwrap();
}

#[tokio::test]
async fn what_others_wrote_meanwhile_stays() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "at-hand-behind").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let at_hand = create(&machines).await;
    let (finalizers, status) = (machines.finalizers(), machines.status());
    finalizers.add("a", "example.com/other").await.unwrap();
    status.set_condition("a", NewCondition::is_true("Paused", "Asked")).await.unwrap();

    let added = finalizers.add_to(&at_hand, CLEANUP).await.unwrap();
    assert_eq!(added, OperationResult::Updated);
    let ready = NewCondition::is_true("Ready", "AllRun");
    status.set_condition_from(&at_hand, ready).await.unwrap();
    status.update_from(&at_hand, |status| status.size = 3).await.unwrap();
    let stored = machines.get("a").await.unwrap();
    let kept = stored.metadata.finalizers.as_deref().unwrap();
    assert_eq!(kept, ["example.com/other", CLEANUP]);
    let status = stored.status.as_ref().unwrap();
    let types = status.conditions.iter().map(|it| it.type_.as_str());
    let types: Vec<_> = types.collect();
    assert_eq!((types, status.size), (vec!["Paused", "Ready"], 3));

    for finalizer in [CLEANUP, "example.com/other"] {
        let removed = finalizers.remove_from(&stored, finalizer).await.unwrap();
        assert_eq!(removed, OperationResult::Updated);
    }
    let stored = machines.get("a").await.unwrap();
    assert_eq!(stored.metadata.finalizers, None);
}

#[tokio::test]
async fn an_older_program_keeps_what_it_does_not_know() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "at-hand-older").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let disk = |size| Disk { name: "a".into(), size, encrypted: true };
    let spec = MachineSpec { size: 1, note: Some("new".into()), disks: vec![disk(1)] };
    machines.create(&Machine::new("a", spec)).await.unwrap();
    let older = client.resources::<older::Machine>().namespace(&namespace);
    let at_hand = older.get("a").await.unwrap();
    let resize = |machine: &mut older::Machine| {
        machine.spec.size = 2;
        machine.spec.disks[0].size = 3;
    };
    older.update_from(&at_hand, resize).await.unwrap();
    let expected = MachineSpec { size: 2, note: Some("new".into()), disks: vec![disk(3)] };
    assert_eq!(machines.get("a").await.unwrap().spec, expected);
}

#[tokio::test]
async fn another_object_of_the_name_is_left_alone() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "at-hand-recreated").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let at_hand = create(&machines).await;
    machines.delete("a").await.unwrap();
    let grow = |machine: &mut Machine| machine.spec.size += 1;
    let error = machines.update_from(&at_hand, grow).await.unwrap_err();
    assert!(error.is_not_found(), "{error}");

    let another = create(&machines).await;
    let error = machines.update_from(&at_hand, grow).await.unwrap_err();
    assert!(matches!(error, UpdateError::Request(Error::Recreated { .. })), "{error}");
    let stored = machines.get("a").await.unwrap();
    assert_eq!(version(&stored), version(&another));
}

#[tokio::test]
async fn a_condition_changes_with_one_request() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "at-hand-condition").await;
    create(&client.resources().namespace(&namespace)).await;

    let sent = Arc::new(AtomicUsize::new(0));
    let counter = sent.clone();
    let counted = server().unwrap().changing_requests(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let machines = counted.resources::<Machine>().namespace(&namespace);
    let mut at_hand = machines.get("a").await.unwrap();
    let status = machines.status();
    for (number, condition) in [
        NewCondition::is_false("Ready", "Starting"),
        NewCondition::is_true("Ready", "AllRun"),
        NewCondition::is_true("Paused", "Asked"),
    ]
    .into_iter()
    .enumerate()
    {
        let before = version(&at_hand).map(str::to_owned);
        at_hand = status.set_condition_from(&at_hand, condition).await.unwrap();
        assert_ne!(version(&at_hand), before.as_deref());
        assert_eq!(sent.load(Ordering::Relaxed), 2 + number);
    }
    let conditions = at_hand.status.unwrap().conditions;
    let statuses = conditions.iter().map(|it| (&*it.type_, &*it.status));
    let statuses: Vec<_> = statuses.collect();
    assert_eq!(statuses, [("Ready", "True"), ("Paused", "True")]);
}
