//! The rules for webhook configurations and policies: each case has the rules that it breaks.

use std::collections::BTreeSet;

use crdkit::validate::validate_admission;
use crdkit_core::rules::admission_registration::RULES;
use crdkit_tests::{ControlPlane, Request};
use serde_json::{Value, json};

use crate::{
    admission::{CONFIGURATIONS, configuration, webhook},
    admission_policies::{BINDINGS, POLICIES, merged, policy, validation},
    both::{Both, Step},
    definition::GROUP,
};

/// The rules that an object breaks, in the order of their ids, and the object.
type Case = (&'static [&'static str], Value);

/// Returns a rule for all writes of widgets, with these changes.
fn rule(changes: &Value) -> Value {
    let rule = json!({ "apiGroups": [GROUP], "apiVersions": ["v1"], "operations": ["*"], "resources": ["widgets"] });
    json!({ "rules": [merged(rule, changes)] })
}

/// Returns match conditions with these expressions.
fn conditions(expressions: &[&str]) -> Value {
    let conditions =
        expressions.iter().enumerate().map(|(index, it)| json!({ "name": format!("c{index}"), "expression": it }));
    json!({ "matchConditions": conditions.collect::<Value>() })
}

/// Returns match conditions with these names, which always hold.
fn named_conditions(names: &[&str]) -> Value {
    let conditions = names.iter().map(|name| json!({ "name": name, "expression": " true" }));
    json!({ "matchConditions": conditions.collect::<Value>() })
}

fn url(url: &str) -> Value {
    json!({ "clientConfig": { "url": url } })
}

fn service(service: &Value) -> Value {
    json!({ "clientConfig": { "service": service } })
}

/// Returns changes of a webhook.
fn webhooks() -> Vec<Case> {
    vec![
        (&[], json!({})),
        (&["H1"], json!({ "name": "a.b" })),
        (&["H1"], json!({ "name": "" })),
        (&["H1"], json!({ "name": "A.b.c" })),
        (&["H2"], json!({ "timeoutSeconds": 31 })),
        (&["H2"], json!({ "timeoutSeconds": 0 })),
        (&["H4"], json!({ "clientConfig": {} })),
        (&["H4"], json!({ "clientConfig": { "url": "https://h", "service": { "name": "a", "namespace": "b" } } })),
        (&["H5"], url("http://127.0.0.1:1/x")),
        (&["H5"], url("https://127.0.0.1:1/x?y=z")),
        (&["H5"], url("https://u@h/#x")),
        (&["H6"], service(&json!({ "name": "", "namespace": "" }))),
        (&["H6"], service(&json!({ "name": "a", "namespace": "b", "port": 70000, "path": "/a//B" }))),
        (&["H7"], json!({ "sideEffects": "Some" })),
        (&["H7"], json!({ "sideEffects": null })),
        (&["H8"], json!({ "failurePolicy": "Retry", "matchPolicy": "Like" })),
        (&["H9"], json!({ "admissionReviewVersions": [] })),
        (&["H9"], json!({ "admissionReviewVersions": ["v3"] })),
        (&["H9"], json!({ "admissionReviewVersions": ["v1", "v1", "V2"] })),
        (&["H10", "H11", "H12"], json!({ "rules": [{}] })),
        (&["H10", "H13"], rule(&json!({ "operations": ["*", "READ"], "scope": "All" }))),
        (&["H11"], rule(&json!({ "apiGroups": ["*", ""], "apiVersions": ["", "v1"] }))),
        (&["H12"], rule(&json!({ "resources": ["pods/*", "pods/status", "*/scale", "nodes/scale", "", "*/*"] }))),
        (&["H12"], rule(&json!({ "resources": ["*", "pods"] }))),
        (&["H14"], json!({ "namespaceSelector": { "matchLabels": { "a b": "c d" } } })),
        (
            &["H14"],
            json!({ "objectSelector": { "matchExpressions": [
            { "key": "a", "operator": "In" },
            { "key": "", "operator": "Exists", "values": ["x", "y z"] },
            { "key": "b", "operator": "Equals", "values": ["x"] },
        ] } }),
        ),
        (&["H15"], conditions(&["true"; 65])),
        (&["H16"], named_conditions(&["", "a b"])),
        (&["H16"], named_conditions(&["a", "a"])),
        (&["H17"], json!({ "matchConditions": [{ "name": "a", "expression": "" }] })),
        (
            &["H17"],
            conditions(&["object.spec.x == 1", "request.verb == ''", "object ==", "request.name", "1 + 'a' == 2"]),
        ),
        (&["H17"], conditions(&["params.x", "self.x", "variables.x", "namespaceObject.metadata.labels['a'] == 'b'"])),
        (&[], conditions(&["authorizer.group('apps').resource('deployments').check('create').allowed()"])),
        (
            &["H17"],
            conditions(&[
                "authorizer.requestResource.check('custom').reason()",
                "oldObject == null || object.x in [1, 2]",
            ]),
        ),
        (
            &["H17"],
            conditions(&[
                "request.userInfo.extra['a'].exists(it, it == 'b')",
                "request.options.x && request.kind.group.x",
            ]),
        ),
    ]
}

