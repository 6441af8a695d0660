//! Jobs and CronJobs.

use crdkit_core::literal::cron;
use serde_json::{Value, json};

use super::{Change, common, number, pod};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// The name of a Job is that of its CronJob and a time.
const MAX_CRON_JOB_NAME: usize = 52;
const MAX_INDEXED_PARALLELISM: i64 = 100_000;

/// `ValidateJob`, `ValidateJobUpdate`.
pub(super) fn job(report: &mut Report, change: &Change<'_>) {
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    if change.is_of_status() {
        let place = Place::Root.field("status");
        return report.all_non_negative(&place, &change.new["status"], &["active", "succeeded", "failed"]);
    }
    job_spec(report, &place, spec);
    if spec["selector"].is_null() {
        report.required(&place.field("selector"), "");
    } else {
        common::label_selector(report, &place.field("selector"), &spec["selector"]);
    }
    if common::is_usable_selector(&spec["selector"]) {
        common::matching_template(report, &place, spec, &spec["template"]);
    }
    if change.old.is_none() && spec["manualSelector"] != true {
        generated_selector(report, &place.field("selector"), change.new);
    }
    if let Some(old) = change.old {
        job_update(report, &place, &old["spec"], spec);
    }
}

/// `validateGeneratedSelector`.
fn generated_selector(report: &mut Report, place: &Place<'_>, job: &Value) {
    let expected = json!({ "matchLabels": { "batch.kubernetes.io/controller-uid": job["metadata"]["uid"] } });
    if job["spec"]["selector"] != expected {
        report.invalid(place, &job["spec"]["selector"], "`selector` not auto-generated");
    }
}

/// `ValidateJobSpecUpdate`.
fn job_update(report: &mut Report, place: &Place<'_>, old: &Value, new: &Value) {
    let completions = place.field("completions");
    if new["completionMode"] != "Indexed" {
        report.immutable(&completions, &old["completions"], &new["completions"]);
    } else if old["completions"] != new["completions"] && new["completions"] != new["parallelism"] {
        report.invalid(&completions, &new["completions"], "can only be modified in tandem with spec.parallelism");
    }
    report.immutable(&place.field("selector"), &old["selector"], &new["selector"]);
    if old["template"] != new["template"] {
        report.invalid(&place.field("template"), &new["template"], "field is immutable");
    }
    let immutable = ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"];
    report.all_immutable(place, old, new, &immutable);
}

/// `validateJobSpec`, without policies of failures.
fn job_spec(report: &mut Report, place: &Place<'_>, spec: &Value) {
    let counts = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    report.all_non_negative(place, spec, &counts);
    if !spec["maxFailedIndexes"].is_null() && spec["backoffLimitPerIndex"].is_null() {
        report.required(&place.field("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
    }
    report.one_of(&place.field("completionMode"), &spec["completionMode"], &["NonIndexed", "Indexed"]);
    if spec["completionMode"] == "Indexed" {
        if spec["completions"].is_null() {
            report.required(&place.field("completions"), "when completion mode is Indexed");
        }
        if number(&spec["parallelism"]) > MAX_INDEXED_PARALLELISM {
            let detail =
                format!("must be less than or equal to {MAX_INDEXED_PARALLELISM} when completion mode is Indexed");
            report.invalid(&place.field("parallelism"), &spec["parallelism"], detail);
        }
    } else if matches!(text(spec, "completionMode"), "" | "NonIndexed") {
        for name in ["backoffLimitPerIndex", "maxFailedIndexes"].into_iter().filter(|name| !spec[*name].is_null()) {
            report.invalid(&place.field(name), &spec[name], "requires indexed completion mode");
        }
    }
    replacement_policy(report, &place.field("podReplacementPolicy"), spec);
    pod::template_spec(report, &place.field("template"), &spec["template"]);
    let (template, policy) = (place.field("template"), &spec["template"]["spec"]["restartPolicy"]);
    let place = template.field("spec");
    match policy.as_str().unwrap_or_default() {
        "" | "Always" => {
            report.required(&place.field("restartPolicy"), "valid values: \"OnFailure\", \"Never\"");
        }
        "OnFailure" if !spec["podFailurePolicy"].is_null() => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            report.invalid(&place.field("restartPolicy"), policy, detail);
        }
        "OnFailure" | "Never" => {}
        _ => report.not_supported(&place.field("restartPolicy"), policy, &["OnFailure", "Never"]),
    }
}

fn replacement_policy(report: &mut Report, place: &Place<'_>, spec: &Value) {
    let policy = &spec["podReplacementPolicy"];
    if policy.is_null() {
        return;
    }
    if spec["podFailurePolicy"].is_null() {
        report.one_of(place, policy, &["Failed", "TerminatingOrFailed"]);
    } else {
        report.one_of(place, policy, &["Failed"]);
    }
}

/// `ValidateCronJobCreate`, `ValidateCronJobUpdate`.
pub(super) fn cron_job(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        return;
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    let schedule = text(spec, "schedule");
    if schedule.is_empty() {
        report.required(&place.field("schedule"), "");
    } else {
        if let Err(problem) = cron::parse(schedule) {
            report.invalid_text(&place.field("schedule"), schedule, problem);
        }
        let had_zone = change.old.is_some_and(|old| text(&old["spec"], "schedule").contains("TZ"));
        if schedule.contains("TZ") && !had_zone {
            let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
            report.invalid_text(&place.field("schedule"), schedule, detail);
        }
    }
    report.non_negative(&place.field("startingDeadlineSeconds"), &spec["startingDeadlineSeconds"]);
    if change.old.is_none_or(|old| old["spec"]["timeZone"] != spec["timeZone"])
        && let Some(zone) = spec["timeZone"].as_str()
    {
        // The process may have no list of zones.
        if let Err(problem) = cron::check_time_zone(zone) {
            report.invalid_text(&place.field("timeZone"), zone, problem);
        }
    }
    let policies = ["Allow", "Forbid", "Replace"];
    report.required_one_of(&place.field("concurrencyPolicy"), &spec["concurrencyPolicy"], &policies);
    let (template, job) = (place.field("jobTemplate"), &spec["jobTemplate"]["spec"]);
    let job_place = template.field("spec");
    job_spec(report, &job_place, job);
    if !job["selector"].is_null() {
        report.invalid(&job_place.field("selector"), &job["selector"], "`selector` will be auto-generated");
    }
    if job["manualSelector"] == true {
        report.not_supported(&job_place.field("manualSelector"), &json!(true), &["nil", "false"]);
    }
    report.all_non_negative(&place, spec, &["successfulJobsHistoryLimit", "failedJobsHistoryLimit"]);
    let name = text(&change.new["metadata"], "name");
    if change.old.is_none() && name.len() > MAX_CRON_JOB_NAME {
        let metadata = Place::Root.field("metadata");
        report.invalid_text(&metadata.field("name"), name, "must be no more than 52 characters");
    }
}
