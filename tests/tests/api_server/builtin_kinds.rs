//! Objects of Kubernetes' own kinds: types, defaults and validation.
//!
//! `builtin/objects.yaml` has an object of each kind, and the files of cases have requests that change them, one a line: the kind,
//! the verb, and the changes as `/path=JSON` or `-/path`, or the patch. A line that begins with `@` is the reason why the server in
//! the process responds to the case below otherwise than the real one.

use std::{collections::BTreeMap, fs, path::PathBuf};

use crdkit_tests::faults::Random;
use serde_json::{Value, json};

use crate::{
    both::{Both, Difference, Step},
    step::Body,
};

/// What is sent to an object.
struct Case {
    kind: String,
    verb: String,
    /// The query of the request, with its question mark.
    query: String,
    changes: Vec<Change>,
    patch: Value,
    raw: String,
    line: String,
    /// Why the servers differ; empty if they do not.
    reason: String,
}

#[derive(Clone, Debug)]
enum Change {
    Set(String, Value),
    Remove(String),
}

fn file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/api_server/builtin").join(name);
    fs::read_to_string(path).expect("the file is there")
}

/// Returns the objects by their kinds.
fn objects() -> BTreeMap<String, Value> {
    let documents = file("objects.yaml");
    let documents = documents.split("\n---\n").map(|text| {
        let object: Value = serde_saphyr::from_str(text).expect("an object");
        (object["kind"].as_str().expect("a kind").to_owned(), object)
    });
    documents.collect()
}

fn cases(name: &str) -> Vec<Case> {
    let (mut cases, mut reason) = (Vec::new(), String::new());
    let text = file(name);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('@') {
            Some(text) => text.trim().clone_into(&mut reason),
            None => cases.push(Case::parse(line, std::mem::take(&mut reason))),
        }
    }
    cases
}

impl Case {
    fn parse(line: &str, reason: String) -> Self {
        let (kind, rest) = line.split_once(' ').expect("a kind");
        let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (verb, query) = verb.find('?').map_or((verb, ""), |at| verb.split_at(at));
        let is_patch = rest.starts_with(['{', '[']);
        Self {
            kind: kind.to_owned(),
            verb: verb.to_owned(),
            query: query.to_owned(),
            changes: if is_patch { Vec::new() } else { changes(rest, line) },
            raw: rest.to_owned(),
            patch: if is_patch { serde_json::from_str(rest).expect("a patch") } else { Value::Null },
            line: line.to_owned(),
            reason,
        }
    }

    fn object(&self, objects: &BTreeMap<String, Value>, name: &str) -> Value {
        let mut object = objects.get(&self.kind).unwrap_or_else(|| panic!("no object: {}", self.line)).clone();
        object["metadata"]["name"] = name.into();
        object
    }

    /// Returns the requests: the last one is compared, and those before prepare it.
    fn steps(&self, objects: &BTreeMap<String, Value>, name: &str) -> Vec<Step> {
        let object = self.object(objects, name);
        let mut changed = object.clone();
        self.changes.iter().for_each(|change| change.apply(&mut changed, &self.line));
        let collection = collection(&object);
        let path = format!("{collection}/{name}");
        let separator = if self.query.is_empty() { "?" } else { "&" };
        let creation = || Step::new("POST", &collection, object.clone());
        let (verb, subresource) = match self.verb.split_once('-') {
            Some((subresource, verb)) => (verb, format!("/{subresource}")),
            None => (&*self.verb, String::new()),
        };
        let one = format!("{path}{subresource}{}", self.query);
        let patch = |media_type| Step::new("PATCH", &one, self.patch.clone()).of_type(media_type);
        let step = match verb {
            "create" => return vec![Step::new("POST", format!("{collection}{}", self.query), changed)],
            "update" if subresource == "/scale" => {
                let mut scale = json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": name, "namespace": "$namespace" } });
                scale.as_object_mut().unwrap().extend(self.patch.as_object().unwrap().clone());
                Step::new("PUT", &one, scale)
            }
            // A text, in which a field can be there twice.
            "raw" => {
                let text = self.raw.replace("$name", name);
                return vec![
                    Step::new("POST", format!("{collection}{}", self.query), Value::Null).with_body(Body::Raw(text)),
                ];
            }
            "update" => Step::new("PUT", &one, changed),
            "merge" => patch("application/merge-patch+json"),
            "strategic" => patch("application/strategic-merge-patch+json"),
            "json" => patch("application/json-patch+json"),
            "apply" => {
                let mut configuration = self.patch.clone();
                for member in ["apiVersion", "kind"] {
                    configuration[member] = object[member].clone();
                }
                configuration["metadata"]["name"] = name.into();
                let one = format!("{one}{separator}fieldManager=m");
                Step::new("PATCH", one, configuration).of_type("application/apply-patch+yaml")
            }
            verb => panic!("no verb: {verb}"),
        };
        vec![creation(), step]
    }
}

