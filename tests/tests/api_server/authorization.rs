//! Authorization by roles, and the reviews of permissions.

use crdkit_api_server::ApiServer;
use serde_json::{Value, json};

use crate::{
    both::{Both, Step},
    definition::{GROUP, definition, widgets},
    example::get,
};

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1";
const MERGE: &str = "application/merge-patch+json";
// The roles of the cluster are those of all tests.
const JANE: &str = "jane";
const ANNA: &str = "anna";
const MARY: &str = "mary";

fn object(kind: &str, name: &str, rest: Value) -> Value {
    let mut object =
        json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": { "name": name } });
    for (member, value) in rest.as_object().into_iter().flatten() {
        object[member] = value.clone();
    }
    object
}

fn role(kind: &str, name: &str, rules: Value) -> Value {
    object(kind, name, json!({ "rules": rules }))
}

fn binding(kind: &str, name: &str, role: (&str, &str), subjects: Value) -> Value {
    let role = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": role.0, "name": role.1 });
    object(kind, name, json!({ "roleRef": role, "subjects": subjects }))
}

fn user(name: &str) -> Value {
    json!([{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name }])
}

fn widget(name: &str) -> Value {
    json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name }, "spec": { "zone": "a" } })
}

/// The real server reads its bindings in random order.
fn sort_rules(response: &mut Value) {
    for name in ["resourceRules", "nonResourceRules"] {
        if let Some(Value::Array(rules)) = response.pointer_mut(&format!("/body/status/{name}")) {
            rules.sort_by_key(ToString::to_string);
        }
    }
}

async fn compare(namespace: &str, steps: impl Fn(&str) -> Vec<Step>) {
    let server = ApiServer::new().with_rbac();
    let Some(mut both) = Both::with_server(&server, namespace, &[definition()]).await else { return };
    let mut differences = Vec::new();
    for step in steps(&both.namespace.clone()) {
        differences.extend(both.send_eventually(&step, sort_rules).await.map(|it| it.to_string()));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[tokio::test]
async fn requests_need_permissions() {
    compare("requests-need-permissions", |namespace| {
        let path = widgets(namespace);
        let roles = format!("{ROLES}/namespaces/{namespace}/roles");
        let bindings = format!("{ROLES}/namespaces/{namespace}/rolebindings");
        let account = format!("system:serviceaccount:{namespace}:robot").leak();
        let rules = json!([
            { "apiGroups": [GROUP], "resources": ["widgets"], "verbs": ["get", "list", "create"] },
            { "apiGroups": [GROUP], "resources": ["widgets"], "resourceNames": ["b"], "verbs": ["update", "patch"] },
            { "apiGroups": [GROUP], "resources": ["*/status"], "verbs": ["*"] },
        ]);
        let apply = "application/apply-patch+yaml";
        vec![
            get(&path).by(JANE),
            get(format!("{path}/a")).by(JANE),
            get("/api/v1/namespaces").by(JANE),
            get(format!("/api/v1/namespaces/{namespace}")).by(JANE),
            get("/healthz").by(JANE),
            get("/unknown").by(JANE),
            get("/apis/unknown.example.com/v1/things").by(JANE),
            Step::new("POST", &path, widget("a")).by(JANE),
            Step::new("DELETE", &path, Value::Null).by(JANE),
            Step::new("POST", &roles, role("Role", "editor", rules)),
            Step::new("POST", &bindings, binding("RoleBinding", "jane", ("Role", "editor"), user(JANE))),
            Step::new(
                "POST",
                &bindings,
                binding(
                    "RoleBinding",
                    "robot",
                    ("Role", "editor"),
                    json!([{ "kind": "ServiceAccount", "name": "robot", "namespace": namespace }]),
                ),
            ),
            get(&path).by(JANE),
            get(format!("{path}?watch=1&timeoutSeconds=1")).by(JANE),
            get(format!("{path}?fieldSelector=metadata.name%3Da&watch=1&timeoutSeconds=1")).by(JANE),
            Step::new("POST", &path, widget("a")).by(JANE),
            Step::new("POST", &path, widget("b")).by(account),
            Step::new("DELETE", format!("{path}/a"), Value::Null).by(JANE),
            Step::new("PATCH", format!("{path}/a"), json!({ "spec": { "zone": "b" } })).of_type(MERGE).by(JANE),
            Step::new("PATCH", format!("{path}/b"), json!({ "spec": { "zone": "b" } })).of_type(MERGE).by(JANE),
            Step::new("PATCH", format!("{path}/a/status"), json!({ "status": {} })).of_type(MERGE).by(JANE),
            get(format!("{path}/a/scale")).by(JANE),
            Step::new("PATCH", format!("{path}/b?fieldManager=x"), widget("b")).of_type(apply).by("somebody"),
            Step::new("POST", &bindings, binding("RoleBinding", "gone", ("ClusterRole", "gone"), user("paul"))),
            get(&path).by("paul"),
            Step::new("POST", &bindings, binding("RoleBinding", "gone2", ("Role", "gone"), user("paul"))),
            get(&path).by("paul"),
            get(&path).by("system:anonymous"),
            get("/healthz").by("system:anonymous"),
        ]
    })
    .await;
}

#[tokio::test]
async fn users_cannot_grant_more_than_they_have() {
    compare("escalation", |namespace| {
        let roles = format!("{ROLES}/namespaces/{namespace}/roles");
        let bindings = format!("{ROLES}/namespaces/{namespace}/rolebindings");
        let cluster_roles = format!("{ROLES}/clusterroles");
        let rbac = json!([
            { "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings", "clusterroles"], "verbs": ["create", "update", "patch", "get"] },
            { "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] },
        ]);
        let rule = |verbs: Value| json!([{ "apiGroups": [""], "resources": ["pods", "secrets"], "resourceNames": ["x"], "verbs": verbs }]);
        let put = |mut object: Value, path: &str| {
            let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            object["metadata"]["namespace"] = namespace.into();
            Step::new("PUT", format!("{path}/{name}"), object).by(ANNA)
        };
        let aggregated = object("ClusterRole", "escalation-sum", json!({ "aggregationRule": { "clusterRoleSelectors": [{ "matchLabels": { "a": "b" } }] } }));
        vec![
            Step::new("POST", &cluster_roles, role("ClusterRole", "escalation-rbac", rbac)),
            Step::new("POST", format!("{ROLES}/clusterrolebindings"), binding("ClusterRoleBinding", "escalation-anna", ("ClusterRole", "escalation-rbac"), user(ANNA))),
            Step::new("POST", &roles, role("Role", "pods", json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }]))).by(ANNA),
            Step::new("POST", &roles, role("Role", "more", rule(json!(["get", "delete"])))).by(ANNA),
            Step::new("POST", &roles, role("Role", "more", rule(json!(["get"])))),
            put(role("Role", "more", rule(json!(["get", "list", "watch"]))), &roles),
            Step::new("PATCH", format!("{roles}/more"), json!({ "metadata": { "finalizers": ["a.example.com/b"] } })).of_type(MERGE).by(ANNA),
            Step::new("PATCH", format!("{roles}/more"), json!({ "metadata": { "labels": { "a": "b" } } })).of_type(MERGE).by(ANNA),
            Step::new("POST", &bindings, binding("RoleBinding", "b", ("Role", "more"), user("paul"))).by(ANNA),
            Step::new("POST", &bindings, binding("RoleBinding", "b", ("Role", "pods"), user("paul"))).by(ANNA),
            Step::new("POST", &bindings, binding("RoleBinding", "c", ("Role", "gone"), user("paul"))).by(ANNA),
            Step::new("POST", &bindings, binding("RoleBinding", "c", ("ClusterRole", "cluster-admin"), user("paul"))).by(ANNA),
            Step::new("POST", &cluster_roles, role("ClusterRole", "escalation-urls", json!([{ "nonResourceURLs": ["/metrics", "/version"], "verbs": ["get"] }]))).by(ANNA),
            Step::new("POST", &cluster_roles, aggregated).by(ANNA),
        ]
    })
    .await;
}

