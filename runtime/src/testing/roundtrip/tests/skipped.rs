//! Paths that are skipped.

use super::*;

planted! {
    Parts = Schema::object(&[
        Field::new("name", &Schema::string()),
        Field::new("size", &Schema::integer()).optional(),
        Field::new("sizes", &Schema::list(&Schema::integer())),
        Field::new("named", &Schema::map(&Schema::object(&[Field::new("size", &Schema::integer()).optional()]))),
    ]) => { name: String, size: Option<String>, sizes: Vec<String>, named: std::collections::BTreeMap<String, Part> }
}

#[derive(Serialize, Deserialize)]
struct Part {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<String>,
}

fn parts() -> RoundtripTest {
    RoundtripTest::of_type::<Parts>()
}

#[test]
fn what_is_skipped_is_not_compared() {
    let skipped = parts().skip(".size").skip(".sizes[]").skip(".named[*].size");
    skipped.check();
    let report = skipped.run();
    assert_eq!(
        report.unchecked,
        [".size: excluded with `skip`", ".sizes[]: excluded with `skip`", ".named[*].size: excluded with `skip`"]
    );
    assert!(report.excluded > 0, "{report}");
}

#[test]
fn all_entries_of_a_map() {
    parts().skip(".size").skip(".sizes[]").skip(".named[*]").check();
}

#[test]
fn the_message_has_the_path() {
    let advice = |check: RoundtripTest| {
        let report = check.run();
        assert!(!report.is_good());
        report.to_string()
    };
    for (check, path) in [
        (parts().skip(".sizes[]").skip(".named[*]"), ".size"),
        (parts().skip(".size").skip(".named[*]"), ".sizes[]"),
        (parts().skip(".size").skip(".sizes[]"), ".named[*]"),
    ] {
        let text = advice(check);
        assert!(text.contains(&format!("`RoundtripTest::skip(\"{path}\")`")), "{text}");
    }
}

#[test]
#[should_panic(
    expected = "`.name` of crdkit::testing::roundtrip::tests::skipped::Parts cannot be skipped, because it is required"
)]
fn a_required_field() {
    parts().skip(".name").check();
}

#[test]
#[should_panic(expected = "has no field `.nam`")]
fn a_field_that_does_not_exist() {
    parts().skip(".nam").check();
}
