//! Deployments: they create a ReplicaSet for each template, and move the replicas to the last one.

use serde_json::{Value, json};

use super::{
    DEPLOYMENTS, REPLICA_SETS, controlled, controller_reference, delete, key, number, set_condition, write_status,
};
use crate::{controllers::request::ControllerRequest, failure::Failure, state::State, store::Key, value::text};

const HASH: &str = "pod-template-hash";
const REVISION: &str = "deployment.kubernetes.io/revision";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MAXIMUM: &str = "deployment.kubernetes.io/max-replicas";
const HISTORY_LIMIT: i64 = 10;
const PROGRESSING: &str = "Progressing";

/// The numbers that limit a rollout.
struct Limits {
    replicas: i64,
    surge: i64,
    unavailable: i64,
    is_recreated: bool,
}

impl Limits {
    fn of(deployment: &Value) -> Self {
        let spec = &deployment["spec"];
        let replicas = number(&spec["replicas"], 1);
        let rolling = &spec["strategy"]["rollingUpdate"];
        let is_recreated = text(&spec["strategy"], "type") == "Recreate";
        let [surge, unavailable] = if is_recreated {
            [0, 0]
        } else {
            [scaled(&rolling["maxSurge"], replicas, true), scaled(&rolling["maxUnavailable"], replicas, false)]
        };
        // Without either, nothing could ever change.
        let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
        Self { replicas, surge, unavailable: unavailable.min(replicas), is_recreated }
    }
}

/// Returns a number, or a percentage of the replicas; 25% by default.
fn scaled(value: &Value, replicas: i64, rounds_up: bool) -> i64 {
    if let Some(number) = value.as_i64() {
        return number;
    }
    let percent = value.as_str().and_then(|it| it.strip_suffix('%')).and_then(|it| it.parse::<i64>().ok());
    let product = percent.unwrap_or(25) * replicas;
    if rounds_up { (product + 99) / 100 } else { product / 100 }
}

fn replicas(set: &Value) -> i64 {
    number(&set["spec"]["replicas"], 1)
}

fn available(set: &Value) -> i64 {
    number(&set["status"]["availableReplicas"], 0)
}

fn revision(object: &Value) -> i64 {
    text(&object["metadata"]["annotations"], REVISION).parse().unwrap_or_default()
}

fn sum(sets: &[Value], count: impl Fn(&Value) -> i64) -> i64 {
    sets.iter().map(count).sum()
}

/// Returns the template of a ReplicaSet as the Deployment has it.
fn template(set: &Value) -> Value {
    let mut template = set["spec"]["template"].clone();
    if let Some(labels) = template["metadata"]["labels"].as_object_mut() {
        labels.remove(HASH);
    }
    template
}

pub(super) fn sync(state: &mut State, deployment: &Value) -> Result<(), Failure> {
    let limits = Limits::of(deployment);
    let mut sets = controlled(state, deployment, REPLICA_SETS);
    sets.sort_by_key(revision);
    let is_new = |set: &Value| template(set) == deployment["spec"]["template"];
    let new = sets.iter().rposition(is_new).map(|at| sets.remove(at));
    let new = match new {
        new if is_paused(deployment) => scale_paused(state, &limits, new, &sets)?,
        None if limits.is_recreated
            && sum(&sets, |set| replicas(set).max(number(&set["status"]["replicas"], 0))) > 0 =>
        {
            for set in sets.iter().filter(|set| replicas(set) > 0) {
                scale(state, set, 0)?;
            }
            None
        }
        None => {
            let count = if limits.is_recreated {
                limits.replicas
            } else {
                limits.replicas.min(limits.replicas + limits.surge - sum(&sets, replicas)).max(0)
            };
            Some(create_set(state, deployment, &limits, count, sets.last().map_or(0, revision) + 1)?)
        }
        Some(new) => Some(roll(state, deployment, &limits, new, &sets)?),
    };
    clean_up(state, deployment, &sets)?;
    update_status(state, deployment, &limits, new.as_ref())
}