/// Reads changes, each of which begins with a slash after a space.
fn changes(text: &str, line: &str) -> Vec<Change> {
    let starts = text.match_indices(" /").chain(text.match_indices(" -/")).map(|(at, _)| at + 1);
    let mut starts: Vec<_> = std::iter::once(0).chain(starts).collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| text[*start..end].trim()).filter(|part| !part.is_empty());
    parts
        .map(|part| match (part.strip_prefix('-'), part.split_once('=')) {
            (Some(path), _) => Change::Remove(path.to_owned()),
            (None, Some((path, value))) => {
                let value = match value.strip_prefix("long:") {
                    Some(length) => "x".repeat(length.parse().expect("a length")).into(),
                    None => serde_json::from_str(value).unwrap_or_else(|error| panic!("{error}: {line}")),
                };
                Change::Set(path.to_owned(), value)
            }
            (None, None) => panic!("no change: {line}"),
        })
        .collect()
}

impl Change {
    fn apply(&self, object: &mut Value, line: &str) {
        let (path, value) = match self {
            Self::Set(path, value) => (path, Some(value)),
            Self::Remove(path) => (path, None),
        };
        let (parent, name) = path.rsplit_once('/').expect("a path");
        let mut at = &mut *object;
        for part in parent.split('/').skip(1) {
            at = match part.parse::<usize>() {
                Ok(index) => &mut at[index],
                Err(_) => &mut at[part.replace("~1", "/")],
            };
        }
        match (at, value, name.parse::<usize>()) {
            (Value::Array(items), Some(value), Ok(index)) if index < items.len() => items[index] = value.clone(),
            (Value::Array(items), Some(value), _) => items.push(value.clone()),
            (Value::Array(items), None, Ok(index)) => drop(items.remove(index)),
            (at, Some(value), _) => at[name.replace("~1", "/")] = value.clone(),
            (at, None, _) => drop(at.as_object_mut().unwrap_or_else(|| panic!("no object: {line}")).remove(name)),
        }
    }
}

/// Returns the path of the objects of a kind in the namespace of the test.
fn collection(object: &Value) -> String {
    let text = |name: &str| object[name].as_str().expect("a text");
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let plural = match kind {
        "Endpoints" => "endpoints".to_owned(),
        kind if kind.ends_with('y') => format!("{}ies", kind[..kind.len() - 1].to_lowercase()),
        kind if kind.ends_with('s') => format!("{}es", kind.to_lowercase()),
        kind => format!("{}s", kind.to_lowercase()),
    };
    let is_of_cluster = matches!(
        kind,
        "CSIDriver"
            | "ClusterRole"
            | "ClusterRoleBinding"
            | "DeviceClass"
            | "FlowSchema"
            | "IngressClass"
            | "Namespace"
            | "Node"
            | "PersistentVolume"
            | "PriorityClass"
            | "PriorityLevelConfiguration"
            | "RuntimeClass"
            | "StorageClass"
            | "ValidatingWebhookConfiguration"
            | "VolumeAttachment"
    );
    let root = if api_version.contains('/') { "apis" } else { "api" };
    let namespace = if is_of_cluster { "" } else { "namespaces/$namespace/" };
    format!("/{root}/{api_version}/{namespace}{plural}")
}

/// Hides the addresses and ports that a server chooses, and the numbers of the object, which follow from the cases before.
fn hide_chosen(response: &mut Value) {
    let metadata = &mut response["body"]["metadata"];
    for name in ["uid", "resourceVersion"] {
        if metadata[name].is_string() {
            metadata[name] = "<chosen>".into();
        }
    }
    hide_uids(&mut response["body"]);
    let spec = &mut response["body"]["spec"];
    for name in ["clusterIP", "healthCheckNodePort"] {
        if spec[name].as_str().is_some_and(|text| text.starts_with("10.")) || spec[name].is_number() {
            spec[name] = "<chosen>".into();
        }
    }
    if spec["clusterIPs"][0].as_str().is_some_and(|text| text.starts_with("10.")) {
        spec["clusterIPs"][0] = "<chosen>".into();
    }
    for port in spec["ports"].as_array_mut().into_iter().flatten().filter(|port| port["nodePort"].is_number()) {
        port["nodePort"] = "<chosen>".into();
    }
}

