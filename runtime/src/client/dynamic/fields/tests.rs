use serde_json::json;

use super::*;
use crate::client::dynamic::Optional;

fn vm() -> Unstructured {
    serde_json::from_value(json!({
        "spec": {
            "image": "debian", "replicas": 3, "share": 0.5, "huge": u64::MAX, "paused": false, "none": null,
            "disks": [{ "name": "boot" }, { "name": "data" }],
            "limits": { "example.com/gpu": "1" },
        },
        "status": { "phase": "Running" },
    }))
    .unwrap()
}

fn message<T: std::fmt::Debug>(result: Result<T, PathError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn values_are_read_by_type() {
    let vm = vm();
    assert_eq!(vm.get_str("spec.image").unwrap(), "debian");
    assert_eq!(vm.get_i64("spec.replicas").unwrap(), 3);
    assert_eq!(vm.get_f64("spec.share").unwrap(), 0.5);
    assert!(!vm.get_bool("spec.paused").unwrap());
    assert_eq!(vm.get_slice("spec.disks").unwrap().len(), 2);
    assert_eq!(vm.get_str("spec.disks[1].name").unwrap(), "data");
    assert_eq!(vm.get_map("spec.limits").unwrap().len(), 1);
    let gpu = ["spec", "limits", "example.com/gpu"];
    assert_eq!(vm.get_str(gpu).unwrap(), "1");
    assert_eq!(vm.get_str("status.phase").unwrap(), "Running");
    assert_eq!(vm.get("spec.none").unwrap(), &Value::Null);
}

#[test]
fn errors_contain_the_invalid_segment() {
    let vm = vm();
    for (result, expected) in [
        (vm.get_str("spec.image.name"), "`spec.image` is a string, expected an object"),
        (
            vm.get_str("spec.disks[2].name"),
            "`spec.disks[2].name` does not exist: `spec.disks` has 2 items, but no item 2",
        ),
        (
            vm.get_str("spec.limits.cpu.max"),
            "`spec.limits.cpu.max` does not exist: `spec.limits` has no `cpu`, only `example.com/gpu`",
        ),
        (vm.get_str("data"), "`data` does not exist: the object has no `data`, only `spec`, `status`"),
        (vm.get_str("metadata.name"), "`metadata` is a typed field: use the field `metadata` of the object"),
    ] {
        assert_eq!(message(result), expected);
    }
    let huge = "`spec.huge` is an integer that exceeds 64 signed bits, expected an integer";
    assert_eq!(message(vm.get_i64("spec.huge")), huge);
    let unfit: Result<Vec<i32>, _> = vm.get_as("spec.disks");
    assert!(message(unfit).starts_with("`spec.disks` does not match the type: "));
}

#[test]
fn only_missing_fields_are_optional() {
    let vm = vm();
    assert_eq!(vm.get_str("spec.zone").optional().unwrap(), None);
    assert!(vm.get_str("spec.replicas").optional().is_err());
}

#[test]
fn values_are_set_and_parents_created() {
    let mut vm = vm();
    vm.set("spec.placement.zone", "a").unwrap();
    vm.set("spec.none.deep", true).unwrap();
    vm.set("spec.disks[0].size", json!({ "gib": 10 })).unwrap();
    vm.set("status.replicas", 1).unwrap();
    assert_eq!(vm.get_str("spec.placement.zone").unwrap(), "a");
    assert!(vm.get_bool("spec.none.deep").unwrap());
    assert_eq!(vm.get_i64("spec.disks[0].size.gib").unwrap(), 10);
    assert_eq!(vm.status, Some(json!({ "phase": "Running", "replicas": 1 })));
}

#[test]
fn failed_set_changes_nothing() {
    let mut vm = vm();
    let wrong = message(vm.set("spec.image.name", 1));
    assert_eq!(wrong, "`spec.image` is a string, expected an object");
    assert!(vm.set("spec.disks[2]", 1).unwrap_err().is_missing());
    assert!(vm.set("kind", "Pod").is_err());
    assert_eq!(vm, self::vm());
}

#[test]
fn values_are_removed() {
    let mut vm = vm();
    assert_eq!(vm.remove("spec.image").unwrap(), Some("debian".into()));
    assert_eq!(vm.remove("spec.image").unwrap(), None);
    assert_eq!(vm.remove("spec.zone.name").unwrap(), None);
    assert_eq!(vm.remove("spec.none.deep").unwrap(), None);
    vm.remove("spec.disks[0]").unwrap();
    assert_eq!(vm.get_str("spec.disks[0].name").unwrap(), "data");
    assert_eq!(vm.remove("spec.disks[7]").unwrap(), None);
    assert!(vm.remove("spec.replicas.max").is_err());
    assert!(vm.remove("metadata").is_err());
    vm.remove("status").unwrap();
    assert_eq!(vm.status, None);
}
