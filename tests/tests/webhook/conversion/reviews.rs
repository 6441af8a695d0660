//! Conversion reviews.

use bytes::Bytes;
use crdkit::webhook::Webhooks;
use example_resources::virtual_machine;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Returns objects whose members can be copied, and others that have to be decoded.
fn objects() -> Vec<Value> {
    let vm = |version: &str, metadata: Value, spec: Value| {
        json!({
            "apiVersion": format!("infra.example.com/{version}"), "kind": "VirtualMachine",
            "metadata": metadata, "spec": spec,
            "status": { "phase": "Pending", "replicas": 1, "unknown": [1.50, null] },
        })
    };
    let new = json!({
        "cpu": "2500m", "memory": "4Gi", "image": "debian:13", "replicas": 2, "nodeSelector": { "pool": "vms" },
        "disks": [{ "name": "root", "size": "20Gi", "boot": true, "cache": "WriteBack", "unknown": {} }],
    });
    let old = json!({
        "cpu": "2", "memory": "4Gi", "image": "debian:13", "replicas": 2,
        "disks": [{ "name": "root", "size": "20Gi", "boot": true }],
    });
    let plain = json!({ "name": "web", "namespace": "default", "labels": { "a/b": "\"\n" } });
    let kept = json!({ "name": "web", "annotations": { "conversion.crdkit.dev/kept": "{\"v1\":[]}" } });
    let mut objects = Vec::new();
    for version in ["v1", "v1alpha1", "v2alpha1"] {
        for metadata in [&plain, &kept, &Value::Null] {
            objects.extend([&new, &old].map(|spec| vm(version, metadata.clone(), spec.clone())));
        }
    }
    let mut other_kind = vm("v1", plain.clone(), new.clone());
    other_kind["kind"] = "Disk".into();
    objects.extend([vm("v3", plain.clone(), new), vm("v1", plain, json!("text")), other_kind, json!(7), json!({})]);
    objects
}

#[tokio::test]
async fn reviews_are_answered_as_the_converter_does() {
    let converter = virtual_machine::versions().converter();
    let service = Webhooks::new("vms").convert(converter.clone()).service();
    let objects = objects();
    let each = objects.iter().map(|object| vec![object.clone()]);
    for objects in each.chain([Vec::new(), objects.clone(), objects[..18].to_vec()]) {
        for version in ["v1", "v1alpha1", "v2alpha1", "v3"] {
            let review = json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
                "request": { "uid": "a\"b", "desiredAPIVersion": format!("infra.example.com/{version}"), "objects": objects },
            });
            let request = http::Request::post("/convert")
                .header("Content-Type", "application/json")
                .body(Full::<Bytes>::from(review.to_string()))
                .unwrap();
            let answer =
                service.clone().oneshot(request).await.unwrap().into_body().collect().await.unwrap().to_bytes();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            assert_eq!(answer, converter.review(review.clone()).unwrap(), "{review}");
        }
    }
}

#[test]
#[should_panic(expected = "`VirtualMachine` of `infra.example.com` has two conversions")]
fn two_conversions_of_a_kind_are_refused() {
    let converter = || virtual_machine::versions().converter();
    let _ = Webhooks::new("vms").convert(converter()).convert(converter());
}

/// Small text with more values than fit into memory.
#[tokio::test]
async fn too_many_values_are_refused() {
    let service = Webhooks::new("vms").convert(virtual_machine::versions().converter()).service();
    let send = async |objects: &str| {
        let body = format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{{"uid":"u",
                "desiredAPIVersion":"infra.example.com/v1","objects":[{objects}]}}}}"#
        );
        let request = http::Request::post("/convert").header("Content-Type", "application/json");
        let response = service.clone().oneshot(request.body(Full::<Bytes>::from(body)).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    };
    let [many_objects, many_values] = [200_000, 100_000].map(|count| "{},".repeat(count));
    let values = format!(
        r#"{{"apiVersion":"infra.example.com/v1alpha1","kind":"VirtualMachine","metadata":{{}},"spec":[{many_values}0]}}"#
    );
    for objects in [format!("{many_objects}{{}}"), values] {
        let (status, message) = send(&objects).await;
        assert!(status == 400 && message.starts_with("an object has too many values: "), "{status} {message}");
    }
}
