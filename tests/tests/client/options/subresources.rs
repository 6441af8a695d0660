//! Status and scale, written in every way.

use crdkit::{
    client::{Error, FieldValidation, Patch, Resources},
    conditions::NewCondition,
};
use serde_json::json;

use super::{Scaled, Scope, merge};
use crate::served::SizeStatus;

pub(super) async fn the_status_is_written_in_every_way<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    let status = all.status();
    let mut object = all.create(&K::named(name, 1)).await.unwrap();
    assert_eq!(status.get(name).await.unwrap(), None);
    *object.status_mut() = Some(sized(2));
    let replaced = status.replace(&object).await.unwrap();
    assert_eq!(replaced.status(), Some(&sized(2)));

    let patch = merge(json!({ "spec": { "size": 9 }, "status": { "size": 3 } }));
    let patched = status.patch(name, &patch).await.unwrap();
    assert_eq!((patched.size(), patched.status()), (1, Some(&sized(3))));
    let operations = json!([{ "op": "replace", "path": "/status/size", "value": 4 }]);
    let operations = Patch::json(operations);
    let patched = status.patch(name, &operations).await.unwrap();
    assert_eq!(patched.status(), Some(&sized(4)));
    let updated = status.update(name, |status| status.size = 5).await.unwrap();
    assert_eq!(updated.status(), Some(&sized(5)));

    let fields = json!({ "status": { "size": 6 } });
    let applied = all.force().status().apply(name, &fields).await.unwrap();
    assert_eq!(applied.status(), Some(&sized(6)));
    let ready = NewCondition::is_true("Ready", "Here");
    let ready = status.set_condition(name, ready).await.unwrap();
    assert_eq!(ready.status().unwrap().conditions[0].type_, "Ready");
    let gone = status.update_opt(name, |status| *status = None).await;
    assert_eq!(gone.unwrap().status(), None);
    assert_eq!(all.get(name).await.unwrap().size(), 1);
}

fn sized(size: i32) -> SizeStatus {
    SizeStatus { size, ..SizeStatus::default() }
}

pub(super) async fn the_scale_is_written_in_every_way<K: Scaled>(all: Resources<K, impl Scope<K>>, name: &str) {
    all.create(&K::named(name, 1)).await.unwrap();
    all.status().update(name, |status| status.size = 2).await.unwrap();
    let scale = all.scale();
    let read = scale.get(name).await.unwrap();
    assert_eq!(read.spec.unwrap().replicas, Some(1));
    assert_eq!(read.status.unwrap().replicas, 2);

    assert_eq!(scale.set(name, 3).await.unwrap().spec.unwrap().replicas, Some(3));
    assert_eq!(all.get(name).await.unwrap().size(), 3);
    let patch = merge(json!({ "spec": { "replicas": 4 } }));
    scale.patch(name, &patch).await.unwrap();
    assert_eq!(all.get(name).await.unwrap().size(), 4);
    let operations = json!([
        { "op": "test", "path": "/spec/replicas", "value": 4 },
        { "op": "replace", "path": "/spec/replicas", "value": 0 },
    ]);
    let operations = Patch::json(operations);
    scale.patch(name, &operations).await.unwrap();
    assert_eq!(all.get(name).await.unwrap().size(), 0);
    let error = scale.patch(name, &operations).await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");

    let error = scale.set(name, 1001).await.unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    let unknown = merge(json!({ "spec": { "replica": 4 } }));
    let strict = all.field_validation(FieldValidation::Strict).scale();
    let error = strict.patch(name, &unknown).await.unwrap_err();
    assert!(error.to_string().contains("spec.replica"), "{error}");
    assert_eq!(all.get(name).await.unwrap().size(), 0);
}
