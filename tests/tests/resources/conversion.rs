//! Conversion between versions.

#![allow(unreachable_pub)] // as a user writes the versions

use std::collections::BTreeMap;

use crdkit::testing::ConversionTest;
use crdkit::{
    CustomResource, KubeSchema,
    convert::{CONVERSION_DATA_ANNOTATION, Convert, ConvertError, Converter, Hub},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

mod v1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced, status = "MachineStatus")]
    #[serde(rename_all = "camelCase")]
    pub struct MachineSpec {
        pub resources: Resources,
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub disks: Vec<Disk>,
        pub zone: String,
        pub labels: BTreeMap<String, String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub owner: Option<String>,
        pub mode: Mode,
        pub network: Network,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mounts: Option<BTreeMap<String, Disk>>,
        #[serde(flatten)]
        pub limits: Limits,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Limits {
        pub burst: Option<u32>,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Resources {
        pub cpu: String,
        pub memory: String,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Disk {
        pub name: String,
        #[schemars(regex(pattern = "^[0-9]{1,9}G$"))]
        pub size: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fast: Option<bool>,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    pub enum Mode {
        Running,
        Stopped,
        Suspended,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(rename_all = "camelCase")]
    pub enum Network {
        Bridge { name: String, mtu: u32 },
        Host {},
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct MachineStatus {
        pub phase: String,
        pub addresses: Vec<String>,
    }
}

mod v1alpha1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced, status = "MachineStatus")]
    #[crd(storage = false)]
    #[convert(hub = super::v1::Machine)]
    pub struct MachineSpec {
        #[convert(to = "resources.cpu", with = cores)]
        pub cores: u32,
        #[convert(to = "resources.memory")]
        pub memory: String,
        pub disks: Vec<Disk>,
        #[convert(flatten)]
        pub placement: Placement,
        #[convert(dropped)]
        #[serde(skip_serializing_if = "Option::is_none")]
        pub comment: Option<String>,
        #[convert(dropped, default = 22)]
        pub port: u16,
        pub labels: BTreeMap<String, String>,
        pub mode: Mode,
        pub network: Network,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub mounts: Option<BTreeMap<String, Disk>>,
        #[serde(flatten)]
        pub limits: Limits,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = super::v1::Limits)]
    pub struct Limits {
        #[convert(to = "burst")]
        pub peak: Option<u32>,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = super::v1::MachineSpec, partial)]
    pub struct Placement {
        pub zone: String,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = super::v1::Disk)]
    pub struct Disk {
        #[convert(to = "size", try_with = gigabytes)]
        pub gigabytes: u64,
        pub name: String,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[convert(hub = super::v1::Mode)]
    pub enum Mode {
        #[convert(to = "Running")]
        On,
        #[convert(to = "Stopped", from = "Suspended")]
        Off,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = super::v1::Network)]
    pub enum Network {
        #[serde(rename = "br")]
        #[convert(to = "bridge")]
        Bridge {
            #[convert(to = "name")]
            device: String,
        },
        #[serde(rename = "host")]
        Host {},
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = super::v1::MachineStatus)]
    pub struct MachineStatus {
        #[convert(to = "phase")]
        pub state: String,
    }

    mod cores {
        pub fn to_hub(cores: u32) -> String {
            cores.to_string()
        }
        pub fn from_hub(cpu: String) -> u32 {
            match cpu.strip_suffix('m') {
                Some(milli) => milli.parse::<u32>().unwrap_or(1).div_ceil(1000),
                None => cpu.parse().unwrap_or(1),
            }
        }
    }

    mod gigabytes {
        pub fn to_hub(gigabytes: u64) -> Result<String, String> {
            Ok(format!("{gigabytes}G"))
        }
        pub fn from_hub(size: String) -> Result<u64, String> {
            let number = size.trim_end_matches('G').parse();
            number.map_err(|error| format!("`{size}` is no number of gigabytes: {error}"))
        }
    }
}