/// Hides the UIDs in labels of Jobs.
fn hide_uids(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if name.ends_with("controller-uid") && value.is_string() {
                    *value = "<chosen>".into();
                }
                if let Value::String(text) = value
                    && let Some((start, rest)) = text.split_once("controller-uid\":\"")
                    && text.contains("Invalid value")
                {
                    // Messages have them in labels.
                    let uid = rest.split('\\').next().unwrap_or_default().split('"').next().unwrap_or_default();
                    *value = format!("{start}controller-uid\":\"{rest}").replace(uid, "<chosen>").into();
                }
                hide_uids(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_uids),
        _ => {}
    }
}

/// Hides the structs of Go in messages, and their differences, which a row of the table of differences is about.
fn hide_structs(message: &mut Value) {
    let Some(text) = message.as_str() else { return };
    let mut shown = text.split("\n@@").next().unwrap_or_default().trim_end().to_owned();
    for start in ["Invalid value: {", "Invalid value: [{"] {
        if let Some((before, rest)) = shown.split_once(start)
            && let Some((_, detail)) = rest.rsplit_once(": field is immutable")
        {
            shown = format!("{before}Invalid value: <struct>: field is immutable{detail}");
        }
    }
    *message = shown.into();
}

async fn difference(both: &mut Both, steps: &[Step]) -> Option<Difference> {
    let (last, before) = steps.split_last().expect("a step");
    for step in before {
        let [ours, real] = both.respond(step).await;
        assert_eq!(real["code"], 201, "{step}: {real}");
        if ours["code"] != 201 {
            return Both::difference(step, ours, real);
        }
    }
    let mut responses = both.respond(last).await;
    responses.iter_mut().for_each(hide_chosen);
    let [ours, real] = responses.map(|response| match response["code"].as_u64() {
        Some(400..) => {
            let mut details = response["body"]["details"].clone();
            let mut message = response["body"]["message"].clone();
            hide_structs(&mut message);
            for cause in details["causes"].as_array_mut().into_iter().flatten() {
                hide_structs(&mut cause["message"]);
            }
            json!({ "code": response["code"], "message": message, "details": details })
        }
        _ => response,
    });
    // The object does not matter if one of the servers refuses it.
    if ours["code"] != real["code"] {
        let brief = |response: Value| json!({ "code": response["code"], "message": response["message"], "details": response["details"]["causes"] });
        return Both::difference(last, brief(ours), brief(real));
    }
    Both::difference(last, ours, real)
}

/// Compares all cases of a file.
async fn compare(name: &str, namespace: &str) {
    let Some(mut both) = Both::with_definitions(namespace, &[]).await else { return };
    let objects = objects();
    let (mut different, mut same) = (Vec::new(), Vec::new());
    for (index, case) in cases(name).into_iter().enumerate() {
        let steps = case.steps(&objects, &format!("{namespace}-{index}"));
        match difference(&mut both, &steps).await {
            Some(_) if !case.reason.is_empty() => {}
            Some(difference) => different.push(format!("{}\n  {difference}", case.line)),
            None if case.reason.is_empty() => {}
            None => same.push(case.line),
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
    assert!(same.is_empty(), "no longer different:\n{}", same.join("\n"));
}

#[tokio::test]
async fn values_have_the_types_of_go() {
    compare("types.txt", "builtin-types").await;
}

#[tokio::test]
async fn objects_are_validated() {
    compare("validation.txt", "builtin-validation").await;
}

#[tokio::test]
async fn limits_of_namespaces() {
    compare("limits.txt", "builtin-limits").await;
}

/// Changes one value of an object at random.
fn mutation(numbers: &mut Random, object: &Value) -> Change {
    let mut paths = Vec::new();
    collect_paths("", object, &mut paths);
    paths.retain(|path| !matches!(&**path, "/apiVersion" | "/kind" | "/metadata"));
    let path = paths[numbers.below(paths.len())].clone();
    let values = [
        json!(1),
        json!(-1),
        json!(70_000),
        json!(""),
        json!("A b"),
        json!("a"),
        json!(true),
        json!([]),
        json!({}),
        Value::Null,
        json!([{ "x": 1 }]),
        json!({ "unknown": 1 }),
    ];
    match numbers.below(4) {
        0 => Change::Remove(path),
        1 if object.pointer(&path).is_some_and(Value::is_object) => Change::Set(format!("{path}/unknown"), json!(1)),
        _ => Change::Set(path, values[numbers.below(values.len())].clone()),
    }
}

fn collect_paths(path: &str, value: &Value, paths: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = format!("{path}/{}", name.replace('/', "~1"));
                paths.push(path.clone());
                collect_paths(&path, member, paths);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let path = format!("{path}/{index}");
                paths.push(path.clone());
                collect_paths(&path, item, paths);
            }
        }
        _ => {}
    }
}

