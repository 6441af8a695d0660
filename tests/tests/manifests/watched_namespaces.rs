//! Operators that are limited to namespaces, by a value of their chart or in all forms.

use std::path::Path;

use super::*;

const LEASE_ROLE: &str = "vm-system/vm-operator";

fn operator(directory: &Path) -> Operator {
    let controller = Controller::of::<VirtualMachine>().owns::<Pod>().reconcile(reconcile);
    let manager = Manager::new(Client::offline()).namespaces_from_env().leader_election(NAME).add(controller);
    Operator::new(NAME, NAMESPACE).version("1.2.0").rbac(manager.rbac()).directory(directory)
}

fn project_of(operator: Operator, directory: &Path) -> Project {
    let project = Project::new(Crds::new().add::<At>().directory(directory.join("crds"))).operator(operator);
    project.write().unwrap();
    project
}

/// Returns the objects of a kind: namespace and name.
fn names(objects: &[Value], kind: &str) -> Vec<String> {
    let of_kind = objects.iter().filter(|object| object["kind"] == kind);
    let mut names: Vec<_> = of_kind
        .map(|object| {
            let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
            format!("{}/{}", text("namespace"), text("name"))
        })
        .collect();
    names.sort();
    names
}

fn is_limited(objects: &[Value]) -> bool {
    !names(objects, "ClusterRole").contains(&"/vm-operator".to_owned())
}

fn environment(objects: &[Value]) -> Vec<(String, String)> {
    let deployment = objects.iter().find(|object| object["kind"] == "Deployment").unwrap();
    let env = deployment["spec"]["template"]["spec"]["containers"][0]["env"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    env.iter().map(|variable| (text(&variable["name"]), text(&variable["value"]))).collect()
}

/// The one of the program is among them, which has a Role for its Lease.
fn assert_limited(objects: &[Value]) {
    assert!(is_limited(objects));
    let roles = ["prod/vm-operator-watched", LEASE_ROLE, "vm-system/vm-operator-watched"];
    assert_eq!(
        (names(objects, "Role"), names(objects, "RoleBinding")),
        (roles.map(str::to_owned).into(), roles.map(str::to_owned).into())
    );
    for object in objects.iter().filter(|object| object["kind"] == "RoleBinding") {
        assert_eq!(object["subjects"][0]["namespace"], NAMESPACE);
        assert_eq!(object["roleRef"]["name"], object["metadata"]["name"]);
    }
    let role =
        objects.iter().find(|object| object["kind"] == "Role" && object["metadata"]["namespace"] == "prod").unwrap();
    assert!(role["rules"].to_string().contains("virtualmachines/finalizers"), "{role}");
    assert_eq!(environment(objects)[0], ("WATCH_NAMESPACE".to_owned(), "prod,vm-system".to_owned()));
}

#[test]
fn a_chart_has_a_value_for_them() {
    let Some(program) = program_of("tests/helm", ".", "helm-template") else { return };
    let directory = tempfile::tempdir().unwrap();
    let project = project_of(operator(directory.path()).env("RUST_LOG", "info"), directory.path());
    let render = |values: &[&str]| parse(&output(&mut helm(&program, directory.path(), NAMESPACE, values)));
    let all = render(&[]);
    assert!(!is_limited(&all));
    let installed = project.to_objects().unwrap();
    for kind in ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"] {
        assert_eq!(names(&all, kind), names(&installed, kind));
    }
    let info = ("RUST_LOG".to_owned(), "info".to_owned());
    assert_eq!((environment(&all), environment(&installed)), (vec![info.clone()], vec![info.clone()]));
    let limited = render(&["watchNamespaces={prod,vm-system}"]);
    assert_limited(&limited);
    assert_eq!(environment(&limited)[1..], [info]);
    // A name that YAML reads as a number.
    assert_eq!(names(&render(&["watchNamespaces={1}"]), "Role"), ["1/vm-operator-watched", LEASE_ROLE]);
}

#[test]
fn a_chart_needs_no_other_variables() {
    let Some(program) = program_of("tests/helm", ".", "helm-template") else { return };
    let directory = tempfile::tempdir().unwrap();
    let _ = project_of(operator(directory.path()), directory.path());
    let render = |values: &[&str]| parse(&output(&mut helm(&program, directory.path(), NAMESPACE, values)));
    assert_eq!(environment(&render(&[])), []);
    let prod = ("WATCH_NAMESPACE".to_owned(), "prod".to_owned());
    assert_eq!(environment(&render(&["watchNamespaces={prod}"])), [prod]);
}

#[test]
fn all_forms_can_have_them() {
    let directory = tempfile::tempdir().unwrap();
    let limited = operator(directory.path()).watch_namespaces(["prod", "vm-system"]);
    let project = project_of(limited, directory.path());
    assert_limited(&project.to_objects().unwrap());
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).unwrap();
    assert_limited(&parse(&read("install.yaml")));
    assert!(read("kustomize/rbac.yaml").contains("namespace: prod\n"));
    assert!(read("chart/values.yaml").contains("watchNamespaces:\n- prod\n- vm-system\n"));
    if let Some(program) = program_of("tests/helm", ".", "helm-template") {
        assert_limited(&parse(&output(&mut helm(&program, directory.path(), NAMESPACE, &[]))));
    }
}