mod v1beta1 {
    use super::*;

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1beta1", kind = "Machine", namespaced, status = "v1::MachineStatus")]
    #[crd(storage = false)]
    #[convert(hub = super::v1::Machine, hub_default(mode = v1::Mode::Stopped))]
    #[convert(hub_default(network = v1::Network::Host {}), spokes(super::v1alpha1::Machine))]
    pub struct MachineSpec {
        pub resources: v1::Resources,
        pub disks: Vec<v1::Disk>,
        #[serde(rename = "availabilityZone")]
        #[convert(to = "zone")]
        pub zone: String,
        pub owner: Option<String>,
    }
}

fn machine() -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Machine",
        "metadata": { "name": "web", "namespace": "default", "annotations": { "a": "b" } },
        "spec": {
            "resources": { "cpu": "2500m", "memory": "1Gi" },
            "disks": [{ "name": "root", "size": "10G", "fast": true }, { "name": "data", "size": "1G" }],
            "zone": "eu-1",
            "labels": { "x": "y" },
            "owner": "me",
            "mode": "Suspended",
            "network": { "bridge": { "name": "br0", "mtu": 9000 } },
            "mounts": { "home": { "name": "home", "size": "2G", "fast": false } },
            "burst": 3,
            "unknown": { "to": ["both"] },
        },
        "status": { "phase": "Up", "addresses": ["10.0.0.1"] },
    })
}

fn old() -> Value {
    json!({
        "apiVersion": "example.com/v1alpha1",
        "kind": "Machine",
        "metadata": { "name": "web", "namespace": "default" },
        "spec": {
            "cores": 3,
            "memory": "1Gi",
            "disks": [{ "name": "root", "gigabytes": 10 }],
            "placement": { "zone": "eu-1" },
            "comment": "mine",
            "port": 2222,
            "labels": {},
            "mode": "Off",
            "network": { "host": {} },
            "peak": 4,
            "unknown": 1,
        },
        "status": { "state": "Up" },
    })
}

fn machines() -> Hub<v1::Machine> {
    Hub::new().spoke::<v1alpha1::Machine>().spoke::<v1beta1::Machine>()
}

fn converter() -> Converter {
    machines().converter()
}

#[track_caller]
fn converted(object: &Value, version: &str) -> Value {
    converter().convert(object.clone(), version).unwrap()
}

#[test]
fn of_the_hub() {
    let converted = converted(&machine(), "v1alpha1");
    assert_eq!(
        converted["spec"],
        json!({
            "cores": 3,
            "memory": "1Gi",
            "disks": [{ "name": "root", "gigabytes": 10 }, { "name": "data", "gigabytes": 1 }],
            "placement": { "zone": "eu-1" },
            "port": 22,
            "labels": { "x": "y" },
            "mode": "Off",
            "network": { "br": { "device": "br0" } },
            "mounts": { "home": { "name": "home", "gigabytes": 2 } },
            "peak": 3,
        })
    );
    assert_eq!(converted["status"], json!({ "state": "Up" }));
    assert_eq!(converted["apiVersion"], "example.com/v1alpha1");
}

#[test]
fn to_the_hub() {
    let converted = converted(&old(), "v1");
    assert_eq!(
        converted["spec"],
        json!({
            "resources": { "cpu": "3", "memory": "1Gi" },
            "disks": [{ "name": "root", "size": "10G" }],
            "zone": "eu-1",
            "labels": {},
            "mode": "Stopped",
            "network": { "host": {} },
            "burst": 4,
        })
    );
    assert_eq!(converted["status"], json!({ "phase": "Up", "addresses": [] }));
}

#[test]
fn nothing_is_lost() {
    for version in ["v1alpha1", "v1beta1"] {
        let there = converted(&machine(), version);
        assert!(there["metadata"]["annotations"][CONVERSION_DATA_ANNOTATION].is_string());
        assert_eq!(converted(&there, "v1"), machine(), "{version}");
    }
    for version in ["v1", "v1beta1"] {
        assert_eq!(converted(&converted(&old(), version), "v1alpha1"), old(), "{version}");
    }
    let beta = converted(&old(), "v1beta1");
    assert_eq!(converted(&converted(&beta, "v1alpha1"), "v1beta1"), beta);
    let through_all = converted(&converted(&converted(&machine(), "v1alpha1"), "v1beta1"), "v1");
    assert_eq!(through_all, machine());
}

