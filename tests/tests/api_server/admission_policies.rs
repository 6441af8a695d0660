//! ValidatingAdmissionPolicies.

use crdkit_api_server::ApiServer;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    definition::{GROUP, definition, widgets},
};

const GROUP_VERSION: &str = "admissionregistration.k8s.io/v1";
pub(crate) const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
pub(crate) const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const MERGE: &str = "application/merge-patch+json";

fn widget(name: &str, case: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name, "labels": { "case": case } },
        "spec": { "zone": "a", "replicas": 3 },
    })
}

pub(crate) fn merged(mut one: Value, other: &Value) -> Value {
    for (name, value) in other.as_object().into_iter().flatten() {
        one[name] = value.clone();
    }
    one
}

/// A policy for the widgets with the label `case`, with its binding in a namespace.
pub(crate) fn policy(namespace: &str, case: &str, spec: &Value, binding: &Value) -> [Value; 2] {
    let name = format!("{namespace}-{case}");
    let spec = merged(
        json!({ "matchConstraints": {
            "objectSelector": { "matchLabels": { "case": case } },
            "resourceRules": [{ "apiGroups": [GROUP], "apiVersions": ["v1"], "operations": ["*"], "resources": ["widgets"] }],
        } }),
        spec,
    );
    let binding = merged(
        json!({
            "policyName": name, "validationActions": ["Deny"],
            "matchResources": { "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": namespace } } },
        }),
        binding,
    );
    let object = |kind: &str, spec| json!({ "apiVersion": GROUP_VERSION, "kind": kind, "metadata": { "name": name }, "spec": spec });
    [object("ValidatingAdmissionPolicy", spec), object("ValidatingAdmissionPolicyBinding", binding)]
}

pub(crate) fn validation(expression: &str, rest: &Value) -> Value {
    json!({ "validations": [merged(json!({ "expression": expression }), rest)] })
}

