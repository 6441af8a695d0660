//! The test that a resource brings: found and run where tests can be, and harmless in functions.

#![deny(warnings)]

use std::process::{Command, Output};

use crdkit::{CustomResource, KubeSchema, testing::RoundtripTest};
use kube::CustomResourceExt;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "example.com", version = "v1", kind = "Outer")]
struct OuterSpec {
    size: u8,
}

mod nested {
    pub(crate) mod deeper {
        use crdkit::{CustomResource, KubeSchema};
        use serde::{Deserialize, Serialize};

        #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
        #[crd(group = "example.com", version = "v1", kind = "HTTPRoute")]
        pub(crate) struct HTTPRouteSpec {
            size: u8,
        }
    }
}

fn name_of_a_local_resource() -> &'static str {
    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Local")]
    struct LocalSpec {
        size: u8,
    }

    Local::crd_name()
}

#[test]
fn functions_have_resources() {
    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Inner")]
    struct InnerSpec {
        size: u8,
    }

    assert_eq!(Inner::crd_name(), "inners.example.com");
    assert_eq!(name_of_a_local_resource(), "locals.example.com");
}

/// Runs this program, which is the tests of this file.
fn run(arguments: &[&str]) -> Output {
    let program = std::env::current_exe().unwrap();
    Command::new(program).args(arguments).output().unwrap()
}

#[derive(KubeSchema, Serialize, Deserialize)]
struct Link {
    #[schemars(url)]
    url: String,
    size: Option<u8>,
}

#[test]
fn documents_of_a_link() {
    RoundtripTest::of_type::<Link>().only(".url", ["https://example.com"]).skip(".size").min_percent(10).check();
}

/// A test that leaves out most of a type looks like one that checks all of it.
#[test]
fn a_round_trip_prints_what_it_leaves_out() {
    let output = run(&["documents_of_a_link", "--exact", "--nocapture", "--test-threads=1"]);
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.contains("the schema and the decoder")).expect(&text);
    for part in ["::Link are consistent; ", " documents with seed 0: ", " excluded; not checked: .url: "] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn the_tests_of_modules_are_found_by_name() {
    for resource in ["outer", "h_t_t_p_route"] {
        let name = format!("{resource}_is_a_valid_resource");
        let output = run(&[&name]);
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{printed}");
        assert!(printed.contains(&format!("{name} ... ok")), "{printed}");
        assert!(printed.contains("1 passed"), "{printed}");
    }
}

#[test]
fn the_tests_in_functions_are_not_run() {
    let output = run(&["--list"]);
    let listed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(listed.matches("_is_a_valid_resource: test").count(), 2);
}
