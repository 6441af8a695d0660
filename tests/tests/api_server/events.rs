//! Events, in both versions.

use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    example::{MERGE, TABLE, get},
};

fn collection(group: &str, namespace: &str) -> String {
    match group {
        "" => format!("/api/v1/namespaces/{namespace}/events"),
        group => format!("/apis/{group}/v1/namespaces/{namespace}/events"),
    }
}

/// An Event that both versions accept, with the members of one of them.
fn event(group: &str, namespace: &str, name: &str) -> Value {
    let (api_version, regarding, note, controller) = match group {
        "" => ("v1", "involvedObject", "message", "reportingComponent"),
        _ => ("events.k8s.io/v1", "regarding", "note", "reportingController"),
    };
    json!({
        "apiVersion": api_version, "kind": "Event", "metadata": { "name": name },
        "eventTime": "2030-01-01T00:00:00.000000Z", "type": "Normal", "reason": "Sailed", "action": "Reconcile",
        regarding: { "kind": "ConfigMap", "namespace": namespace, "name": "a", "apiVersion": "v1" },
        note: "a mile", controller: "example.com/fleets", "reportingInstance": "a",
    })
}

/// Changes of members, by their names in `events.k8s.io`.
fn changes(namespace: &str) -> Vec<Value> {
    let long = |length| "x".repeat(length);
    vec![
        json!({}),
        json!({ "metadata": { "name": "A" } }),
        json!({ "metadata": { "name": format!("{}.1", "n".repeat(252)) } }),
        json!({ "reportingController": "my controller" }),
        json!({ "reportingController": "" }),
        json!({ "reportingController": format!("a/{}", long(64)) }),
        json!({ "reportingController": "a/b/c" }),
        json!({ "reportingInstance": "" }),
        json!({ "reportingInstance": long(129) }),
        json!({ "reason": "" }),
        json!({ "reason": long(128) }),
        json!({ "reason": long(129) }),
        json!({ "action": "" }),
        json!({ "action": long(129) }),
        json!({ "note": long(1_024) }),
        json!({ "note": "ü".repeat(513) }),
        json!({ "type": "Other" }),
        json!({ "type": null }),
        json!({ "eventTime": null }),
        json!({ "eventTime": null, "regarding": { "namespace": "other" } }),
        json!({ "eventTime": null, "reason": "", "regarding": { "namespace": null } }),
        json!({ "regarding": { "namespace": null } }),
        json!({ "regarding": { "namespace": "other" } }),
        json!({ "series": { "count": 1, "lastObservedTime": "2030-01-01T00:00:00.000000Z" } }),
        json!({ "series": { "count": 2, "lastObservedTime": null } }),
        json!({ "series": { "count": 2, "lastObservedTime": "2030-01-01T00:00:00.000000Z" } }),
        json!({ "deprecatedSource": { "component": "a" } }),
        json!({ "deprecatedCount": 3 }),
        json!({ "deprecatedFirstTimestamp": "2030-01-01T00:00:00Z", "deprecatedLastTimestamp": "2030-01-01T00:00:00Z" }),
        json!({ "related": { "kind": "Pod", "namespace": namespace, "name": "b", "uid": "1", "resourceVersion": "2" } }),
        json!({ "reason": "", "action": "", "reportingController": " ", "type": "" }),
    ]
}