fn create_set(
    state: &mut State,
    deployment: &Value,
    limits: &Limits,
    count: i64,
    revision: i64,
) -> Result<Value, Failure> {
    let metadata = &deployment["metadata"];
    let mut template = deployment["spec"]["template"].clone();
    let hash = hash(&template);
    template["metadata"]["labels"][HASH] = hash.as_str().into();
    let mut selector = deployment["spec"]["selector"].clone();
    selector["matchLabels"][HASH] = hash.as_str().into();
    let mut annotations = metadata["annotations"].as_object().cloned().unwrap_or_default();
    annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    annotations.insert(REVISION.into(), revision.to_string().into());
    annotations.insert(DESIRED.into(), limits.replicas.to_string().into());
    annotations.insert(MAXIMUM.into(), (limits.replicas + limits.surge).to_string().into());
    let mut set = json!({
        "metadata": {
            "name": format!("{}-{hash}", text(metadata, "name")), "namespace": metadata["namespace"],
            "labels": template["metadata"]["labels"], "annotations": annotations,
            "ownerReferences": controller_reference(deployment),
        },
        "spec": { "replicas": count, "selector": selector, "template": template },
    });
    let min_ready_seconds = number(&deployment["spec"]["minReadySeconds"], 0);
    if min_ready_seconds > 0 {
        set["spec"]["minReadySeconds"] = min_ready_seconds.into();
    }
    let collection = Key::new(text(metadata, "namespace"), "");
    ControllerRequest::create(REPLICA_SETS, &collection, set).send(state)
}

fn is_paused(deployment: &Value) -> bool {
    deployment["spec"]["paused"] == true
}

/// Scales the ReplicaSet of a paused Deployment. If several have replicas, as in the middle of a rollout, they keep them.
fn scale_paused(
    state: &mut State,
    limits: &Limits,
    new: Option<Value>,
    old: &[Value],
) -> Result<Option<Value>, Failure> {
    let active: Vec<_> = new.iter().chain(old).filter(|set| replicas(set) > 0).collect();
    let scaled = match active[..] {
        [] => new.as_ref().or(old.last()),
        [only] => Some(only),
        _ => None,
    };
    if let Some(set) = scaled.filter(|set| replicas(set) != limits.replicas) {
        scale(state, set, limits.replicas)?;
    }
    Ok(new)
}

/// Returns a name for a template.
fn hash(template: &Value) -> String {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    const OFFSET: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    let text = template.to_string();
    let hash = text.bytes().fold(OFFSET, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME));
    hash.to_string().bytes().map(|digit| char::from(ALPHABET[usize::from(digit - b'0')])).collect()
}

/// Moves replicas from the old ReplicaSets to the new one as far as the limits allow.
fn roll(
    state: &mut State,
    deployment: &Value,
    limits: &Limits,
    mut new: Value,
    old: &[Value],
) -> Result<Value, Failure> {
    let total = replicas(&new) + sum(old, replicas);
    let count = match replicas(&new) {
        count if count >= limits.replicas => limits.replicas,
        _ if limits.is_recreated => limits.replicas,
        count => {
            let possible = (limits.replicas + limits.surge - total).max(0);
            count + possible.min(limits.replicas - count)
        }
    };
    let last = old.last().map_or(0, revision);
    let min_ready_seconds = &deployment["spec"]["minReadySeconds"];
    let is_outdated = number(min_ready_seconds, 0) != number(&new["spec"]["minReadySeconds"], 0);
    if count != replicas(&new) || revision(&new) <= last || is_outdated {
        let annotations = json!({
            REVISION: revision(&new).max(last + 1).to_string(), DESIRED: limits.replicas.to_string(),
            MAXIMUM: (limits.replicas + limits.surge).to_string(),
        });
        let spec = json!({ "replicas": count, "minReadySeconds": min_ready_seconds });
        let patch = json!({ "metadata": { "annotations": annotations }, "spec": spec });
        new = ControllerRequest::patch(REPLICA_SETS, &key(&new), patch).send(state)?;
    }
    let required = limits.replicas - limits.unavailable;
    let unavailable = (replicas(&new) - available(&new)).max(0);
    let mut removable = replicas(&new) + sum(old, replicas) - required - unavailable;
    // Those that are not available go first.
    let mut counts: Vec<_> = old.iter().map(|set| (set, replicas(set), replicas(set) - available(set))).collect();
    for (_, count, broken) in &mut counts {
        let removed = (*broken).min(removable).max(0).min(*count);
        *count -= removed;
        removable -= removed;
    }
    let mut spare = (available(&new) + sum(old, available) - required).min(removable);
    for (_, count, _) in &mut counts {
        let removed = spare.max(0).min(*count);
        *count -= removed;
        spare -= removed;
    }
    for (set, count, _) in counts {
        if count != replicas(set) {
            scale(state, set, count)?;
        }
    }
    Ok(new)
}

