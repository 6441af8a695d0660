//! `cel`: rules run in process.

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "cel.example.com",
    version = "v1",
    kind = "Limited",
    cel,
    validation = Rule::new("self.metadata.name != 'bad'").message("a bad name")
)]
struct LimitedSpec {
    #[x_kube(validation = Rule::new("self < 10").message("too much"))]
    much: i64,
    #[x_kube(validation = Rule::new("self >= oldSelf").message("shrinks"))]
    growing: i64,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[x_kube(cel, validation = Rule::new("self.low <= self.high").message("upside down"))]
struct Range {
    low: i64,
    high: i64,
}

/// Rules with the syntax of optional values, and the functions of libraries.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "cel.example.com", version = "v1", kind = "Optional", cel)]
#[x_kube(validation = Rule::new("self.?note.orValue('') != 'bad'").message("a bad note"))]
#[x_kube(validation = Rule::new("self.?size.hasValue() || self.?note.hasValue()").message("nothing is set"))]
struct OptionalSpec {
    note: Option<String>,
    #[x_kube(validation = Rule::new("oldSelf.orValue(self) <= self").message("shrinks").optional_old_self(true))]
    size: Option<i64>,
}

fn optional(note: Option<&str>, size: Option<i64>) -> Optional {
    Optional::new("a", OptionalSpec { note: note.map(str::to_owned), size })
}

#[test]
fn rules_with_optional_syntax_are_run() {
    for valid in [optional(Some("good"), None), optional(None, Some(1))] {
        assert_eq!(valid.validate_cel().map_err(|errors| errors.to_string()), Ok(()));
    }
    for (object, message) in [(optional(Some("bad"), None), "a bad note"), (optional(None, None), "nothing is set")] {
        let errors = object.validate_cel().unwrap_err();
        assert_eq!((errors.len(), errors[0].message.as_str(), errors[0].field_path.as_str()), (1, message, "spec"));
    }
    let [small, large] = [1, 2].map(|size| optional(None, Some(size)));
    assert!(large.validate_cel_update(&small).is_ok());
    let errors = small.validate_cel_update(&large).unwrap_err();
    assert_eq!((errors[0].message.as_str(), errors[0].field_path.as_str()), ("shrinks", "spec.size"));
}

fn limited(name: &str, much: i64, growing: i64) -> Limited {
    Limited::new(name, LimitedSpec { much, growing })
}

#[test]
fn rules_of_a_resource_are_run() {
    assert!(limited("good", 9, 1).validate_cel().is_ok());
    for (object, message) in [(limited("good", 10, 1), "too much"), (limited("bad", 9, 1), "a bad name")] {
        let errors = object.validate_cel().unwrap_err().to_string();
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn rules_about_changes_are_run() {
    let old = limited("good", 1, 5);
    assert!(limited("good", 1, 6).validate_cel_update(&old).is_ok());
    let shrunk = limited("good", 1, 4).validate_cel_update(&old);
    assert!(shrunk.unwrap_err().to_string().contains("shrinks"));
}

#[test]
fn rules_of_a_type_are_run() {
    assert!(Range::validate_cel(&json!({ "low": 1, "high": 2 }), None).is_ok());
    let errors = Range::validate_cel(&json!({ "low": 2, "high": 1 }), None).unwrap_err();
    assert!(errors.to_string().contains("upside down"), "{errors}");
}

#[test]
fn what_is_no_expression_is_found_by_the_generated_test() {
    const UNFINISHED: &str = "self != '' &&";
    const MESSAGE: &str = "'is ' + ";

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "cel.example.com", version = "v1", kind = "Unfinished", test = false)]
    struct UnfinishedSpec {
        #[crd(max_length = 9, validation = Rule::new(UNFINISHED))]
        name: String,
        #[crd(validation = Rule::new("self > 0").message(Message::Expression(MESSAGE.into())))]
        size: i32,
        #[crd(validation = "self.?name.orValue('') != ''")]
        right: std::collections::BTreeMap<String, String>,
    }
    let report = crdkit::testing::CheckReport::new(&<Unfinished as CustomResource>::DEFINITION);
    let violations = report.violations.iter().map(ToString::to_string);
    assert_eq!(
        violations.collect::<Vec<_>>(),
        [
            "v1.spec.name: the rule does not compile, at line 1, column 14: the expression is not finished\n \
             | self != '' &&\n | .............^",
            "v1.spec.size: the message expression does not compile, at line 1, column 9: the expression is not \
             finished\n | 'is ' + \n | ........^",
        ]
    );
}