fn renamed(group: &str, change: &Value) -> Value {
    let name = |member: &str| match (group, member) {
        ("", "regarding") => "involvedObject".to_owned(),
        ("", "note") => "message".to_owned(),
        ("", "reportingController") => "reportingComponent".to_owned(),
        ("", "deprecatedSource") => "source".to_owned(),
        ("", "deprecatedCount") => "count".to_owned(),
        ("", "deprecatedFirstTimestamp") => "firstTimestamp".to_owned(),
        ("", "deprecatedLastTimestamp") => "lastTimestamp".to_owned(),
        (_, member) => member.to_owned(),
    };
    change
        .as_object()
        .unwrap()
        .iter()
        .map(|(member, value)| (name(member), value.clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn merge(into: &mut Value, change: &Value) {
    match change.as_object() {
        Some(members) if into.is_object() => {
            for (member, value) in members {
                merge(&mut into[member.as_str()], value);
            }
        }
        _ => *into = change.clone(),
    }
}

/// The verdict of a response, without the object.
fn verdict(response: &Value) -> Value {
    let body = &response["body"];
    let status = if body["kind"] == "Status" { body } else { &Value::Null };
    json!({ "code": response["code"], "reason": status["reason"], "details": status["details"] })
}

/// Sends a request to both servers, and compares their verdicts.
async fn judge(both: &mut Both, step: &Step) -> Option<String> {
    let [embedded, real] = both.respond(step).await.map(|response| verdict(&response));
    Both::difference(step, embedded, real).map(|difference| difference.to_string())
}

/// Sends a request to both servers, and compares their responses but for the managers below `regarding`.
async fn send(both: &mut Both, step: &Step) -> Option<String> {
    let mut responses = both.respond(step).await;
    for response in &mut responses {
        if let Some(regarding) = response.pointer_mut("/body/metadata/managedFields/0/fieldsV1/f:regarding") {
            *regarding = json!({});
        }
    }
    let [embedded, real] = responses;
    Both::difference(step, embedded, real).map(|difference| difference.to_string())
}

#[tokio::test]
async fn events_are_validated_as_by_the_real_server() {
    let namespace = "events";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let mut differences = Vec::new();
    for group in ["", "events.k8s.io"] {
        let path = collection(group, namespace);
        for (index, change) in changes(namespace).iter().enumerate() {
            let name = format!("created-{}-{index}", group.len());
            let mut created = event(group, namespace, &name);
            merge(&mut created, &renamed(group, change));
            let step = Step::new("POST", path.as_str(), created);
            differences.extend(judge(&mut both, &step).await);
        }
        let name = format!("changed-{}", group.len());
        let step = Step::new("POST", path.as_str(), event(group, namespace, &name));
        differences.extend(judge(&mut both, &step).await);
        for change in changes(namespace) {
            let patch = Step::new("PATCH", format!("{path}/{name}"), renamed(group, &change))
                .of_type("application/merge-patch+json");
            differences.extend(judge(&mut both, &patch).await);
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[tokio::test]
async fn both_versions_are_one_store() {
    let namespace = "one-store";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let groups = ["", "events.k8s.io"];
    let paths = groups.map(|group| collection(group, namespace));
    let mut differences = Vec::new();
    let reads = |name: &str| paths.iter().map(|path| get(format!("{path}/{name}"))).collect::<Vec<_>>();
    for (group, path) in groups.iter().zip(&paths).rev() {
        let name = format!("of-{}", group.len());
        let created = Step::new("POST", path, event(group, namespace, &name));
        let dry = Step::new("POST", format!("{path}?dryRun=All"), event(group, namespace, "dry"));
        let mut steps = vec![created.clone(), created, dry];
        steps.extend(reads(&name));
        for (group, path) in groups.iter().zip(&paths) {
            let series = json!({ "count": group.len() + 2, "lastObservedTime": "2030-01-01T00:00:00.000000Z" });
            let one = format!("{path}/{name}");
            let patch = |change: Value| Step::new("PATCH", &one, change).of_type(MERGE);
            steps.push(patch(json!({ "series": series })));
            steps.extend(reads(&name));
            steps.push(patch(renamed(group, &json!({ "note": "two miles" }))));
            steps.push(get(&one).accepting(TABLE));
            steps.push(get(&one).accepting("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"));
        }
        for step in steps {
            differences.extend(send(&mut both, &step).await);
        }
        if !group.is_empty() {
            let delete = Step::new("DELETE", format!("{path}/{name}"), Value::Null);
            differences.extend(send(&mut both, &delete).await);
            for path in &paths {
                differences.extend(send(&mut both, &get(format!("{path}?watch=true"))).await);
                differences
                    .extend(send(&mut both, &get(format!("{path}?watch=true&fieldSelector=reason%3DSailed"))).await);
            }
        }
    }
    let selectors = [
        "",
        "reason=Sailed",
        "type=Normal",
        "involvedObject.name=a",
        "regarding.name=a",
        "reportingController=example.com/fleets",
        "reportingComponent=example.com/fleets",
        "source=example.com/fleets",
        "metadata.name=of-0",
        "note=x",
    ];
    for path in &paths {
        for selector in selectors {
            let selector = selector.replace('=', "%3D");
            differences.extend(send(&mut both, &get(format!("{path}?fieldSelector={selector}"))).await);
        }
        differences.extend(send(&mut both, &get(format!("{path}?limit=1"))).await);
        differences.extend(send(&mut both, &get(format!("{path}/none"))).await);
    }
    let [core, other] = paths.each_ref();
    for step in [
        Step::new("DELETE", format!("{other}/of-0"), Value::Null),
        Step::new("PUT", format!("{core}/put"), event("", namespace, "put")),
        Step::new("PUT", format!("{other}/put"), event("events.k8s.io", namespace, "put")),
        Step::new("DELETE", other.as_str(), Value::Null),
        Step::new("POST", core.as_str(), event("", namespace, "last")),
    ] {
        differences.extend(send(&mut both, &step).await);
    }
    differences.extend(both.compare_events("last").await.map(|it| it.to_string()));
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

/// An update of a Lease that was deleted must not create it again.
#[tokio::test]
async fn an_update_of_a_deleted_object_that_was_read_is_a_conflict() {
    let Some(mut both) = Both::with_namespace("deleted").await else { return };
    let path = "/apis/coordination.k8s.io/v1/namespaces/deleted/leases";
    let lease = |metadata: Value| json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": {} });
    let one = format!("{path}/a");
    let mut differences = Vec::new();
    for step in [
        Step::new("POST", path, lease(json!({ "name": "a" }))),
        Step::new("DELETE", one.as_str(), Value::Null),
        Step::new(
            "PUT",
            one.as_str(),
            lease(json!({ "name": "a", "uid": "$uid", "resourceVersion": "$resourceVersion" })),
        ),
        Step::new("PUT", one.as_str(), lease(json!({ "name": "a" }))),
    ] {
        differences.extend(both.send(&step).await.map(|it| it.to_string()));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