#[tokio::test]
async fn policies_refuse_requests() {
    let namespace = "admission-policies";
    let Some(mut both) = Both::with_server(&ApiServer::new(), namespace, &[definition()]).await else { return };
    let config_maps = json!({ "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" } });
    let reference =
        |name: &str, action: &str| json!({ "paramRef": { "name": name, "parameterNotFoundAction": action } });
    let limited = merged(
        validation(
            "object.spec.replicas <= int(params.data.max)",
            &json!({ "messageExpression": "'at most ' + params.data.max" }),
        ),
        &config_maps,
    );
    let none = json!({});
    let rules = |rest: &Value| {
        let rule = json!({ "apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"] });
        let constraints = json!({ "resourceRules": [merged(rule, rest)], "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": namespace } } });
        merged(validation("false", &json!({})), &json!({ "matchConstraints": constraints }))
    };
    let cases = [
        ("plain", validation("object.spec.replicas < 2", &none), none.clone()),
        ("passes", validation("object.spec.replicas > 2 && oldObject == null", &none), none.clone()),
        ("message", validation("false", &json!({ "message": " too many ", "reason": "Forbidden" })), none.clone()),
        (
            "expression",
            validation(
                "false",
                &json!({ "message": "x", "messageExpression": "'replicas: ' + string(object.spec.replicas)" }),
            ),
            none.clone(),
        ),
        ("blank", validation("false", &json!({ "message": "fallback", "messageExpression": "' '" })), none.clone()),
        ("error", validation("object.spec.absent > 1", &none), none.clone()),
        (
            "ignored",
            merged(validation("object.spec.absent > 1", &none), &json!({ "failurePolicy": "Ignore" })),
            none.clone(),
        ),
        (
            "warn",
            validation("false", &json!({ "message": "careful" })),
            json!({ "validationActions": ["Warn", "Audit"] }),
        ),
        ("audit", validation("false", &none), json!({ "validationActions": ["Audit"] })),
        (
            "several",
            json!({ "validations": [{ "expression": "true" }, { "expression": "1 > 2", "message": "first" }, { "expression": "false", "message": "second" }] }),
            none.clone(),
        ),
        (
            "condition",
            merged(
                validation("false", &none),
                &json!({ "matchConditions": [{ "name": "a", "expression": "request.operation == 'DELETE'" }] }),
            ),
            none.clone(),
        ),
        (
            "condition-error",
            merged(
                validation("true", &none),
                &json!({ "matchConditions": [{ "name": "a", "expression": "object.spec.absent == 1" }] }),
            ),
            none.clone(),
        ),
        (
            "variables",
            merged(
                validation(
                    "variables.twice > 6 || !variables.has",
                    &json!({ "messageExpression": "'twice is ' + string(variables.twice)" }),
                ),
                &json!({ "variables": [{ "name": "count", "expression": "object.spec.replicas" }, { "name": "twice", "expression": "variables.count * 2" }, { "name": "has", "expression": "has(object.spec.zone)" }] }),
            ),
            none.clone(),
        ),
        (
            "broken-variable",
            merged(
                validation("variables.bad == 1", &none),
                &json!({ "variables": [{ "name": "bad", "expression": "object.spec.absent" }] }),
            ),
            none.clone(),
        ),
        (
            "presence-of-broken-variable",
            merged(
                validation("has(variables.bad)", &none),
                &json!({ "variables": [{ "name": "bad", "expression": "object.spec.absent" }] }),
            ),
            none.clone(),
        ),
        (
            "unused-variable",
            merged(
                validation("object.spec.replicas > 0 || variables.bad == 1", &none),
                &json!({ "variables": [{ "name": "bad", "expression": "object.spec.absent" }] }),
            ),
            none.clone(),
        ),
        (
            "authorizer",
            validation(
                "!authorizer.group('').resource('configmaps').namespace('a').check('create').allowed()\
                 || authorizer.requestResource.check('get').errored()",
                &none,
            ),
            none.clone(),
        ),
        (
            "too-expensive",
            validation(
                "authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('get').allowed()\
                 && authorizer.path('/c').check('get').allowed()",
                &none,
            ),
            none.clone(),
        ),
        (
            "out-of-budget",
            json!({ "validations": (0..20).map(|at| json!({
                "expression": format!(
                    "authorizer.path('/{at}').check('get').allowed() && authorizer.path('/b').check('get').allowed()"
                ),
            })).collect::<Vec<_>>() }),
            none.clone(),
        ),
        (
            "functions",
            validation(
                "[3, 1].sortBy(x, x)[0] == 3",
                &json!({ "messageExpression": "'%s of %.1f'.format([[3, 1].transformList(i, x, x + i), 1234.5])" }),
            ),
            none.clone(),
        ),
        (
            "namespace",
            validation(
                "namespaceObject.metadata.name != request.namespace",
                &json!({ "messageExpression": "request.userInfo.username + ' in ' + namespaceObject.metadata.name" }),
            ),
            none.clone(),
        ),
        ("params", limited.clone(), reference("limit", "Deny")),
        ("no-params", limited.clone(), reference("absent", "Deny")),
        ("allowed", limited.clone(), reference("absent", "Allow")),
        (
            "selected",
            limited,
            json!({ "paramRef": { "selector": { "matchLabels": { "limit": "yes" } }, "parameterNotFoundAction": "Deny" } }),
        ),
        (
            "annotation",
            json!({ "auditAnnotations": [{ "key": "a", "valueExpression": "'replicas ' + string(object.spec.replicas)" }] }),
            none.clone(),
        ),
        (
            "annotation-error",
            json!({ "auditAnnotations": [{ "key": "a", "valueExpression": "'a' + object.spec.absent" }] }),
            none.clone(),
        ),
        ("names", rules(&json!({ "resourceNames": ["named"] })), none.clone()),
        ("equivalent", rules(&json!({ "apiVersions": ["v2"], "resourceNames": ["equivalent"] })), none.clone()),
        (
            "deletion",
            merged(
                validation(
                    "oldObject.spec.replicas > 3",
                    &json!({ "messageExpression": "request.operation + (object == null ? ' of none' : '')" }),
                ),
                &json!({ "matchConstraints": {
                "objectSelector": { "matchLabels": { "case": "deletion" } },
                "resourceRules": [{ "apiGroups": [GROUP], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["widgets"] }],
            } }),
            ),
            none.clone(),
        ),
        // The last one, by which the others are known to be in effect.
        ("probe", validation("false", &json!({ "message": "probe" })), none.clone()),
    ];
    let map = |name: &str, max: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "labels": { "limit": "yes" } }, "data": { "max": max } });
    let maps = format!("/api/v1/namespaces/{namespace}/configmaps");
    let mut differences = Vec::new();
    for body in [map("limit", "2"), map("other", "5")] {
        differences.extend(both.send(&Step::new("POST", &maps, body)).await.map(|it| it.to_string()));
    }
    for (case, spec, binding) in &cases {
        let [policy, binding] = policy(namespace, case, spec, binding);
        for (path, body) in [(POLICIES, policy), (BINDINGS, binding)] {
            differences.extend(both.send(&Step::new("POST", path, body)).await.map(|it| it.to_string()));
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
    let path = widgets(namespace);
    let probe = Step::new("POST", format!("{path}?dryRun=All"), widget("probe", "probe"));
    differences.extend(both.send_eventually(&probe, |_| {}).await.map(|it| it.to_string()));
    let mut steps: Vec<_> =
        cases.iter().map(|(case, ..)| Step::new("POST", format!("{path}?dryRun=All"), widget(case, case))).collect();
    steps.extend([
        Step::new("POST", format!("{path}?dryRun=All"), widget("named", "other")),
        Step::new("POST", &path, widget("passes", "passes")),
        Step::new("PATCH", format!("{path}/passes"), json!({ "spec": { "replicas": 9 } })).of_type(MERGE),
        Step::new("POST", &path, widget("deletion", "deletion")),
        Step::new("DELETE", format!("{path}/deletion"), Value::Null),
    ]);
    for step in steps {
        differences.extend(both.send(&step).await.map(|it| it.to_string()));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
