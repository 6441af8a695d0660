//! The operator on an API server in the process: an hour passes in some 50 ms, a day in about a second.

use std::sync::atomic::{AtomicBool, Ordering};

use crdkit::client::{Patch, Resources, scope::InNamespace};
use crdkit_api_server::{ApiServer, PodState};
use k8s_openapi::api::core::v1::Pod;
use tokio::{sync::oneshot, task::JoinHandle};

use super::*;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

struct Cluster {
    server: ApiServer,
    plans: Resources<BackupPlan, InNamespace>,
    jobs: Resources<Job, InNamespace>,
    /// Whether Jobs do not end.
    is_slow: Arc<AtomicBool>,
}

struct Operator {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Operator {
    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }
}

impl Cluster {
    fn at(time: &str) -> Self {
        let is_slow = Arc::<AtomicBool>::default();
        let slow = is_slow.clone();
        let state = move |_: &Pod| if slow.load(Ordering::SeqCst) { PodState::Running } else { PodState::Succeeded };
        let server = ApiServer::new().with::<BackupPlan>().with_workloads(state).at(time.parse().unwrap());
        let client = server.client();
        let (plans, jobs) = (client.resources().namespace("default"), client.resources().namespace("default"));
        Self { server, plans, jobs, is_slow }
    }

    fn start(&self) -> Operator {
        let (stop, stopped) = oneshot::channel();
        let client = self.server.client().field_manager("backup-operator");
        let manager = Manager::new(client).add(controller()).until(stopped);
        Operator { stop, task: tokio::spawn(async { manager.run().await.unwrap() }) }
    }

    async fn plan(&self, schedule: &str, edit: impl FnOnce(&mut BackupPlanSpec)) {
        let (volume, schedule) = ("data".to_owned(), schedule.to_owned());
        let mut spec = BackupPlanSpec { volume, schedule, time_zone: None, starting_deadline_seconds: None };
        edit(&mut spec);
        self.plans.create(&BackupPlan::new("data", spec)).await.unwrap();
    }

    async fn annotate(&self, annotation: &str, value: Option<&str>) {
        let patch = Patch::merge(json!({ "metadata": { "annotations": { annotation: value } } }));
        self.plans.patch("data", &patch).await.unwrap();
    }

    /// Returns when the Jobs were created, to the minute.
    async fn runs(&self) -> Vec<String> {
        let jobs = self.jobs.list().await.unwrap().items;
        let times = jobs.iter().filter_map(|job| job.metadata.creation_timestamp.as_ref());
        let mut times: Vec<_> = times.map(|time| time.0.strftime("%d %H:%M").to_string()).collect();
        times.sort();
        times
    }

    /// Returns status and message of the condition `Scheduled`.
    async fn scheduled(&self) -> (String, String) {
        let status = self.plans.get("data").await.unwrap().status.unwrap();
        let condition = status.conditions.into_iter().find(|condition| condition.type_ == "Scheduled").unwrap();
        (condition.status, condition.message)
    }
}

#[tokio::test(start_paused = true)]
async fn a_plan_runs_each_night_in_its_zone() {
    let cluster = Cluster::at("2030-01-30T12:00:00Z");
    let operator = cluster.start();
    cluster.plan("30 3 * * *", |spec| spec.time_zone = Some("Europe/Berlin".to_owned())).await;
    cluster.server.pass(3 * DAY).await;
    assert_eq!(cluster.runs().await, ["01 02:30", "02 02:30", "31 02:30"]);
    let status = cluster.plans.get("data").await.unwrap().status.unwrap();
    assert_eq!(status.last_schedule_time.unwrap().0.to_string(), "2030-02-02T02:30:00Z");
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_night_without_the_hour_is_left_out() {
    // The clocks in Berlin go from 2 to 3 on the 31st, at 1 of UTC.
    let cluster = Cluster::at("2030-03-29T12:00:00Z");
    let operator = cluster.start();
    cluster.plan("30 2 * * *", |spec| spec.time_zone = Some("Europe/Berlin".to_owned())).await;
    cluster.server.pass(4 * DAY).await;
    assert_eq!(cluster.runs().await, ["01 00:30", "02 00:30", "30 01:30"]);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_missed_is_made_up_for_once() {
    let cluster = Cluster::at("2030-01-31T12:10:00Z");
    let operator = cluster.start();
    cluster.plan("@hourly", |spec| spec.starting_deadline_seconds = Some(1800)).await;
    cluster.server.pass(HOUR).await;
    operator.stop().await;
    // Down until 17:20, and then until 22:40.
    cluster.server.pass(4 * HOUR + Duration::from_secs(600)).await;
    let operator = cluster.start();
    cluster.server.pass(Duration::from_secs(60)).await;
    assert_eq!(cluster.runs().await, ["31 13:00", "31 17:20"]);
    operator.stop().await;
    cluster.server.pass(5 * HOUR + Duration::from_secs(1200)).await;
    // 22:00 is too long ago.
    let operator = cluster.start();
    cluster.server.pass(Duration::from_secs(60)).await;
    assert_eq!(cluster.runs().await.len(), 2);
    cluster.server.pass(HOUR).await;
    assert_eq!(cluster.runs().await, ["31 13:00", "31 17:20", "31 23:00"]);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn one_copy_runs_at_a_time() {
    let cluster = Cluster::at("2030-01-31T12:10:00Z");
    cluster.is_slow.store(true, Ordering::SeqCst);
    let operator = cluster.start();
    cluster.plan("@hourly", |_| ()).await;
    cluster.server.pass(3 * HOUR).await;
    assert_eq!(cluster.runs().await, ["31 13:00"]);
    cluster.is_slow.store(false, Ordering::SeqCst);
    cluster.server.settle();
    cluster.server.pass(Duration::from_secs(60)).await;
    assert_eq!(cluster.runs().await, ["31 13:00", "31 15:10"]);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_plan_is_paused_and_runs_on_request() {
    let cluster = Cluster::at("2030-01-31T12:10:00Z");
    let operator = cluster.start();
    cluster.plan("@hourly", |_| ()).await;
    cluster.server.pass(HOUR).await;
    cluster.annotate("storage.example.com/paused", Some("true")).await;
    cluster.server.pass(3 * HOUR).await;
    assert_eq!(cluster.runs().await, ["31 13:00"]);
    cluster.annotate("storage.example.com/paused", None).await;
    cluster.annotate("storage.example.com/requestedAt", Some("now")).await;
    cluster.server.pass(Duration::from_secs(60)).await;
    // The last one that was missed, and the requested one.
    assert_eq!(cluster.runs().await, ["31 13:00", "31 16:10", "31 16:10"]);
    cluster.server.pass(HOUR).await;
    assert_eq!(cluster.runs().await.len(), 4);
    operator.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_invalid_schedule_is_a_condition() {
    let cluster = Cluster::at("2030-01-31T12:10:00Z");
    let operator = cluster.start();
    cluster.plan("0 25 * * *", |_| ()).await;
    cluster.server.pass(DAY).await;
    let message = "`0 25 * * *` is not a schedule: end of range (25) above maximum (23): 25";
    assert_eq!(cluster.scheduled().await, ("False".to_owned(), message.to_owned()));
    cluster.plans.update("data", |plan| plan.spec.schedule = "@hourly".to_owned()).await.unwrap();
    cluster.server.pass(HOUR).await;
    assert_eq!(cluster.scheduled().await.0, "True");
    assert!(!cluster.runs().await.is_empty());
    operator.stop().await;
}
