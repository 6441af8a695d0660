//! Replicas that share the objects of namespaces by shards, of which one is lost.

use std::time::Duration;

use crdkit::controller::{LeaderElection, Manager};
use serde_json::json;
use tokio::time::sleep;

use super::{Running, Sea, minutes, warning};
use crate::cluster::Fleet;

const SHARDS: u16 = 4;
/// The fleets of each namespace.
const FLEETS: usize = 8;

impl Sea {
    fn replica(&self, identity: &str) -> Manager {
        let group = LeaderElection::new("fleets").namespace("default").identity(identity);
        self.manager().shards(group, SHARDS)
    }

    fn join(&self, identity: &str) -> Running {
        Running::of(self.replica(identity))
    }

    /// Changes each fleet of both namespaces, and returns the number of those that are reconciled for it in each.
    async fn reconciled_after_a_change(&self) -> [usize; 2] {
        self.take_log();
        for namespace in ["north", "south"] {
            let fleets = self.admin.resources::<Fleet>().namespace(namespace);
            for fleet in fleets.list().await.unwrap().items {
                let name = fleet.metadata.name.unwrap();
                fleets
                    .update(&name, |fleet| fleet.spec.ships.push(json!(fleet.spec.ships.len()).to_string()))
                    .await
                    .unwrap();
            }
        }
        sleep(Duration::from_secs(10)).await;
        let log = self.take_log();
        ["north/", "south/"].map(|namespace| log.iter().filter(|key| key.starts_with(namespace)).count())
    }
}

fn shares(replicas: &[&Running]) -> Vec<usize> {
    let mut shares: Vec<_> = replicas.iter().map(|replica| replica.handle.shards().len()).collect();
    shares.sort_unstable();
    shares
}

fn assert_healthy(replicas: &[&Running]) {
    for Running { handle, .. } in replicas {
        assert_eq!((handle.healthz().to_string(), handle.readyz().to_string()), ("ok".to_owned(), "ok".to_owned()));
    }
}

/// Loses `south`, lets replicas join and leave meanwhile, and gets it back.
async fn lose_and_return(namespaces: &'static [&'static str]) {
    let sea = Sea::with_namespaces(namespaces).await;
    sea.grant_to(&sea.replica("captain"));
    for number in 0..FLEETS {
        for namespace in ["north", "south"] {
            sea.launch(namespace, &format!("fleet-{number}")).await;
        }
    }
    let served = |namespace: &str| if namespaces.contains(&namespace) { FLEETS } else { 0 };
    let (first, second) = (sea.join("first"), sea.join("second"));
    sleep(minutes(1)).await;
    assert_eq!(shares(&[&first, &second]), [2, 2]);
    assert_eq!(sea.reconciled_after_a_change().await, [served("north"), FLEETS]);

    sea.forbid("south").await;
    sleep(minutes(20)).await;
    assert_healthy(&[&first, &second]);
    assert!(warning(&first.handle, "watches").unwrap().contains("in `south`"));
    assert_eq!(sea.reconciled_after_a_change().await, [served("north"), 0]);
    let third = if namespaces.len() > 1 { Some(sea.join("third")) } else { None };
    sleep(minutes(2)).await;
    first.stop().await;
    sleep(minutes(2)).await;
    let replicas: Vec<_> = [&second].into_iter().chain(&third).collect();
    assert_eq!(shares(&replicas).iter().sum::<usize>(), usize::from(SHARDS));
    assert_eq!(sea.reconciled_after_a_change().await, [served("north"), 0], "shards have moved");
    sleep(minutes(5)).await;
    assert_healthy(&replicas);

    sea.take_log();
    sea.grant_to(&sea.replica("captain"));
    sleep(minutes(10)).await;
    let log = sea.take_log();
    assert_eq!(log.len(), FLEETS, "those that changed meanwhile: {log:?}");
    assert_eq!(sea.reconciled_after_a_change().await, [served("north"), FLEETS]);
    for replica in &replicas {
        assert_eq!((warning(&replica.handle, "watches"), warning(&replica.handle, "informers")), (None, None));
    }
    for replica in [Some(second), third].into_iter().flatten() {
        replica.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_others_survive_the_loss_of_a_namespace() {
    lose_and_return(&["north", "south"]).await;
}

/// No replica can start without it: the first one has joined before.
#[tokio::test(start_paused = true)]
async fn the_only_namespace_is_waited_for() {
    lose_and_return(&["south"]).await;
}
