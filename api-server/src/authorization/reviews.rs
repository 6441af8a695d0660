//! Requests about permissions and about users, which are answered and not stored.

use crdkit_core::{ErrorType, object_processing::FieldError};
use k8s_openapi::api::rbac::v1::PolicyRule;
use serde_json::{Map, Value, json};

use super::{Attributes, ResourceTarget, Target};
use crate::{
    decode,
    failure::{Failure, aggregate_texts},
    request::ResourceRequest,
    response::{Content, Reply},
    state::State,
    tokens,
    user::User,
    value::text,
    webhook_calls::Stop,
    write,
    write::check_namespace,
};

const GROUP: &str = "authorization.k8s.io";

/// Answers a review.
pub(crate) fn review(state: &mut State, call: &ResourceRequest) -> Result<Reply, Stop> {
    let decoded = decode::object(call, &call.request.body, call.request.content_type())?;
    decode::check_strictness(call, &decoded)?;
    let mut review = decoded.object;
    check_namespace(call, &mut review)?;
    let spec = review["spec"].clone();
    match call.kind() {
        "SelfSubjectReview" => {
            let status = json!({ "userInfo": call.user.to_json() });
            let metadata = json!({ "creationTimestamp": state.clock.text() });
            review = answer(call, metadata, None, status);
        }
        "SelfSubjectRulesReview" => {
            if text(&spec, "namespace").is_empty() {
                return Err(Failure::bad_request("no namespace on request").into());
            }
            review = answer(call, json!({}), Some(json!({})), rules(state, &call.user, text(&spec, "namespace")));
        }
        "TokenReview" => {
            if text(&spec, "token").is_empty() {
                return Err(Failure::bad_request("token is required for TokenReview in authentication").into());
            }
            write::track(state, call, None, &mut review)?;
            review["status"] = tokens::review(state, &spec);
        }
        kind => {
            check(call, &review)?;
            let user = match kind {
                "SelfSubjectAccessReview" => (*call.user).clone(),
                _ => user(&spec),
            };
            let decision = state.authorization.decide(&state.store, &user, &attributes(&spec));
            let mut status = json!({ "allowed": decision.is_allowed });
            if !decision.reason.is_empty() {
                status["reason"] = decision.reason.into();
            }
            write::track(state, call, None, &mut review)?;
            review["status"] = status;
        }
    }
    Ok(Reply::new(201, Content::Object(review)))
}

/// Returns the status of a `SelfSubjectRulesReview`.
fn rules(state: &mut State, user: &User, namespace: &str) -> Value {
    let (rules, errors) = if state.authorization.is_enabled {
        state.authorization.policy(&state.store).rules_of(user, namespace)
    } else {
        (everything(), Vec::new())
    };
    let mut resources = Vec::new();
    let mut paths = Vec::new();
    for rule in rules {
        let PolicyRule { api_groups, non_resource_urls, resource_names, resources: names, verbs } = rule;
        if names.as_ref().is_some_and(|names| !names.is_empty()) {
            let members = [("apiGroups", api_groups), ("resources", names), ("resourceNames", resource_names)];
            resources.push(rule_of(&verbs, members));
        }
        if non_resource_urls.as_ref().is_some_and(|urls| !urls.is_empty()) {
            paths.push(rule_of(&verbs, [("nonResourceURLs", non_resource_urls)]));
        }
    }
    let mut status = json!({ "resourceRules": resources, "nonResourceRules": paths, "incomplete": false });
    if let Some(error) = aggregate_texts(&errors) {
        status["evaluationError"] = error.into();
    }
    status
}

fn answer(call: &ResourceRequest, metadata: Value, spec: Option<Value>, status: Value) -> Value {
    let mut answer = json!({ "kind": call.kind(), "apiVersion": call.api_version(), "metadata": metadata });
    if let Some(spec) = spec {
        answer["spec"] = spec;
    }
    answer["status"] = status;
    answer
}

/// What every user may do without authorization.
fn everything() -> Vec<PolicyRule> {
    let all = || vec!["*".to_owned()];
    vec![
        PolicyRule { api_groups: Some(all()), resources: Some(all()), verbs: all(), ..<_>::default() },
        PolicyRule { non_resource_urls: Some(all()), verbs: all(), ..<_>::default() },
    ]
}

fn rule_of<const N: usize>(verbs: &[String], members: [(&str, Option<Vec<String>>); N]) -> Value {
    let mut rule = Map::new();
    rule.insert("verbs".to_owned(), verbs.into());
    for (name, values) in members {
        if let Some(values) = values.filter(|values| !values.is_empty()) {
            rule.insert(name.to_owned(), values.into());
        }
    }
    rule.into()
}

fn user(spec: &Value) -> User {
    let texts = |values: &Value| -> Vec<String> {
        let values = values.as_array().into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let extra = spec["extra"].as_object().into_iter().flatten();
    User {
        name: text(spec, "user").to_owned(),
        uid: text(spec, "uid").to_owned(),
        groups: texts(&spec["groups"]),
        extra: extra.map(|(key, values)| (key.clone(), texts(values))).collect(),
    }
}

fn attributes(spec: &Value) -> Attributes {
    let member = |object: &Value, name: &str| text(object, name).to_owned();
    match &spec["resourceAttributes"] {
        Value::Null => {
            let path = &spec["nonResourceAttributes"];
            Attributes { verb: member(path, "verb"), target: Target::Path(member(path, "path")) }
        }
        resource => Attributes {
            verb: member(resource, "verb"),
            target: Target::Resource(ResourceTarget {
                group: member(resource, "group"),
                resource: member(resource, "resource"),
                subresource: member(resource, "subresource"),
                namespace: member(resource, "namespace"),
                name: member(resource, "name"),
            }),
        },
    }
}

/// Returns `nonResourceAttributes` as errors of the server have them.
fn path_attributes(spec: &Value) -> Value {
    match &spec["nonResourceAttributes"] {
        Value::Null => Value::Null,
        path => json!({ "Path": text(path, "path"), "Verb": text(path, "verb") }),
    }
}

fn check(call: &ResourceRequest, review: &Value) -> Result<(), Failure> {
    let spec = &review["spec"];
    let mut errors = Vec::new();
    let mut error = |place: &str, value: &Value, detail: &str| {
        let value = Some(value.to_string());
        errors.push(FieldError { place: place.to_owned(), kind: ErrorType::Invalid, value, detail: detail.to_owned() });
    };
    if spec["resourceAttributes"].is_null() == spec["nonResourceAttributes"].is_null() {
        let detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        error(".spec", &path_attributes(spec), detail);
    }
    if call.kind() != "SelfSubjectAccessReview"
        && text(spec, "user").is_empty()
        && spec["groups"].as_array().is_none_or(Vec::is_empty)
    {
        error(".spec.user", &"".into(), "at least one of user or group must be specified");
    }
    if call.kind() == "LocalSubjectAccessReview" {
        let namespace = text(&review["metadata"], "namespace");
        let attributes = &spec["resourceAttributes"];
        if !attributes.is_null() && text(attributes, "namespace") != namespace {
            let value = text(attributes, "namespace").into();
            error(".spec.resourceAttributes.namespace", &value, "must match metadata.namespace");
        }
        if !spec["nonResourceAttributes"].is_null() {
            let detail = "disallowed on this kind of request";
            error(".spec.nonResourceAttributes", &path_attributes(spec), detail);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::invalid(GROUP, "", "", &errors)) }
}
