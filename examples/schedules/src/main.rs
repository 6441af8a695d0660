//! `cargo run -p example-schedules`: runs Jobs by a schedule, as the controller of CronJobs does, until ctrl-c or SIGTERM.

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, KubeSchema,
    conditions::NewCondition,
    controller::{Action, Context, Controller, Error, ExitStatus, Manager, ObjectEvent},
    cron::{Schedule, ScheduleError},
    informer::CacheObject,
};
use k8s_openapi::{
    api::batch::v1::Job,
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Copies a volume again and again.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "storage.example.com", version = "v1", kind = "BackupPlan", namespaced, status = "BackupPlanStatus")]
#[serde(rename_all = "camelCase")]
pub struct BackupPlanSpec {
    /// The volume claim.
    #[schemars(length(min = 1))]
    pub volume: String,
    /// When to copy it, such as `30 3 * * *` or `@daily`.
    #[schemars(length(min = 1))]
    pub schedule: String,
    /// The time zone of the schedule, such as `Europe/Berlin`: UTC by default.
    pub time_zone: Option<String>,
    /// How late a copy may start, in seconds: without a limit by default.
    #[schemars(range(min = 1))]
    pub starting_deadline_seconds: Option<u32>,
}

/// What has been copied.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub struct BackupPlanStatus {
    /// The generation that the status describes.
    pub observed_generation: Option<i64>,
    /// The time for which the last copy was started.
    pub last_schedule_time: Option<Time>,
    /// The last value of the annotation that requests a copy.
    pub last_handled_reconcile_at: Option<String>,
    /// Whether the schedule is valid, and the plan is paused.
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

#[tokio::main]
async fn main() -> Result<ExitStatus, Error> {
    let client = Client::try_default().await?.field_manager("backup-operator");
    Ok(Manager::new(client).leader_election("backup-operator").add(controller()).run().await.into())
}

fn controller() -> Controller {
    Controller::of::<BackupPlan>()
        .owns::<Job>()
        .pause_by("storage.example.com/paused")
        .reconcile_requested_by("storage.example.com/requestedAt")
        .reconcile(reconcile)
}

async fn reconcile(plan: Arc<BackupPlan>, cx: Context<BackupPlan>) -> Result<Action, Error> {
    let schedule = match schedule(&plan.spec) {
        Ok(schedule) => schedule,
        Err(error) => {
            let invalid = NewCondition::is_false("Scheduled", "InvalidSchedule").message(&error.to_string());
            cx.status(&plan).set_condition(invalid);
            return Ok(Action::Done); // until somebody changes it
        }
    };
    let now = cx.now();
    if let Some(request) = cx.reconcile_request() {
        cx.create_owned(&plan, job(&plan, request)).await?;
    }
    let missed = schedule.missed_between(last_time(&plan, now), now);
    if missed.are_too_many() {
        let note = "too many missed start times: set startingDeadlineSeconds, or check the clocks";
        cx.event(&plan, ObjectEvent::warning("TooManyMissedTimes", note));
    }
    // One copy at a time: the end of its Job reconciles the plan again.
    let is_busy = cx.owned::<Job>(&plan).iter().any(|job| !is_finished(job));
    if let Some(time) = missed.latest.filter(|_| !is_busy) {
        // The name of the Job has the time, so that it is created once, also if the status cannot be written.
        cx.create_owned(&plan, job(&plan, &(time.as_second() / 60).to_string())).await?;
        cx.status(&plan).update(|status| status.last_schedule_time = Some(Time(time)));
    }
    cx.status(&plan).set_condition(NewCondition::is_true("Scheduled", "Valid"));
    Ok(schedule.next_after(now).map_or(Action::Done, |next| cx.requeue_at(next)))
}

fn schedule(spec: &BackupPlanSpec) -> Result<Schedule, ScheduleError> {
    let schedule = Schedule::parse(&spec.schedule)?;
    match &spec.time_zone {
        Some(zone) => schedule.in_zone(zone),
        None => Ok(schedule),
    }
}

/// Returns the time after which copies are due.
fn last_time(plan: &BackupPlan, now: Timestamp) -> Timestamp {
    let last = plan.status.as_ref().and_then(|status| status.last_schedule_time.as_ref());
    let created = plan.metadata.creation_timestamp.as_ref();
    let last = last.or(created).map_or(now, |time| time.0);
    match plan.spec.starting_deadline_seconds {
        Some(seconds) => last.max(now - Duration::from_secs(seconds.into())),
        None => last,
    }
}

fn job(plan: &BackupPlan, suffix: &str) -> Job {
    let job = json!({
        "metadata": { "name": format!("{}-{suffix}", plan.name()) },
        "spec": {
            "ttlSecondsAfterFinished": 86_400,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{ "name": "copy", "image": "backup:1", "args": [plan.spec.volume] }],
                },
            },
        },
    });
    serde_json::from_value(job).expect("it is a Job")
}

fn is_finished(job: &Job) -> bool {
    let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|it| matches!(it.type_.as_str(), "Complete" | "Failed") && it.status == "True")
}