#[test]
fn a_change_wins() {
    let mut there = converted(&machine(), "v1alpha1");
    there["spec"]["cores"] = json!(4);
    there["spec"]["mode"] = json!("On");
    there["spec"]["disks"] = json!([{ "name": "data", "gigabytes": 5 }, { "name": "root", "gigabytes": 10 }]);
    let back = converted(&there, "v1");
    let mut expected = machine();
    expected["spec"]["resources"]["cpu"] = json!("4");
    expected["spec"]["mode"] = json!("Running");
    expected["spec"]["disks"] =
        json!([{ "name": "data", "size": "5G" }, { "name": "root", "size": "10G", "fast": true }]);
    assert_eq!(back, expected);
}

#[test]
fn of_types() -> Result<(), ConvertError> {
    let machine: v1::Machine = serde_json::from_value(machine()).unwrap();
    let old = v1alpha1::Machine::try_from(machine.clone())?;
    assert_eq!((old.spec.cores, old.spec.mode), (3, v1alpha1::Mode::Off));
    let beta = v1beta1::Machine::try_from(old)?;
    assert_eq!(beta.spec.zone, "eu-1");
    assert_eq!(v1::Machine::try_from(beta)?.spec, machine.spec);
    Ok(())
}

#[test]
fn failures_name_the_field() {
    let mut bad = machine();
    bad["spec"]["disks"][1]["size"] = json!("1Ti");
    let error = converter().convert(bad.clone(), "v1alpha1").unwrap_err();
    assert_eq!(error.to_string(), "spec.disks[1].size: `1Ti` is no number of gigabytes: invalid digit found in string");
    let error = converter().convert(machine(), "v2").unwrap_err();
    assert_eq!(error.to_string(), "there is no version `v2` of Machine; it has `v1`, `v1alpha1`, `v1beta1`");
    bad["kind"] = json!("Disk");
    let error = converter().convert(bad, "v1").unwrap_err();
    assert_eq!(error.to_string(), "cannot convert a Disk.example.com: expected a Machine.example.com");
}

#[test]
fn reviews() {
    let review = |objects: Value| {
        let review = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "ConversionReview",
            "request": { "uid": "1", "desiredAPIVersion": "example.com/v1alpha1", "objects": objects },
        });
        converter().review(review).unwrap()["response"].take()
    };
    let response = review(json!([machine(), old()]));
    assert_eq!(response["result"], json!({ "status": "Success" }));
    assert_eq!(response["uid"], "1");
    assert_eq!(response["convertedObjects"], json!([converted(&machine(), "v1alpha1"), old()]));
    let mut bad = machine();
    bad["spec"]["disks"][0]["size"] = json!("big");
    let response = review(json!([old(), bad]));
    assert_eq!(
        response["result"]["message"],
        "default/web: spec.disks[0].size: `big` is no number of gigabytes: invalid digit found in string"
    );
    assert!(converter().review(json!({})).is_err());
}

#[test]
fn parts_of_objects() {
    let part = json!({
        "apiVersion": "example.com/v1alpha1",
        "kind": "Machine",
        "metadata": { "name": "web" },
        "spec": { "cores": 1 },
    });
    let there = converted(&part, "v1");
    assert_eq!(there["spec"]["resources"], json!({ "cpu": "1" }));
    assert_eq!(converted(&there, "v1alpha1"), part);
}

#[test]
fn random_objects_round_trip() {
    let sizes = ["1G", "10G", "250G"];
    ConversionTest::of::<v1alpha1::Machine>()
        .spoke(|test| test.documents(1000))
        .hub(|test| {
            let test = test.documents(1000).only(".spec.disks[].size", sizes).only(".spec.mounts[*].size", sizes);
            test.only(".spec.resources.cpu", ["1", "3", "2500m", "100m"])
        })
        .check();
}

