//! One clock for the API server, the controllers and tokio's timers.

use std::{sync::Arc, time::Duration};

use crdkit::{
    CustomResource, KubeSchema,
    conditions::{NewCondition, set_condition},
    controller::{Action, Context, Controller, Error, LeaderElection, Manager, ObjectEvent, Task},
};
use crdkit_api_server::ApiServer;
use k8s_openapi::{
    api::{coordination::v1::Lease, core::v1::ConfigMap, events::v1::Event as ApiEvent},
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "time.example.com", version = "v1", kind = "Tide", namespaced, status = "TideStatus")]
struct TideSpec {}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase")]
struct TideStatus {
    seen_at: Option<Time>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

const START: &str = "2030-01-31T12:00:00Z";

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Notes the time once an hour, and whether the tide is high: every other hour.
async fn reconcile(tide: Arc<Tide>, cx: Context<Tide>) -> Result<Action, Error> {
    let now = cx.now();
    let seen = tide.status.as_ref().and_then(|status| status.seen_at.as_ref()).map(|time| time.0);
    if let Some(next) = seen.map(|seen| seen + Duration::from_secs(3600)).filter(|next| *next > now) {
        return Ok(cx.requeue_at(next));
    }
    let is_high = now.as_second() / 3600 % 2 == 0;
    let high = if is_high { NewCondition::is_true("High", "Tide") } else { NewCondition::is_false("High", "Tide") };
    let mut config = ConfigMap::default();
    config.metadata.name = Some(format!("at-{}", now.as_second()));
    cx.create_owned(&tide, config).await?;
    cx.event(&tide, ObjectEvent::normal("Seen", "the tide was seen"));
    cx.status(&tide).set_condition(high);
    cx.status(&tide).update(|status| {
        status.seen_at = Some(Time(now));
        set_condition(&mut status.conditions, NewCondition::is_true("Seen", "Seen"));
    });
    Ok(cx.requeue_at(now + Duration::from_secs(3600)))
}

fn controller() -> Controller {
    Controller::of::<Tide>().owns::<ConfigMap>().reconcile(reconcile)
}

#[tokio::test(start_paused = true)]
async fn one_call_moves_all_clocks() {
    let server = ApiServer::new().with::<Tide>().at(time(START));
    let client = server.client().field_manager("tides");
    tokio::spawn(Manager::new(client.clone()).add(controller()).run());
    let tides = client.resources::<Tide>().namespace("default");
    let created = tides.create(&Tide::new("spring", TideSpec {})).await.unwrap();
    assert_eq!(created.metadata.creation_timestamp.unwrap().0, time(START));

    let (real, tokio) = (std::time::Instant::now(), Instant::now());
    server.pass(Duration::from_secs(3 * 3600 + 600)).await;
    assert_eq!(tokio.elapsed(), Duration::from_secs(3 * 3600 + 600));
    assert!(real.elapsed() < Duration::from_secs(30));
    let now = time("2030-01-31T15:10:00Z");
    assert_eq!(client.now(), now);
    // It stands still again.
    sleep(Duration::from_millis(1)).await;
    assert_eq!(client.now(), now);

    let configs = client.resources::<ConfigMap>().namespace("default").list().await.unwrap().items;
    let mut times: Vec<_> = configs
        .iter()
        .filter(|config| config.metadata.owner_references.is_some())
        .map(|config| config.metadata.creation_timestamp.as_ref().unwrap().0)
        .collect();
    times.sort();
    let hours = ["2030-01-31T12:00:00Z", "2030-01-31T13:00:00Z", "2030-01-31T14:00:00Z", "2030-01-31T15:00:00Z"];
    assert_eq!(times.len(), 4);
    for (at, hour) in times.iter().zip(hours) {
        let late = at.as_second() - time(hour).as_second();
        assert!((0..10).contains(&late), "{at} {hour}");
    }

    let status = tides.get("spring").await.unwrap().status.unwrap();
    let seen_at = status.seen_at.unwrap().0;
    let [high, seen] = &status.conditions[..] else { panic!("{:?}", status.conditions) };
    // Three o'clock is odd, and it is the fourth change.
    assert_eq!((high.status.as_str(), high.last_transition_time.0.as_second()), ("False", seen_at.as_second()));
    assert_eq!(seen.last_transition_time.0.as_second(), times[0].as_second());

    let events = client.resources::<ApiEvent>().namespace("default").list().await.unwrap().items;
    let mut first: Vec<_> = events.iter().filter_map(|event| Some(event.event_time.as_ref()?.0.as_second())).collect();
    first.sort_unstable();
    assert_eq!(first[0], times[0].as_second());
}

#[tokio::test(start_paused = true)]
async fn leases_have_the_same_clock() {
    let server = ApiServer::new().with::<Tide>().at(time(START));
    let client = server.client().field_manager("tides");
    let election = LeaderElection::new("tides").namespace("default");
    tokio::spawn(Manager::new(client.clone()).leader_election(election).add(controller()).run());
    server.pass(Duration::from_secs(60)).await;
    let lease = client.resources::<Lease>().namespace("default").get("tides").await.unwrap().spec.unwrap();
    let [acquired, renewed] = [lease.acquire_time, lease.renew_time].map(|time| time.unwrap().0);
    assert!((time(START)..time("2030-01-31T12:00:05Z")).contains(&acquired), "{acquired}");
    assert!((time("2030-01-31T12:00:55Z")..=client.now()).contains(&renewed), "{renewed}");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_runs_goes_as_tokio_does() {
    let before = Timestamp::now();
    let server = ApiServer::new().with::<Tide>();
    let client = server.client().field_manager("tides");
    tokio::spawn(Manager::new(client.clone()).add(controller()).run());
    let tides = client.resources::<Tide>().namespace("default");
    tides.create(&Tide::new("neap", TideSpec {})).await.unwrap();
    let start = client.now();
    assert!(start >= before);
    sleep(Duration::from_secs(1800)).await;
    server.pass(Duration::from_secs(6 * 3600)).await;
    assert_eq!(client.now().duration_since(start).as_secs(), 6 * 3600 + 1800);
    let configs = client.resources::<ConfigMap>().namespace("default").list().await.unwrap().items;
    assert_eq!(configs.iter().filter(|config| config.metadata.owner_references.is_some()).count(), 7);
}

#[tokio::test(start_paused = true)]
async fn tasks_have_the_same_clock() {
    let server = ApiServer::new().at(time(START));
    let noon = Task::on_leader("noon", async |cx| {
        sleep(Duration::from_secs(60)).await;
        assert_eq!(cx.now(), time("2030-01-31T12:01:00Z"));
        let mut conditions = Vec::new();
        set_condition(&mut conditions, NewCondition::is_true("Noon", "Bells"));
        assert_eq!(conditions[0].last_transition_time.0, cx.now());
        Err::<(), Error>("it is past noon".into())
    });
    let running = tokio::spawn(Manager::new(server.client()).task(noon).run());
    server.pass(Duration::from_secs(120)).await;
    let error = running.await.unwrap().unwrap_err().to_string();
    assert_eq!(error, "the task `noon`: it is past noon");
}

#[tokio::test(start_paused = true)]
async fn conditions_of_clients_have_the_time_of_the_server() {
    let server = ApiServer::new().with::<Tide>().at(time(START));
    let tides = server.client().resources::<Tide>().namespace("default");
    let spring = tides.create(&Tide::new("spring", TideSpec {})).await.unwrap();
    let set = tides.status().set_condition_from(&spring, NewCondition::is_true("High", "Tide")).await.unwrap();
    assert_eq!(set.status.unwrap().conditions[0].last_transition_time.0, time(START));
    server.pass(Duration::from_secs(60)).await;
    let set = tides.status().set_condition("spring", NewCondition::is_false("High", "Tide")).await.unwrap();
    assert_eq!(set.status.unwrap().conditions[0].last_transition_time.0, time("2030-01-31T12:01:00Z"));
}

#[tokio::test]
#[should_panic(expected = "time passes only while tokio's clock is paused")]
async fn time_does_not_pass_while_a_test_would_wait() {
    ApiServer::new().pass(Duration::from_secs(86_400)).await;
}
