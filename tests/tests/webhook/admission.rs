//! Validation and defaulting on all operations.

use std::sync::{Arc, Mutex};

use crdkit::{
    kube::ResourceExt,
    webhook::{
        AdmissionContext, Error, FieldErrors, FieldPath, Operation, Validate, ValidateDeletion, Webhook, Webhooks, deny,
    },
};
use k8s_openapi::api::autoscaling::v1::Scale;
use serde_json::{Value, json};

use crate::{
    fixture::{cluster, machine},
    machine::Machine,
};

/// What the validators have seen.
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn note(name: &str, what: String) {
    SEEN.lock().unwrap().push(format!("{name}: {what}"));
}

fn seen(name: &str) -> Vec<String> {
    let prefix = format!("{name}: ");
    SEEN.lock().unwrap().iter().filter_map(|line| Some(line.strip_prefix(&prefix)?.to_owned())).collect()
}

struct Rules {
    zones: [&'static str; 2],
}

impl Rules {
    fn check(&self, machine: &Machine) -> FieldErrors {
        let spec = FieldPath::new("spec");
        let mut errors = FieldErrors::new();
        if machine.spec.image.is_empty() || machine.spec.image == "0" {
            errors.required(spec.field("image"), "machines need an image");
        }
        if let Some(zone) = machine.spec.zone.as_deref().filter(|zone| !self.zones.contains(zone)) {
            errors.not_supported(spec.field("zone"), zone, self.zones);
        }
        for (index, disk) in machine.spec.disks.iter().enumerate() {
            if disk.size.is_some_and(|size| size < 1) {
                errors.invalid(spec.field("disks").index(index).field("size"), disk.size, "must be positive");
            }
        }
        errors
    }
}

impl Validate<Machine> for Rules {
    async fn validate_create(&self, machine: &Machine, cx: &AdmissionContext<Machine>) -> Result<(), Error> {
        let name = machine.name_any();
        note(
            &name,
            format!("create in {:?}, dry run {}, options {}", cx.namespace(), cx.is_dry_run(), cx.options()["kind"]),
        );
        if machine.spec.disks.is_empty() {
            cx.warn(format!("{name} has no disks"));
        }
        Ok(self.check(machine).into_result()?)
    }