mod wrong {
    use super::*;

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1alpha2", kind = "Machine", namespaced, test = false)]
    #[crd(status = "v1::MachineStatus")]
    #[convert(hub = super::v1::Machine, hub_default(mode = v1::Mode::Stopped, network = v1::Network::Host {}))]
    #[convert(hub_default(resources = v1::Resources { cpu: String::new(), memory: String::new() }))]
    pub struct MachineSpec {
        #[convert(to = "zone", with = truncated)]
        pub region: String,
    }

    mod truncated {
        pub fn to_hub(region: String) -> String {
            region.chars().take(3).collect()
        }
        pub fn from_hub(zone: String) -> String {
            zone
        }
    }
}

#[test]
#[should_panic(expected = "`from_hub` is not the inverse of `to_hub` for `spec.region`: \"abcd\" becomes \"abc\"")]
fn functions_that_are_not_inverse_are_found() {
    ConversionTest::of::<wrong::Machine>().spoke(|test| test.only(".spec.region", ["a", "abcd"])).check();
}

mod nullable {
    use super::*;

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1alpha3", kind = "Machine", namespaced, test = false)]
    #[crd(status = "v1::MachineStatus")]
    #[convert(hub = super::v1::Machine, hub_default(mode = v1::Mode::Stopped, network = v1::Network::Host {}))]
    #[convert(hub_default(resources = v1::Resources { cpu: String::new(), memory: String::new() }))]
    pub struct MachineSpec {
        #[convert(to = "zone", with = region)]
        pub region: Region,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Region {
        pub name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub part: Option<String>,
    }

    mod region {
        use super::Region;

        pub fn to_hub(region: Region) -> String {
            match region.part {
                Some(part) => format!("{}/{part}", region.name),
                None => region.name,
            }
        }
        pub fn from_hub(zone: String) -> Region {
            match zone.split_once('/') {
                Some((name, part)) => Region { name: name.to_owned(), part: Some(part.to_owned()) },
                None => Region { name: zone, part: None },
            }
        }
    }
}

#[test]
fn a_null_that_functions_do_not_get_comes_back() {
    let region = json!({ "name": "a", "part": null });
    ConversionTest::of::<nullable::Machine>().spoke(|test| test.only(".spec.region", [region.clone()])).check();
    let machine = json!({
        "apiVersion": "example.com/v1alpha3", "kind": "Machine", "metadata": { "name": "web" },
        "spec": { "region": region },
    });
    let converter = Hub::<v1::Machine>::new().spoke::<nullable::Machine>().converter();
    let hub = converter.convert(machine.clone(), "v1").unwrap();
    assert_eq!(hub["spec"]["zone"], "a");
    assert_eq!(converter.convert(hub, "v1alpha3").unwrap(), machine);
}

/// A kind whose texts are numbers in the other version. `#[crd(test = false)]` leaves the test to the functions below.
mod timer {
    use super::*;

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1", kind = "Timer", namespaced, test = false)]
    pub struct TimerSpec {
        pub start: String,
        pub steps: Vec<Step>,
        pub limits: BTreeMap<String, Step>,
        pub end: End,
        pub pause: String,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub struct Step {
        pub length: String,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(rename_all = "camelCase")]
    pub enum End {
        At { time: String },
        Never {},
    }

    pub mod v1beta1 {
        use super::*;

        #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
        #[crd(group = "example.com", version = "v1beta1", kind = "Timer", namespaced, storage = false, test = false)]
        #[convert(hub = super::Timer)]
        pub struct TimerSpec {
            #[convert(try_with = number)]
            pub start: u32,
            pub steps: Vec<Step>,
            pub limits: BTreeMap<String, Step>,
            pub end: End,
            #[convert(with = number_or_zero)]
            pub pause: u32,
        }

        #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
        #[convert(hub = super::Step)]
        pub struct Step {
            #[convert(try_with = number)]
            pub length: u32,
        }

        #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
        #[convert(hub = super::End)]
        #[serde(rename_all = "camelCase")]
        pub enum End {
            At {
                #[convert(try_with = number)]
                time: u32,
            },
            Never {},
        }