#[tokio::test]
async fn reviews() {
    compare("reviews", |namespace| {
        let review = |kind: &str, spec: Value| {
            json!({ "apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec })
        };
        let own = |spec: Value| {
            Step::new("POST", format!("{REVIEWS}/selfsubjectaccessreviews"), review("SelfSubjectAccessReview", spec))
        };
        let of = |spec: Value| {
            Step::new("POST", format!("{REVIEWS}/subjectaccessreviews"), review("SubjectAccessReview", spec))
        };
        let local = |spec: Value| {
            let path = format!("{REVIEWS}/namespaces/{namespace}/localsubjectaccessreviews");
            Step::new("POST", path, review("LocalSubjectAccessReview", spec))
        };
        let pods = json!({ "verb": "list", "resource": "pods", "namespace": namespace });
        let path = json!({ "verb": "get", "path": "/api" });
        let who = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview" });
        let bindings = format!("{ROLES}/namespaces/{namespace}/rolebindings");
        let reader = json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["list"] }]);
        vec![
            Step::new("POST", format!("{ROLES}/clusterroles"), role("ClusterRole", "reviews-reader", reader)),
            Step::new("POST", &bindings, binding("RoleBinding", "jane", ("ClusterRole", "reviews-reader"), user(MARY))),
            own(json!({ "resourceAttributes": pods })),
            own(json!({ "resourceAttributes": pods })).by(MARY),
            own(json!({ "resourceAttributes": { "verb": "get", "resource": "pods", "subresource": "log" } })).by(MARY),
            own(json!({ "nonResourceAttributes": path })).by(MARY),
            own(json!({})).by(MARY),
            own(json!({ "resourceAttributes": pods, "nonResourceAttributes": path })),
            of(json!({ "resourceAttributes": pods, "user": MARY })),
            of(json!({ "resourceAttributes": pods, "user": "paul", "groups": ["system:masters"] })),
            of(json!({ "resourceAttributes": pods })),
            of(json!({ "resourceAttributes": pods, "user": MARY })).by(MARY),
            local(json!({ "resourceAttributes": pods, "user": MARY })),
            local(json!({ "resourceAttributes": { "verb": "get", "resource": "pods", "namespace": "other" }, "user": MARY })),
            Step::new("POST", format!("{REVIEWS}/selfsubjectrulesreviews"), review("SelfSubjectRulesReview", json!({ "namespace": namespace }))).by(MARY),
            Step::new("POST", format!("{REVIEWS}/selfsubjectrulesreviews"), review("SelfSubjectRulesReview", json!({}))).by(MARY),
            Step::new("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", who.clone()),
            Step::new("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", who).by(MARY),
            get(format!("{REVIEWS}/subjectaccessreviews")),
        ]
    })
    .await;
}