    async fn validate_update(
        &self,
        machine: &Machine,
        old: &Machine,
        cx: &AdmissionContext<Machine>,
    ) -> Result<(), Error> {
        note(
            &machine.name_any(),
            format!(
                "update from {:?} to {:?} by {}",
                old.spec.zone,
                machine.spec.zone,
                cx.is_in_group("system:masters")
            ),
        );
        if machine.annotations().contains_key("frozen") {
            return Err(deny("it is frozen").into());
        }
        let mut errors = self.check(machine);
        if machine.spec.image != old.spec.image {
            errors.forbidden("spec.image", "is immutable");
        }
        Ok(errors.into_result()?)
    }
}

impl ValidateDeletion<Machine> for Rules {
    async fn validate_delete(&self, machine: &Machine, cx: &AdmissionContext<Machine>) -> Result<(), Error> {
        note(&machine.name_any(), format!("{:?} of {}", cx.operation(), machine.spec.image));
        if machine.annotations().contains_key("protected") { Err(deny("it is protected").into()) } else { Ok(()) }
    }
}

fn set_defaults(machine: &mut Machine, cx: &AdmissionContext<Machine>) {
    machine.spec.zone.get_or_insert_with(|| "eu".into());
    for disk in &mut machine.spec.disks {
        disk.size.get_or_insert(10);
    }
    if cx.operation() == Operation::Create {
        machine.annotations_mut().insert("created-by".into(), "webhook".into());
    }
}

async fn check_status(machine: Arc<Machine>, cx: AdmissionContext<Machine>) -> Result<(), FieldErrors> {
    note(&machine.name_any(), format!("{:?} of {:?}", cx.operation(), cx.subresource()));
    let mut errors = FieldErrors::new();
    if let Some(phase) = machine.status.as_ref().and_then(|status| status.phase.as_deref()) {
        errors.not_supported("status.phase", phase, ["Running"]);
    }
    errors.into_result()
}

async fn check_scale(scale: Arc<Scale>, cx: AdmissionContext<Scale, i32>) -> Result<(), Error> {
    let replicas = scale.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or_default();
    let old = cx.old().and_then(|old| old.spec.as_ref()?.replicas);
    note(cx.name().unwrap_or_default(), format!("scale from {old:?} to {replicas} as {}", cx.kind().kind));
    if replicas > *cx.state() { Err(deny(format!("at most {} replicas", cx.state())).into()) } else { Ok(()) }
}

pub(crate) fn webhooks() -> Webhooks {
    const NOT_OTHERS: &str = "object == null || !('policy' in object.metadata.labels) || \
        !(object.metadata.labels['policy'] in ['fail', 'ignore'])";
    let rules = || Rules { zones: ["eu", "us"] };
    let machines = Webhook::of::<Machine>()
        .mutate(set_defaults)
        .validator(rules())
        .deletion_validator(rules())
        .match_condition("no-failures", NOT_OTHERS);
    Webhooks::new("machines")
        .add(machines)
        .add(Webhook::status_of::<Machine>().validate(check_status))
        .add(Webhook::scale_of::<Machine>().state(5).validate(check_scale))
}

fn causes(body: &Value) -> Vec<(&str, &str, &str)> {
    let causes = body["details"]["causes"].as_array().map(Vec::as_slice).unwrap_or_default();
    causes
        .iter()
        .map(|cause| {
            let text = |name: &str| cause[name].as_str().unwrap_or_default();
            (text("field"), text("reason"), text("message"))
        })
        .collect()
}

#[tokio::test]
async fn errors_are_those_of_the_servers_own_validation() {
    let Some(cluster) = cluster().await else { return };
    let spec = json!({ "image": "", "zone": "mars", "disks": [{ "name": "a", "size": 0 }] });
    let denied = cluster.create(&machine("invalid", "none", spec)).await;
    assert_eq!((denied.status, &denied.body["reason"]), (422, &json!("Invalid")));
    let expected = [
        ("spec.image", "FieldValueRequired", "Required value: machines need an image"),
        ("spec.zone", "FieldValueNotSupported", "Unsupported value: \"mars\": supported values: \"eu\", \"us\""),
        ("spec.disks[0].size", "FieldValueInvalid", "Invalid value: 0: must be positive"),
    ];
    assert_eq!(causes(&denied.body), expected);
    let start = "admission webhook \"machines.v1.webhooks.example.com\" denied the request: \
        Machine.webhooks.example.com \"invalid\" is invalid: [spec.image: Required value: machines need an image, ";
    assert!(denied.body["message"].as_str().unwrap().starts_with(start), "{}", denied.body["message"]);
    assert_eq!(
        (&denied.body["details"]["kind"], &denied.body["details"]["name"]),
        (&json!("Machine"), &json!("invalid"))
    );
}

#[tokio::test]
async fn defaults_are_set_and_undeclared_fields_remain() {
    let Some(cluster) = cluster().await else { return };
    let spec = json!({ "image": "debian", "note": "kept", "disks": [{ "name": "a", "note": "kept too" }] });
    let created = cluster.create(&machine("defaults", "none", spec)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let expected = json!({
        "image": "debian", "zone": "eu", "note": "kept", "disks": [{ "name": "a", "size": 10, "note": "kept too" }],
    });
    assert_eq!(created.body["spec"], expected);
    assert_eq!(created.body["metadata"]["annotations"], json!({ "created-by": "webhook" }));
    assert!(created.warnings.is_empty());
}

#[tokio::test]
async fn warnings_are_returned() {
    let Some(cluster) = cluster().await else { return };
    let created =
        cluster.create_in("default", &machine("warned", "none", json!({ "image": "a" })), "?dryRun=All").await;
    assert_eq!((created.status, created.warnings), (201, vec!["warned has no disks".to_owned()]));
    assert_eq!(seen("warned"), ["create in Some(\"default\"), dry run true, options \"CreateOptions\""]);
}

#[tokio::test]
async fn updates_and_deletions_are_validated() {
    let Some(cluster) = cluster().await else { return };
    let mut object = machine("changed", "none", json!({ "image": "a", "zone": "us" }));
    object["metadata"]["annotations"] = json!({ "protected": "yes" });
    assert_eq!(cluster.create(&object).await.status, 201);
    let denied = cluster.patch("changed", json!({ "spec": { "image": "b" } })).await;
    assert_eq!(causes(&denied.body), [("spec.image", "FieldValueForbidden", "Forbidden: is immutable")]);
    assert_eq!(cluster.patch("changed", json!({ "spec": { "zone": "eu" } })).await.status, 200);

    let denied = cluster.delete("changed").await;
    let message = "admission webhook \"machines.v1.webhooks.example.com\" denied the request: it is protected";
    assert_eq!((denied.status, &denied.body["message"]), (403, &json!(message)));
    assert_eq!(cluster.patch("changed", json!({ "metadata": { "annotations": null } })).await.status, 200);
    assert_eq!(cluster.delete("changed").await.status, 200);

    let seen = seen("changed");
    assert!(seen[0].starts_with("create in"), "{seen:?}");
    assert!(seen[2].starts_with("update from Some(\"us\") to Some(\"eu\") by true"), "{seen:?}");
    assert_eq!(seen.last().unwrap(), "Delete of a");
}

#[tokio::test]
async fn a_terminating_object_is_freed_whatever_its_validator_returns() {
    let Some(cluster) = cluster().await else { return };
    let mut frozen = machine("frozen", "none", json!({ "image": "debian" }));
    frozen["metadata"]["annotations"] = json!({ "frozen": "" });
    frozen["metadata"]["finalizers"] = json!(["example.com/a", "example.com/b"]);
    let created = cluster.create(&frozen).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let finalizers = |left: Value| json!({ "metadata": { "finalizers": left } });
    let is_denied = async |patch: Value| cluster.patch("frozen", patch).await.status == 403;
    assert!(is_denied(finalizers(json!(["example.com/a"]))).await, "it is not being deleted");
    assert!(cluster.delete("frozen").await.is_success());
    assert!(is_denied(json!({ "metadata": { "labels": { "a": "b" } } })).await);
    let seen_before = seen("frozen").len();
    for left in [json!(["example.com/a"]), Value::Null] {
        let freed = cluster.patch("frozen", finalizers(left)).await;
        assert_eq!(freed.status, 200, "{}", freed.body);
    }
    assert_eq!(seen("frozen").len(), seen_before);
    assert_eq!(cluster.delete("frozen").await.status, 404);
}

#[tokio::test]
async fn subresources_have_their_own_webhooks() {
    let Some(cluster) = cluster().await else { return };
    assert_eq!(cluster.create(&machine("scaled", "none", json!({ "image": "a", "replicas": 1 }))).await.status, 201);
    assert_eq!(cluster.patch("scaled/scale", json!({ "spec": { "replicas": 3 } })).await.status, 200);
    let denied = cluster.patch("scaled/scale", json!({ "spec": { "replicas": 9 } })).await;
    let message = "admission webhook \"scale.machines.v1.webhooks.example.com\" denied the request: at most 5 replicas";
    assert_eq!((denied.status, &denied.body["message"]), (403, &json!(message)));

    assert_eq!(cluster.patch("scaled/status", json!({ "status": { "replicas": 3 } })).await.status, 200);
    let denied = cluster.patch("scaled/status", json!({ "status": { "replicas": 3, "phase": "Lost" } })).await;
    assert_eq!(
        causes(&denied.body),
        [("status.phase", "FieldValueNotSupported", "Unsupported value: \"Lost\": supported values: \"Running\"")]
    );

    // The API server begins a patch with an object of its cache and calls the webhooks again if that one was stale, so
    // the last call for a change is the one that was in effect.
    fn change(call: &str) -> &str {
        call.rsplit_once(" to ").map_or(call, |(_, new)| new)
    }
    let mut calls = seen("scaled");
    calls.reverse();
    calls.dedup_by(|earlier, later| change(earlier) == change(later));
    calls.reverse();
    assert_eq!(
        calls[1..],
        ["scale from Some(1) to 3 as Scale", "scale from Some(3) to 9 as Scale", "Update of Some(\"status\")"]
    );
}