fn configurations() -> Vec<Case> {
    let configuration = |name: &str, webhooks| configuration("ValidatingWebhookConfiguration", name, webhooks);
    let any = |rest| {
        let of_all_namespaces = json!({ "namespaceSelector": {} });
        webhook("any", "https://127.0.0.1:1/x".to_owned(), merged(of_all_namespaces, &rest))
    };
    let mut cases: Vec<Case> = webhooks()
        .into_iter()
        .map(|(rules, rest)| (rules, configuration("webhook-configurations", vec![any(rest)])))
        .collect();
    cases.push((&["H3"], configuration("webhook-configurations", vec![any(json!({})), any(json!({}))])));
    cases.push((&["H18"], configuration("Webhooks", vec![any(json!({}))])));
    cases
}

/// Returns changes of the specification of a policy.
fn policy_specs() -> Vec<Case> {
    let none = json!({});
    let with = |rest: Value| merged(validation("true", &json!({})), &rest);
    vec![
        (&["H22"], json!({})),
        (&["H22"], json!({ "validations": [] })),
        (&["H23"], validation("", &none)),
        (&["H23"], validation("object.spec.x", &none)),
        (&["H24"], validation("true", &json!({ "message": " " }))),
        (&["H24"], validation("true", &json!({ "message": "a\nb" }))),
        (&["H25"], validation("true", &json!({ "messageExpression": " " }))),
        (&["H23", "H25"], validation("request.verb == ''", &json!({ "messageExpression": "1" }))),
        (&["H25"], validation("true", &json!({ "messageExpression": "authorizer.path('/').check('get').reason()" }))),
        (&["H23"], validation("params.x == 1", &json!({ "messageExpression": "'a' + object.x" }))),
        (&["H26"], validation("true", &json!({ "reason": "Other" }))),
        (&["H19"], with(json!({ "matchConstraints": null }))),
        (&["H19"], with(json!({ "matchConstraints": { "resourceRules": [] } }))),
        (
            &["H27", "H28"],
            json!({ "auditAnnotations": [
            { "key": "a", "valueExpression": "" },
            { "key": "a", "valueExpression": "'a'" },
        ] }),
        ),
        (
            &["H27", "H28"],
            json!({ "auditAnnotations": [
            { "key": "a b", "valueExpression": "1" },
            { "key": "b", "valueExpression": "null" },
        ] }),
        ),
        (
            &[],
            merged(
                validation("params.x == 1", &none),
                &json!({ "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" } }),
            ),
        ),
        (
            &["H21", "H23"],
            merged(
                validation("variables.a > 1 && variables.b", &none),
                &json!({ "variables": [
                { "name": "a", "expression": "request.name" },
                { "name": "b", "expression": "variables.a == 'x'" },
                { "name": "if", "expression": "" },
                { "name": "", "expression": "true" },
                { "name": "c", "expression": "request.x" },
            ] }),
            ),
        ),
        (
            &["H23"],
            merged(
                validation("variables.missing", &none),
                &json!({ "variables": [{ "name": "a", "expression": "1" }] }),
            ),
        ),
        (
            &["H20"],
            with(json!({ "matchConstraints": { "resourceRules": [{
            "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"],
            "resourceNames": ["a/b", "c", "c"],
        }] } })),
        ),
    ]
}

fn policies(namespace: &str) -> Vec<Case> {
    let of_spec = |(rules, spec): Case| {
        let [object, _] = policy(namespace, "a", &spec, &json!({}));
        (rules, object)
    };
    policy_specs().into_iter().map(of_spec).collect()
}

