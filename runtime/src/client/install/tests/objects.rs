//! Tests of schema changes with existing objects.

use super::*;

/// A definition whose spec has these properties.
fn with_spec(properties: Value) -> CustomResourceDefinition {
    with_schema(json!({ "type": "object", "properties": properties }))
}

fn with_schema(spec: Value) -> CustomResourceDefinition {
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    crd(&["v1"], |crd| {
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema;
    })
}

/// The stored and served definition.
fn present(crd: &CustomResourceDefinition) -> Reply {
    let mut present = served();
    present["spec"] = serde_json::to_value(&crd.spec).unwrap();
    Reply::json(200, present)
}

fn old() -> CustomResourceDefinition {
    with_spec(json!({ "note": { "type": "string" }, "size": { "type": "integer" } }))
}

fn new() -> CustomResourceDefinition {
    with_spec(json!({ "size": { "type": "string" } }))
}

fn page(next: &str, specs: impl IntoIterator<Item = (&'static str, Value)>) -> Reply {
    let items: Vec<_> = specs
        .into_iter()
        .map(|(name, spec)| {
            json!({
                "metadata": { "name": name, "namespace": "default", "resourceVersion": "1", "uid": name }, "spec": spec,
            })
        })
        .collect();
    let metadata = json!({ "resourceVersion": "7", "continue": next });
    let list = json!({ "metadata": metadata, "items": items });
    Reply::json(200, list)
}

async fn refusal(replies: impl IntoIterator<Item = Reply>) -> (Vec<DataLoss>, String, Vec<String>) {
    let mock = Mock::new([present(&old())].into_iter().chain(replies));
    let error = mock.client().install([new()]).await.unwrap_err();
    let message = error.to_string();
    match error {
        InstallError::DataLoss(losses) => (losses, message, mock.lines()),
        error => panic!("{error}"),
    }
}

const FIRST: &str = "GET /apis/example.com/v1/vms?limit=500";

#[tokio::test]
async fn objects_of_all_pages_are_checked() {
    let pages = [
        page("next", [("a", json!({ "size": 1 })), ("b", json!({}))]),
        page("", [("c", json!({ "size": 2, "note": "d" }))]),
    ];
    let (losses, message, lines) = refusal(pages).await;
    let objects = |count, name: &str| Objects { count, example: format!("default/{name}") };
    let (crd, version) = (NAME.to_owned(), "v1".to_owned());
    let field = DataLoss::Field {
        crd: crd.clone(),
        version: version.clone(),
        path: ".spec.note".into(),
        objects: objects(1, "c"),
    };
    let type_ = DataLoss::Type {
        crd,
        version,
        path: ".spec.size".into(),
        from: "integer".into(),
        to: "string".into(),
        objects: objects(2, "a"),
    };
    assert_eq!(losses, [field, type_]);
    assert_eq!(
        message,
        "nothing was installed, because data would be lost:\
         \n  version `v1` of `vms.example.com` would not have `.spec.note`, which 1 object (`default/c`) would lose: keep \
         the field, or save its values and remove it from the objects\
         \n  the type of `.spec.size` in version `v1` of `vms.example.com` would change from integer to string, which 2 \
         objects (for example `default/a`) would not match: keep the type, and add a field with another name\
         \n  or allow the loss with `.allow_data_loss()`"
    );
    assert_eq!(lines[1..], [FIRST, &format!("{FIRST}&continue=next")]);
}

#[tokio::test]
async fn expired_list_is_read_in_one_page() {
    let pages = [
        page("next", [("a", json!({ "note": "b" }))]),
        Reply::status(410, "Expired", ""),
        page("", [("a", json!({ "note": "b" }))]),
    ];
    let (losses, _, lines) = refusal(pages).await;
    let [DataLoss::Field { objects, .. }] = &losses[..] else {
        panic!("{losses:?}");
    };
    assert_eq!(objects.count, 1);
    assert_eq!(lines.len(), 4);
}

#[tokio::test]
async fn unreadable_objects_prevent_the_installation() {
    let (losses, message, _) = refusal([Reply::status(403, "Forbidden", "")]).await;
    let [DataLoss::Unverified { changes, .. }] = &losses[..] else {
        panic!("{losses:?}");
    };
    assert_eq!(changes.len(), 2);
    for part in [
        "version `v1` of `vms.example.com` would accept or preserve less, and the objects cannot be read to check whether one loses data: cannot list",
        "\n    `.spec.note` is removed\n    the type of `.spec.size` changes from integer to string\n",
    ] {
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn other_failure_is_an_error() {
    let mock = Mock::new([present(&old()), Reply::status(401, "Unauthorized", "")]);
    let error = mock.client().install([new()]).await.unwrap_err();
    let expected = matches!(error, InstallError::Request(Error::Unauthorized(_)));
    assert!(expected, "{error}");
}

/// Returns the first request after the definition was read.
async fn second_line(present: Reply, install: impl FnOnce(Client) -> Install) -> String {
    let mock = Mock::new([present]);
    let _ = install(mock.client()).await;
    mock.lines().swap_remove(1)
}

#[tokio::test]
async fn objects_are_read_only_if_necessary() {
    const APPLY: &str =
        "PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/vms.example.com?fieldManager=crdkit";
    let same = second_line(present(&old()), |client| client.install([old()])).await;
    assert_eq!(same, APPLY);
    let more =
        || with_spec(json!({ "note": { "type": "string" }, "size": { "type": "number" }, "a": { "type": "string" } }));
    let more = second_line(present(&old()), |client| client.install([more()])).await;
    assert_eq!(more, APPLY);
    let meant = |client: Client| client.install([new()]).allow_data_loss();
    assert_eq!(second_line(present(&old()), meant).await, APPLY);

    let mut never_served = stored(&[condition("Established", "False", "NotAccepted")]);
    never_served["spec"] = serde_json::to_value(old().spec).unwrap();
    let never_served = Reply::json(200, never_served);
    assert_eq!(second_line(never_served, |client| client.install([new()])).await, APPLY);

    let dry = |client: Client| client.dry_run().install([new()]);
    assert_eq!(second_line(present(&old()), dry).await, FIRST);
}

/// Returns the requests for installing versions instead of others, each `(name, served, properties of the spec)`, the
/// first one stored.
async fn requests_for(
    old: &[(&str, bool, Value)],
    new: &[(&str, bool, Value)],
    conversion: &str,
) -> (Vec<String>, Vec<DataLoss>) {
    let of = |versions: &[(&str, bool, Value)]| {
        let names: Vec<_> = versions.iter().map(|(name, ..)| *name).collect();
        crd(&names, |crd| {
            let webhook = json!({
                "clientConfig": { "url": "https://example.com/convert" },
                "conversionReviewVersions": ["v1"],
            });
            let webhook = (conversion == "Webhook").then_some(webhook);
            crd["spec"]["conversion"] = json!({ "strategy": conversion, "webhook": webhook });
            for (at, (_, served, properties)) in versions.iter().enumerate() {
                let version = &mut crd["spec"]["versions"][at];
                version["served"] = json!(served);
                version["schema"]["openAPIV3Schema"]["properties"] =
                    json!({ "spec": { "type": "object", "properties": properties } });
            }
        })
    };
    let replies = (0..3).map(|_| page("", [("a", json!({ "a": "b" }))]));
    let mock = Mock::new([present(&of(old))].into_iter().chain(replies));
    let losses = match mock.client().install([of(new)]).await {
        Err(InstallError::DataLoss(losses)) => losses,
        _ => Vec::new(),
    };
    let read = mock.lines().split_off(1).into_iter();
    let lists = read.filter(|line| line.starts_with("GET /apis/example.com"));
    (lists.collect(), losses)
}

#[tokio::test]
async fn objects_are_read_through_the_version_whose_schema_they_have() {
    let a = || json!({ "a": { "type": "string" } });
    let none = || json!({});
    let lost_to = |losses: &[DataLoss]| match losses {
        [DataLoss::Field { version, .. }] => version.clone(),
        other => panic!("{other:?}"),
    };

    let (read, losses) =
        requests_for(&[("v1", true, a()), ("v2", true, a())], &[("v1", true, a()), ("v2", true, none())], "None").await;
    assert_eq!(read, ["GET /apis/example.com/v2/vms?limit=500"]);
    assert_eq!(lost_to(&losses), "v2");

    // Objects of one storage version are stored in the other.
    let old = [("v1", true, a())];
    let new = [("v2", true, none()), ("v1", true, a())];
    let (read, losses) = requests_for(&old, &new, "None").await;
    assert_eq!(read, [FIRST]);
    assert_eq!(lost_to(&losses), "v2");
    let (read, _) = requests_for(&old, &new, "Webhook").await;
    assert_eq!(read, [""; 0]);

    // Versions that are neither served nor stored any more are not read.
    let old = [("v1", true, a()), ("v2", true, a())];
    let new = [("v1", true, a()), ("v2", false, none())];
    let (read, _) = requests_for(&old, &new, "None").await;
    assert_eq!(read, [""; 0]);

    // A version that is not served still has a schema, for the objects that are stored in it.
    let old = [("v1", false, a()), ("v2", true, a())];
    let new = [("v1", false, none()), ("v2", true, a())];
    let (read, losses) = requests_for(&old, &new, "None").await;
    assert_eq!(read, ["GET /apis/example.com/v2/vms?limit=500"]);
    assert_eq!(lost_to(&losses), "v1");
    let (read, losses) = requests_for(&old, &new, "Webhook").await;
    assert_eq!(read, [""; 0]);
    let [DataLoss::Unverified { reason, .. }] = &losses[..] else {
        panic!("{losses:?}");
    };
    assert_eq!(reason, "version `v1` is not served");
}
