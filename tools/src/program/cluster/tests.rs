use crdkit::{__internal::emit::style::Style, emit::Crds};
use crdkit_api_server::{ApiServer, PodState};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinitionVersion;

use super::{uninstall::remove_all, *};
use crate::{
    Operator,
    tests::{crd, crds},
};

const OPTIONS: Options = Options {
    has_admission: false,
    has_operator: false,
    allows_data_loss: false,
    is_dry_run: false,
    is_json: false,
    waits: true,
    timeout: Duration::from_secs(3),
};

/// Runs a command, and returns what it prints, or its error after it.
async fn run(work: impl AsyncFnOnce(&mut Program<'_>) -> Result<(), Failure>) -> Result<String, String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut program = Program { out: &mut out, err: &mut err, style: Style::PLAIN, more_commands: "" };
    let result = work(&mut program).await.map_err(|error| error.to_string());
    let out = String::from_utf8(out).unwrap();
    result.map(|()| out.clone()).map_err(|error| out + &error)
}

fn client(server: &ApiServer) -> Client {
    server.client().field_manager(FIELD_MANAGER)
}

fn at() -> String {
    "apiVersion: example.com/v1\nkind: At\nmetadata: { name: a, namespace: default }\n".to_owned()
}

#[tokio::test]
async fn definitions_are_installed_and_removed_unless_objects_are_lost() {
    let server = ApiServer::new();
    let client = client(&server);
    let install = async |set: &Project| run(async |it| install_definitions(it, set, &OPTIONS, &client).await).await;
    assert_eq!(install(&crds().into()).await.unwrap(), "created CustomResourceDefinition ats.example.com\n");
    assert_eq!(install(&crds().into()).await.unwrap(), "unchanged CustomResourceDefinition ats.example.com\n");
    let server = server.with_objects(&at());
    let mut other = crd("At", "ats");
    other.spec.scope = "Cluster".into();
    let refused = install(&Crds::new().add_crd("At", other).into()).await.unwrap_err();
    assert!(refused.contains("data would be lost") && refused.ends_with(HINT), "{refused}");

    let remove = async |options: Options| {
        let client = if options.is_dry_run { client.dry_run() } else { client.clone() };
        run(async |it| remove_all(it, &crds().into(), &options, &client).await).await
    };
    let refused = remove(OPTIONS).await.unwrap_err();
    assert!(refused.starts_with("nothing was removed, because there are objects of the kind At"), "{refused}");
    let tried = remove(Options { allows_data_loss: true, is_dry_run: true, ..OPTIONS }).await.unwrap();
    assert_eq!(tried, "would remove CustomResourceDefinition ats.example.com\n");
    let removed = remove(Options { allows_data_loss: true, is_json: true, ..OPTIONS }).await.unwrap();
    let expected = r#"{"action":"removed","kind":"CustomResourceDefinition","name":"ats.example.com"}"#;
    assert_eq!(removed, format!("{expected}\n"));
    assert_eq!(remove(OPTIONS).await.unwrap(), "the cluster has none of the definitions\n");
    drop(server);
}

async fn deploy(client: &Client, options: &Options) -> Result<String, String> {
    let project = Project::new(crds()).operator(Operator::new("at-operator", "at-system"));
    run(async |it| apply_all(it, &project, options, client).await).await
}

#[tokio::test]
async fn operators_are_deployed() {
    let server = ApiServer::new().with_workloads(PodState::usual);
    let client = client(&server);
    let first = deploy(&client, &OPTIONS).await.unwrap();
    let kinds = ["Namespace at-system", "ServiceAccount", "Service", "Deployment", "NetworkPolicy"];
    assert!(first.starts_with("created CustomResourceDefinition ats.example.com\n"), "{first}");
    assert!(kinds.iter().all(|kind| first.contains(&format!("created {kind}"))), "{first}");
    assert!(first.ends_with("\navailable Deployment at-system/at-operator\n"), "{first}");
    let again = deploy(&client, &Options { is_json: true, ..OPTIONS }).await.unwrap();
    let available = r#"{"action":"available","kind":"Deployment","name":"at-operator","namespace":"at-system"}"#;
    assert_eq!(again.lines().last(), Some(available), "{again}");
    let nothing = run(async |it| apply_all(it, &crds().into(), &OPTIONS, &client).await).await.unwrap_err();
    assert!(nothing.contains("`Project::operator`"), "{nothing}");
}

#[tokio::test]
async fn operators_are_removed_after_their_definitions() {
    let server = ApiServer::new().with_workloads(PodState::usual);
    let client = client(&server);
    let created = deploy(&client, &OPTIONS).await.unwrap();
    let project = Project::new(crds()).operator(Operator::new("at-operator", "at-system"));
    let remove = async |options: Options| {
        let client = if options.is_dry_run { client.dry_run() } else { client.clone() };
        run(async |it| remove_all(it, &project, &options, &client).await).await
    };
    let kept = remove(Options { is_dry_run: true, ..OPTIONS }).await.unwrap();
    assert!(kept.ends_with("\nobjects of the operator are left; `--operator` removes them too\n"), "{kept}");
    let removed = remove(Options { has_operator: true, ..OPTIONS }).await.unwrap();
    assert!(removed.starts_with("removed CustomResourceDefinition ats.example.com\n"), "{removed}");
    let created = created.lines().filter_map(|line| line.strip_prefix("created "));
    for object in created.filter(|object| *object != "Namespace at-system") {
        assert!(removed.contains(&format!("removed {object}\n")), "{object} is not in {removed}");
    }
    assert!(removed.contains("`kubectl delete namespace at-system`"), "{removed}");
    let again = remove(Options { has_operator: true, is_json: true, ..OPTIONS }).await.unwrap();
    assert_eq!(again, "");
    let nothing =
        run(async |it| remove_all(it, &crds().into(), &Options { has_operator: true, ..OPTIONS }, &client).await).await;
    assert!(nothing.unwrap_err().contains("`Project::operator`"));
}

#[tokio::test]
async fn definitions_that_are_not_served_are_not_removed() {
    let server = ApiServer::new();
    let client = client(&server);
    let mut crd = crd("At", "ats");
    crd.spec.versions[0].served = false;
    client.resources().create(&crd).await.unwrap();
    let remove = async |options: Options| run(async |it| remove_all(it, &crds().into(), &options, &client).await).await;
    let refused = remove(OPTIONS).await.unwrap_err();
    assert!(refused.contains("no version of the kind At is served") && refused.ends_with(HINT), "{refused}");
    assert!(remove(Options { allows_data_loss: true, ..OPTIONS }).await.is_ok());
}

#[test]
fn objects_are_read_in_the_version_of_storage() {
    let mut crd = crd("At", "ats");
    let version = |name: &str, served, storage| {
        let version = crd.spec.versions[0].clone();
        CustomResourceDefinitionVersion { name: name.into(), served, storage, ..version }
    };
    let all = [version("v2", true, false), version("v1", true, true), version("v3", false, false)];
    let mut kind = |versions: &[CustomResourceDefinitionVersion]| {
        crd.spec.versions = versions.to_vec();
        served_kind(&crd).map(|kind| kind.version)
    };
    assert_eq!(kind(&all).as_deref(), Some("v1"));
    assert_eq!(kind(&[all[2].clone(), all[0].clone()]).as_deref(), Some("v2"));
    assert_eq!(kind(&all[2..]), None);
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_does_not_start_is_an_error_with_the_reason() {
    let server = ApiServer::new().with_workloads(|_| PodState::Running);
    let error = deploy(&client(&server), &OPTIONS).await.unwrap_err();
    let waiting = "waiting for Deployment at-system/at-operator: 0 of 2 replicas are available";
    assert_eq!(error.matches(waiting).count(), 1, "{error}");
    let reason = "\nDeployment at-system/at-operator is not available: 0 of 2 replicas are available after 3 s\n";
    assert!(error.contains(reason), "{error}");
    assert!(error.ends_with("`--timeout SECONDS` waits longer, `--no-wait` not at all."), "{error}");

    let not_waiting = deploy(&client(&server), &Options { waits: false, ..OPTIONS }).await.unwrap();
    assert!(!not_waiting.contains("waiting"), "{not_waiting}");
}

#[test]
fn options_are_parsed() {
    let parse = |arguments: &[&str]| {
        let arguments = arguments.iter().map(OsString::from);
        let parsed = Arguments::parse("deploy", arguments, 0, &[ALLOW, DRY_RUN, NO_WAIT, TIMEOUT, FORMAT]);
        Options::parse(&parsed?)
    };
    let options = parse(&["--timeout", "60", "--no-wait", "--format=json", "--dry-run"]).unwrap();
    assert_eq!(options.timeout, Duration::from_secs(60));
    assert!(!options.waits && options.is_json && options.is_dry_run && !options.allows_data_loss);
    assert_eq!(parse(&["--timeout=soon"]).err().as_deref(), Some("`soon` is not a number of seconds"));
}