fn scale(state: &mut State, set: &Value, count: i64) -> Result<(), Failure> {
    let patch = json!({ "spec": { "replicas": count } });
    ControllerRequest::patch(REPLICA_SETS, &key(set), patch).send(state).map(|_| ())
}

/// Deletes the oldest ReplicaSets without replicas.
fn clean_up(state: &mut State, deployment: &Value, old: &[Value]) -> Result<(), Failure> {
    let limit = usize::try_from(number(&deployment["spec"]["revisionHistoryLimit"], HISTORY_LIMIT)).unwrap_or_default();
    let is_empty = |set: &&Value| replicas(set) == 0 && number(&set["status"]["replicas"], 0) == 0;
    for set in old.iter().take(old.len().saturating_sub(limit)).filter(is_empty) {
        delete(state, REPLICA_SETS, set)?;
    }
    Ok(())
}

fn update_status(state: &mut State, deployment: &Value, limits: &Limits, new: Option<&Value>) -> Result<(), Failure> {
    let mut deployment = deployment.clone();
    if let Some(new) = new
        && revision(&deployment) != revision(new)
    {
        let patch = json!({ "metadata": { "annotations": { REVISION: revision(new).to_string() } } });
        deployment = ControllerRequest::patch(DEPLOYMENTS, &key(&deployment), patch).send(state)?;
    }
    let sets = controlled(state, &deployment, REPLICA_SETS);
    let current = |set: &Value| number(&set["status"]["replicas"], 0);
    let (total, usable) = (sum(&sets, current), sum(&sets, available));
    let updated = new.map_or(0, current);
    let mut conditions = deployment["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let is_available = usable >= limits.replicas - limits.unavailable;
    if is_available {
        set_condition(
            &state.clock.text(),
            &mut conditions,
            "Available",
            "True",
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.",
        );
    } else {
        set_condition(
            &state.clock.text(),
            &mut conditions,
            "Available",
            "False",
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        );
    }
    let is_complete = updated == limits.replicas && total == limits.replicas && usable == limits.replicas;
    if is_paused(&deployment) {
        set_condition(
            &state.clock.text(),
            &mut conditions,
            PROGRESSING,
            "Unknown",
            "DeploymentPaused",
            "Deployment is paused",
        );
    } else if let Some(new) = new {
        let name = text(&new["metadata"], "name");
        let [complete, progressing] = [
            format!("ReplicaSet \"{name}\" has successfully progressed."),
            format!("ReplicaSet \"{name}\" is progressing."),
        ];
        // A rollout that was complete stays so while Pods are added or replaced.
        let was_complete =
            conditions.iter().any(|it| text(it, "type") == PROGRESSING && text(it, "message") == complete);
        let (reason, message) = if is_complete || was_complete && total == updated {
            ("NewReplicaSetAvailable", complete)
        } else {
            ("ReplicaSetUpdated", progressing)
        };
        set_condition(&state.clock.text(), &mut conditions, PROGRESSING, "True", reason, &message);
    }
    let mut status = deployment.get("status").cloned().unwrap_or_else(|| json!({}));
    status["observedGeneration"] = deployment["metadata"]["generation"].clone();
    status["replicas"] = total.into();
    status["updatedReplicas"] = updated.into();
    status["readyReplicas"] = sum(&sets, |set| number(&set["status"]["readyReplicas"], 0)).into();
    status["availableReplicas"] = usable.into();
    status["unavailableReplicas"] = (sum(&sets, replicas) - usable).max(0).into();
    status["terminatingReplicas"] = 0.into();
    status["conditions"] = conditions.into();
    write_status(state, DEPLOYMENTS, &deployment, status)
}