fn bindings(namespace: &str) -> Vec<Case> {
    let specs: Vec<Case> = vec![
        (&["H29"], json!({ "policyName": "" })),
        (&["H29"], json!({ "policyName": "A" })),
        (&["H30"], json!({ "paramRef": {} })),
        (&["H30"], json!({ "paramRef": { "name": "a", "selector": {}, "parameterNotFoundAction": "Deny" } })),
        (&["H30"], json!({ "paramRef": { "name": "a" } })),
        (&["H30"], json!({ "paramRef": { "name": "..", "parameterNotFoundAction": "Ignore" } })),
        (&["H31"], json!({ "validationActions": [] })),
        (&["H31"], json!({ "validationActions": ["Refuse"] })),
        (&["H31"], json!({ "validationActions": ["Deny", "Warn"] })),
        (&["H31"], json!({ "validationActions": ["Deny", "Deny"] })),
        (&["H14"], json!({ "matchResources": { "objectSelector": { "matchLabels": { "a": "b c" } } } })),
    ];
    let of_spec = |(rules, spec): Case| {
        let [_, object] = policy(namespace, "a", &json!({}), &spec);
        (rules, object)
    };
    specs.into_iter().map(of_spec).collect()
}

/// Returns changes of the specification of a policy that mutates.
fn mutating_policy_specs() -> Vec<Case> {
    let json_patch = |expression: &str| json!({ "patchType": "JSONPatch", "jsonPatch": { "expression": expression } });
    let applied = |expression: &str| json!({ "patchType": "ApplyConfiguration", "applyConfiguration": { "expression": expression } });
    let mutations = |mutation: Value| json!({ "mutations": [mutation] });
    let valid = || json_patch("[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]");
    vec![
        (&[], mutations(valid())),
        (&[], mutations(applied("Object{metadata: Object.metadata{labels: {'a': 'b'}}}"))),
        (&["H35"], json!({ "mutations": [] })),
        (&["H35"], mutations(json!({ "patchType": "Strategic" }))),
        (&["H35"], mutations(json!({ "patchType": "JSONPatch" }))),
        (&["H35"], mutations(json_patch(" "))),
        (&["H35"], mutations(json_patch("[JSONPatch{op:"))),
        (
            &[],
            mutations(json_patch("object.metadata.name == 'a' ? [] : [JSONPatch{op: 'remove', path: '/a', from: ''}]")),
        ),
        (
            &[],
            mutations(json_patch(
                "[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('a/b'), value: Object.a{}}]",
            )),
        ),
        (&["H35"], mutations(json_patch("[]"))),
        (&["H35"], mutations(json_patch("JSONPatch{op: 'remove', path: '/a'}"))),
        (&["H35"], mutations(json_patch("[JSONPatch{op: 1, path: '/a'}]"))),
        (&["H35"], mutations(json_patch("[JsonPatch{op: 'remove', path: '/a'}]"))),
        (&["H35"], mutations(json_patch("[JSONPatch{op: 'add', path: jsonpatch.escapeKey(1)}]"))),
        (&["H35"], mutations(json_patch("[JSONPatch{op: 'add', path: self.a}]"))),
        (&["H35"], mutations(json_patch("[{'op': 'remove', 'path': '/a'}]"))),
        (&[], mutations(applied("Object{}"))),
        (&[], mutations(applied("has(object.a) ? Object{} : Object{spec: Object.spec{a: [Object.spec.a{b: 1}]}}"))),
        (&[], mutations(applied("Object{spec: Object.spec{a: 1}.a}"))),
        (&["H35"], mutations(applied("Object.spec{}"))),
        (&["H35"], mutations(applied("object"))),
        (&["H35"], mutations(applied("{'spec': 1}"))),
        (&["H35"], mutations(applied("Objects{}"))),
        (&["H35"], mutations(applied("Object{} == Object.spec{}"))),
        (&["H35"], mutations(applied("has(object.a) ? Object{} : Object.spec{}"))),
        // The types of patches are those of mutations only.
        (&["H21"], merged(mutations(valid()), &json!({ "variables": [{ "name": "a", "expression": "Object{}" }] }))),
        (&["H17"], merged(mutations(valid()), &conditions(&["Object{} == Object{}"]))),
        (
            &[],
            merged(
                mutations(json_patch("[JSONPatch{op: 'add', path: variables.path, value: variables.path}]")),
                &json!({ "variables": [{ "name": "path", "expression": "'/metadata/' + object.metadata.name" }] }),
            ),
        ),
        (&["H35"], mutations(merged(valid(), &json!({ "applyConfiguration": { "expression": "Object{}" } })))),
        (&["H8"], merged(mutations(valid()), &json!({ "reinvocationPolicy": "Always" }))),
        (&["H8"], merged(mutations(valid()), &json!({ "reinvocationPolicy": null }))),
        (&["H8"], merged(mutations(valid()), &json!({ "failurePolicy": "Retry" }))),
        (&["H19"], merged(mutations(valid()), &json!({ "matchConstraints": null }))),
        (&["H34"], merged(mutations(valid()), &json!({ "paramKind": { "apiVersion": "v1", "kind": "" } }))),
        (&["H21"], merged(mutations(valid()), &json!({ "variables": [{ "name": "a", "expression": "request.x" }] }))),
        (&["H17"], merged(mutations(valid()), &conditions(&["request.verb == ''"]))),
        (
            &["H10"],
            merged(
                mutations(valid()),
                &json!({ "matchConstraints": { "resourceRules": [{
                    "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "DELETE"], "resources": ["pods"],
                }] } }),
            ),
        ),
    ]
}

