//! `validate_cel` of an object with 100 fields and 20 rules: ten parts of ten fields, each with two rules.

use std::{collections::BTreeMap, hint::black_box, time::Instant};

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

const ITERATIONS: usize = 200;

#[derive(Clone, Debug, Default, Deserialize, KubeSchema, Serialize)]
#[crd(
    validation = "self.min <= self.replicas && self.replicas <= self.max",
    validation = "self.ports.all(port, port > 0) && (!has(self.timeout) || duration(self.timeout) < duration('1h'))"
)]
pub(crate) struct Part {
    #[crd(max_length = 63)]
    name: String,
    image: Option<String>,
    replicas: i32,
    min: i32,
    max: i32,
    zone: String,
    enabled: bool,
    #[crd(max_items = 16)]
    ports: Vec<u16>,
    labels: BTreeMap<String, String>,
    #[crd(max_length = 32)]
    timeout: Option<String>,
}

#[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, Serialize)]
#[crd(group = "example.com", version = "v1", kind = "Large", cel)]
pub(crate) struct LargeSpec {
    first: Part,
    second: Part,
    third: Part,
    fourth: Part,
    fifth: Part,
    sixth: Part,
    seventh: Part,
    eighth: Part,
    ninth: Part,
    tenth: Part,
}

fn part(replicas: i32) -> Part {
    Part {
        name: "web".to_owned(),
        image: Some("registry.example.com/shop/web:1.7.3".to_owned()),
        replicas,
        min: 1,
        max: 20,
        zone: "eu-central-1a".to_owned(),
        enabled: true,
        ports: vec![80, 443, 8080],
        labels: BTreeMap::from([("app".to_owned(), "web".to_owned()), ("team".to_owned(), "shop".to_owned())]),
        timeout: Some("1m30s".to_owned()),
    }
}

/// Returns the microseconds of a call.
pub(crate) fn validation() -> f64 {
    let spec = LargeSpec {
        first: part(1),
        second: part(2),
        third: part(3),
        fourth: part(4),
        fifth: part(5),
        sixth: part(6),
        seventh: part(7),
        eighth: part(8),
        ninth: part(9),
        tenth: part(10),
    };
    let large = Large::new("large", spec);
    large.validate_cel().expect("the object is valid");
    let start = Instant::now();
    for _ in 0..ITERATIONS {
        black_box(large.validate_cel()).expect("the object is valid");
    }
    start.elapsed().as_secs_f64() * 1e6 / ITERATIONS as f64
}
