//! The test that a resource brings: found and run where tests can be, and harmless in functions.

#![deny(warnings)]

use std::process::{Command, Output};

use crdkit::{CustomResource, KubeSchema};
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