/// Returns the changed policy, or binding, as one that mutates.
fn mutating(mut object: Value) -> Value {
    let kind = object["kind"].as_str().unwrap_or_default().replace("Validating", "Mutating");
    object["kind"] = kind.into();
    if let Some(spec) = object["spec"].as_object_mut() {
        spec.remove("validationActions");
    }
    object
}

fn mutating_policies(namespace: &str) -> Vec<Case> {
    let of_spec = |(rules, spec): Case| {
        let spec = merged(json!({ "reinvocationPolicy": "Never" }), &spec);
        let [object, _] = policy(namespace, "a", &spec, &json!({}));
        (rules, mutating(object))
    };
    mutating_policy_specs().into_iter().map(of_spec).collect()
}

fn mutating_bindings(namespace: &str) -> Vec<Case> {
    let specs: Vec<Case> = vec![
        (&[], json!({})),
        (&["H29"], json!({ "policyName": "" })),
        (&["H30"], json!({ "paramRef": {} })),
        (
            &["H10"],
            json!({ "matchResources": { "resourceRules": [{
                "apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["pods"],
            }] } }),
        ),
    ];
    let of_spec = |(rules, spec): Case| {
        let [_, object] = policy(namespace, "a", &json!({}), &spec);
        (rules, mutating(object))
    };
    specs.into_iter().map(of_spec).collect()
}

/// Returns objects whose fields or metadata are wrong, and some that are valid.
fn decoded(namespace: &str) -> Vec<Case> {
    let any = |rest| {
        let of_all_namespaces = json!({ "namespaceSelector": {} });
        webhook("any", "https://127.0.0.1:1/x".to_owned(), merged(of_all_namespaces, &rest))
    };
    let webhook_with = |rest| configuration("ValidatingWebhookConfiguration", "strict-configurations", vec![any(rest)]);
    let policy_with =
        |rest: Value| policy(namespace, "a", &merged(validation("true", &json!({})), &rest), &json!({}))[0].clone();
    let with_metadata = |rest: Value| {
        let mut object = webhook_with(json!({}));
        object["metadata"] = merged(object["metadata"].clone(), &rest);
        object
    };
    let mut with_unknown = webhook_with(json!({}));
    with_unknown["webhook"] = json!([]);
    vec![
        (&["H32"], with_unknown),
        (&["H32"], webhook_with(json!({ "timeout": 3 }))),
        (&["H32"], webhook_with(json!({ "reinvocationPolicy": "Never" }))),
        (&["H32"], webhook_with(json!({ "timeoutSeconds": "3" }))),
        (&["H32"], webhook_with(json!({ "timeoutSeconds": 1.5 }))),
        (&["H32"], webhook_with(json!({ "rules": { "operations": ["*"] } }))),
        (&["H32"], rule_with(&webhook_with, json!({ "operations": "*" }))),
        (&["H32"], rule_with(&webhook_with, json!({ "resourceNames": ["a"] }))),
        (
            &["H32"],
            webhook_with(json!({ "clientConfig": { "service": { "name": "a", "namespace": "b", "port": "443" } } })),
        ),
        (&["H32"], webhook_with(json!({ "objectSelector": { "labels": {} } }))),
        (&["H32"], webhook_with(json!({ "objectSelector": { "matchLabels": { "a": 1 } } }))),
        (&["H32"], policy_with(json!({ "paramKind": "ConfigMap" }))),
        (&["H32"], policy_with(json!({ "validations": [{ "expression": true }] }))),
        (&["H32"], policy_with(json!({ "validationActions": ["Deny"] }))),
        (&["H32"], with_metadata(json!({ "labels": { "a": true } }))),
        (&["H32"], with_metadata(json!({ "label": { "a": "b" } }))),
        (&["H33"], with_metadata(json!({ "labels": { "a b": "c" } }))),
        (&["H33"], with_metadata(json!({ "labels": { "a": "c d" } }))),
        (&["H33"], with_metadata(json!({ "annotations": { "a b": "c" } }))),
        (&[], with_metadata(json!({ "annotations": { "a": "any text" }, "labels": { "a": "b" } }))),
        (&[], with_metadata(json!({ "name": null, "generateName": "webhooks-" }))),
        (&["H18"], with_metadata(json!({ "name": null, "generateName": "Webhooks-" }))),
        (&["H18"], with_metadata(json!({ "name": null }))),
        (&["H34"], policy_with(json!({ "paramKind": { "apiVersion": "", "kind": "ConfigMap" } }))),
        (&["H34"], policy_with(json!({ "paramKind": { "apiVersion": "a/b/c", "kind": "ConfigMap" } }))),
        (&["H34"], policy_with(json!({ "paramKind": { "apiVersion": "example.com/", "kind": "ConfigMap" } }))),
        (&["H34"], policy_with(json!({ "paramKind": { "apiVersion": "Example/V1", "kind": "Config Map" } }))),
        (&["H34"], policy_with(json!({ "paramKind": { "apiVersion": "v1" } }))),
    ]
}