        mod number {
            use std::num::ParseIntError;

            pub fn to_hub(number: u32) -> Result<String, ParseIntError> {
                Ok(number.to_string())
            }
            pub fn from_hub(text: String) -> Result<u32, ParseIntError> {
                text.parse()
            }
        }

        /// Another value stands for a text that is no number; the text is kept.
        mod number_or_zero {
            pub fn to_hub(number: u32) -> String {
                number.to_string()
            }
            pub fn from_hub(text: String) -> u32 {
                text.parse().unwrap_or_default()
            }
        }
    }
}

fn timers() -> ConversionTest {
    ConversionTest::of::<timer::v1beta1::Timer>()
}

/// Returns the message of a test that fails.
fn failure_of(test: &ConversionTest) -> String {
    let panic = std::panic::catch_unwind(|| test.check()).expect_err("the test fails");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_conversion_that_rejects_most_objects_fails_its_test_with_the_fields() {
    let failure = failure_of(&timers());
    assert!(failure.starts_with("the conversion of Timer from v1 to v1beta1 is hardly tested, with "), "{failure}");
    for field in [".spec.start", ".spec.steps[].length", ".spec.limits[*].length", ".spec.end.at.time"] {
        assert!(failure.contains(&format!("\n  {field}: its function rejects ")), "{field}: {failure}");
    }
    assert!(!failure.contains(".spec.pause"), "{failure}");
    assert!(failure.contains("invalid digit found in string") && failure.contains("a pattern"), "{failure}");
}

/// Most lists are empty, and their objects convert.
#[test]
fn a_function_that_rejects_most_values_fails_the_test_of_objects_without_such_values() {
    let numbers = ["1", "22"];
    let others = |test: ConversionTest| {
        test.hub(|test| {
            let test = test.only(".spec.start", numbers).only(".spec.end.at.time", numbers);
            test.only(".spec.limits[*].length", numbers)
                .only(".spec.steps", [json!([]), json!([]), json!([{ "length": "x" }])])
        })
    };
    let failure = failure_of(&others(timers()));
    assert!(failure.contains("\n  .spec.steps[].length: its function rejects "), "{failure}");
    assert!(!failure.contains(".spec.start: "), "{failure}");
    others(timers()).min_percent(0).check();
}

#[test]
fn values_that_convert_pass_the_test() {
    let numbers = ["1", "22"];
    let test = timers().hub(|test| {
        let test = test.only(".spec.start", numbers).only(".spec.end.at.time", numbers);
        test.only(".spec.limits[*].length", numbers).only(".spec.steps[].length", numbers)
    });
    test.check();
}

#[test]
fn a_version_without_random_objects_fails_the_test() {
    let failure = failure_of(&timers().spoke(|test| test.only(".spec.start", ["no number"])));
    assert!(failure.contains("is not tested: no random object of v1beta1 matches its schema"), "{failure}");
}

mod variant_that_is_not_inverse {
    use super::*;

    #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[crd(group = "example.com", version = "v1beta2", kind = "Timer", namespaced, storage = false, test = false)]
    #[convert(hub = super::timer::Timer)]
    pub struct TimerSpec {
        pub start: String,
        pub steps: Vec<timer::Step>,
        pub limits: BTreeMap<String, timer::Step>,
        pub end: End,
        pub pause: String,
    }

    #[derive(KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[convert(hub = super::timer::End)]
    #[serde(rename_all = "camelCase")]
    pub enum End {
        At {
            #[convert(with = lower_case)]
            time: String,
        },
        Never {},
    }

    mod lower_case {
        pub fn to_hub(time: String) -> String {
            time.to_lowercase()
        }
        pub fn from_hub(time: String) -> String {
            time
        }
    }
}

#[test]
fn functions_of_variants_that_are_not_inverse_are_found() {
    let failure = failure_of(&ConversionTest::of::<variant_that_is_not_inverse::Timer>());
    assert!(failure.starts_with("`from_hub` is not the inverse of `to_hub` for `spec.end.at.time`: "), "{failure}");
}
