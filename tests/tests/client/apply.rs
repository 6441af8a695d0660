//! Several managers of one object.

use crdkit::client::ApplyError;
use serde_json::json;

use crate::served::{Machine, client, namespace};

#[tokio::test]
async fn managers_come_into_conflict_over_fields() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "apply-conflict").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let (first, second) = (machines.field_manager("first"), machines.field_manager("second"));
    let sized = |size: i32| json!({ "spec": { "size": size, "disks": [{ "name": "a", "size": size }] } });
    first.apply("a", &sized(1)).await.unwrap();
    second.apply("a", &json!({ "spec": { "note": "mine" } })).await.unwrap();

    let error = second.apply("a", &sized(2)).await.unwrap_err();
    let ApplyError::Conflicts(refusal) = &error else {
        panic!("{error}");
    };
    let conflicts: Vec<_> = refusal.conflicts().collect();
    let fields: Vec<_> = conflicts.iter().map(|conflict| conflict.field).collect();
    assert_eq!(fields, [".spec.size", ".spec.disks[name=\"a\"].size"]);
    assert!(conflicts.iter().all(|conflict| conflict.manager == "first"));
    assert_eq!(error.status().unwrap().code, 409);

    let forced = second.force().apply("a", &sized(2)).await.unwrap();
    assert_eq!(forced.spec.size, 2);
    let error = first.apply("a", &sized(1)).await.unwrap_err();
    assert!(error.to_string().contains(".spec.size: owned by `second`"), "{error}");
}

#[tokio::test]
async fn fields_that_are_no_longer_applied_are_removed() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "apply-removed").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let with_note = json!({ "spec": { "size": 1, "note": "here" } });
    let noted = machines.apply("a", &with_note).await.unwrap();
    assert_eq!(noted.spec.note.as_deref(), Some("here"));
    let without = machines.apply("a", &json!({ "spec": { "size": 1 } })).await.unwrap();
    assert_eq!(without.spec.note, None);
}

#[tokio::test]
async fn a_field_of_the_wrong_type_is_rejected() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "apply-invalid").await;
    let machines = client.resources::<Machine>().namespace(&namespace);
    let error = machines.apply("a", &json!({ "spec": { "size": "one" } })).await.unwrap_err();
    assert!(matches!(error, ApplyError::Request(_)), "{error}");
    assert!(error.to_string().contains(".spec.size"), "{error}");
}