/// Returns a configuration whose webhook has this rule.
fn rule_with(configuration: &dyn Fn(Value) -> Value, changes: Value) -> Value {
    configuration(rule(&changes))
}

/// Compares the verdicts of both servers.
async fn compare(both: &mut Both, path: &str, cases: Vec<Case>) {
    let mut differences = Vec::new();
    for (_, object) in cases {
        let step = Step::new("POST", format!("{path}?dryRun=All"), object);
        differences.extend(both.send(&step).await.map(|it| it.to_string()));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[tokio::test]
async fn configurations_are_validated() {
    let Some(mut both) = Both::with_namespace("webhook-configurations").await else { return };
    compare(&mut both, &format!("{CONFIGURATIONS}/validatingwebhookconfigurations"), configurations()).await;
}

#[tokio::test]
async fn policies_are_validated() {
    let namespace = "invalid-policies";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    compare(&mut both, POLICIES, policies(namespace)).await;
    compare(&mut both, BINDINGS, bindings(namespace)).await;
}

#[tokio::test]
async fn mutating_policies_are_validated() {
    let namespace = "invalid-mutations";
    let Some(mut both) = Both::with_namespace(namespace).await else { return };
    let path = |kind: &str| POLICIES.replace("validatingadmissionpolicies", kind);
    compare(&mut both, &path("mutatingadmissionpolicies"), mutating_policies(namespace)).await;
    compare(&mut both, &path("mutatingadmissionpolicybindings"), mutating_bindings(namespace)).await;
}

/// The real server refuses the same objects, with strict validation of fields as by kubectl.
#[tokio::test]
async fn fields_and_metadata_are_validated() {
    let Some(plane) = ControlPlane::shared() else { return };
    for (rules, object) in decoded("strict-policies") {
        let plural = match object["kind"].as_str() {
            Some("ValidatingAdmissionPolicy") => "validatingadmissionpolicies",
            _ => "validatingwebhookconfigurations",
        };
        let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}?dryRun=All&fieldValidation=Strict");
        let answer = plane.raw(Request::post(path, object.clone())).await;
        assert_eq!(answer.is_success(), rules.is_empty(), "{object}\n{}", answer.body);
    }
}

#[test]
fn each_rule_has_cases() {
    let cases =
        [configurations(), policies("a"), bindings("a"), mutating_policies("a"), mutating_bindings("a"), decoded("a")]
            .concat();
    let mut reached = BTreeSet::new();
    for (rules, object) in cases {
        let violations = validate_admission(&object);
        let broken: BTreeSet<_> = violations.iter().map(|it| it.rule).collect();
        assert_eq!(broken, rules.iter().copied().collect(), "{object}\n{violations:?}");
        reached.extend(broken);
    }
    assert_eq!(reached, RULES.iter().map(|rule| rule.id).collect());
}