/// Returns a merge patch that makes a change.
fn merge_patch(change: &Change, object: &Value) -> Option<Value> {
    let (path, value) = match change {
        Change::Set(path, value) => (path, value.clone()),
        Change::Remove(path) => (path, Value::Null),
    };
    let mut parts: Vec<_> = path.split('/').skip(1).map(|part| part.replace("~1", "/")).collect();
    // A patch replaces a list as a whole.
    let at = parts.iter().position(|part| part.parse::<usize>().is_ok());
    let mut patch = value;
    if let Some(at) = at {
        let mut changed = object.clone();
        change.apply(&mut changed, path);
        parts.truncate(at);
        patch = changed.pointer(&format!("/{}", parts.join("/")))?.clone();
    }
    Some(parts.iter().rev().fold(patch, |patch, part| json!({ part: patch })))
}

#[tokio::test]
async fn random_updates() {
    const UPDATES: usize = 25;
    const MEDIA_TYPES: [&str; 2] = ["application/merge-patch+json", "application/strategic-merge-patch+json"];
    let Some(mut both) = Both::with_definitions("builtin-updates", &[]).await else { return };
    let mut different = Vec::new();
    for (seed, (kind, object)) in objects().into_iter().enumerate() {
        if matches!(&*kind, "LimitRange" | "ResourceQuota") || NOT_VALIDATED.contains(&&*kind) {
            continue;
        }
        let name = format!("updates-{seed}");
        let (mut object, path) = (object.clone(), format!("{}/{name}?dryRun=All", collection(&object)));
        object["metadata"]["name"] = name.into();
        let created = difference(&mut both, &[Step::new("POST", collection(&object), object.clone())]).await;
        assert!(created.is_none(), "{kind}");
        let mut random = Random::new(seed as u64);
        for index in 0..UPDATES {
            let change = mutation(&mut random, &object);
            let text = format!("{change:?}");
            let step = match merge_patch(&change, &object) {
                // The real server panics on some lists in strategic merge patches.
                Some(patch) if index % 3 == 1 || index % 3 == 2 && !patch.to_string().contains('[') => {
                    Step::new("PATCH", &path, patch).of_type(MEDIA_TYPES[index % 3 - 1])
                }
                _ => {
                    let mut changed = object.clone();
                    change.apply(&mut changed, &text);
                    Step::new("PUT", &path, changed)
                }
            };
            if let Some(difference) = difference(&mut both, &[step]).await
                && !is_known(&kind, &text)
            {
                different.push(format!("{kind} {text}\n  {difference}"));
            }
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

/// The kinds that only have types and defaults: a row of the table of differences says so.
const NOT_VALIDATED: [&str; 6] =
    ["CSIDriver", "DeviceClass", "FlowSchema", "Namespace", "PriorityLevelConfiguration", "VolumeAttachment"];

/// Changes at random whose responses differ, and why: the kind or nothing for all, a part of the change, and the reason.
const KNOWN: &[(&str, &str, &str)] = &[
    ("ClusterRole", "/rules", EMPTY_LIST),
    ("EndpointSlice", "/endpoints", EMPTY_LIST),
    ("EndpointSlice", "/ports", EMPTY_LIST),
    ("LimitRange", "/spec/limits", EMPTY_LIST),
    ("Role", "/rules", EMPTY_LIST),
    ("", "Remove(\"/spec/template/metadata/labels/app\")", NULL),
    ("Ingress", "Remove(\"/spec/rules/0\")", NULL),
    ("PersistentVolume", "/spec/capacity", NULL),
];

const NULL: &str = "messages have `null` instead of an empty list or map";

const EMPTY_LIST: &str = "an empty list that Go does not omit has no manager";

fn is_known(kind: &str, change: &str) -> bool {
    KNOWN.iter().any(|(of, part, _)| (of.is_empty() || *of == kind) && change.contains(part))
}

#[tokio::test]
async fn random_changes() {
    const CHANGES: usize = 60;
    let Some(mut both) = Both::with_definitions("builtin-random", &[]).await else { return };
    let mut different = Vec::new();
    for (seed, (kind, object)) in objects().into_iter().enumerate() {
        if NOT_VALIDATED.contains(&&*kind) {
            continue;
        }
        let mut numbers = Random::new(seed as u64);
        for index in 0..CHANGES {
            let change = mutation(&mut numbers, &object);
            let text = format!("{change:?}");
            let mut changed = object.clone();
            changed["metadata"]["name"] = format!("random-{seed}-{index}").into();
            change.apply(&mut changed, &text);
            // Limits and quotas would apply to the objects after them.
            let step = Step::new("POST", format!("{}?dryRun=All", collection(&object)), changed);
            if let Some(difference) = difference(&mut both, &[step]).await
                && !is_known(&kind, &text)
            {
                different.push(format!("{kind} {text}\n  {difference}"));
            }
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}
