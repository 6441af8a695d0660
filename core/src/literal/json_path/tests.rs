use alloc::{borrow::ToOwned, string::ToString, vec, vec::Vec};

use super::{JsonPathStep, steps, stray_identifier};

fn field(name: &str) -> JsonPathStep {
    JsonPathStep::Field(name.to_owned())
}

#[test]
fn what_a_schema_can_follow() {
    let spec = || field("spec");
    for (path, expected) in [
        ("", vec![]),
        (".", vec![field("")]),
        (".spec", vec![spec()]),
        (".spec.a-b", vec![spec(), field("a-b")]),
        (r".spec.a\.b/c", vec![spec(), field("a.b/c")]),
        (r".spec['a\.b']", vec![spec(), field("a.b")]),
        (".spec['a.b']", vec![spec(), field("a"), field("b")]),
        (".spec.l[0].x", vec![spec(), field("l"), JsonPathStep::Items, field("x")]),
        (".spec.l[-1:]", vec![spec(), field("l"), JsonPathStep::Items]),
        (".spec.l[*]", vec![spec(), field("l"), JsonPathStep::Items]),
        (".spec.*", vec![spec(), JsonPathStep::Unknown]),
        (".spec..deep", vec![spec(), JsonPathStep::Unknown]),
        (".spec.l[0,2].x", vec![spec(), field("l"), JsonPathStep::Unknown]),
        (r#".spec.l[?(@.type=="Ready")].status"#, vec![spec(), field("l"), JsonPathStep::Items, field("status")]),
        (".spec.a b", vec![spec(), field("a"), JsonPathStep::Unknown]),
        (".spec}{.a", vec![JsonPathStep::Unknown]),
    ] {
        assert_eq!(steps(path), Ok(expected), "{path}");
    }
}

#[test]
fn words_without_a_dot() {
    for (path, expected) in [
        (".spec.my size", Some("size")),
        (".spec.list[0]x", Some("x")),
        (r".spec.my\ size", None),
        (".spec", None),
        (".spec true", None),
        (".spec[", None),
    ] {
        assert_eq!(stray_identifier(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn mistakes() {
    for (path, advice) in [
        (".spec[", "write `]`"),
        (".spec[x]", "`['a']`"),
        (r#".spec["x"]"#, "single quotes"),
        (".spec[1:2:3:4]", "an index"),
        (".spec[?(@.a", "`)]`"),
        (".spec[?(@.a)x]", "`)]`"),
        (".spec....a", "remove one"),
        (".spec]", "']'"),
        (".spec.a\\", "ends"),
        (".spec +", "not a number"),
        (r#".spec "\q""#, "backslash"),
        (".spec 'a", "quote"),
        (".a\n", "ends"),
    ] {
        let error = steps(path).map(|_| ()).map_err(|it| it.to_string());
        let message = error.expect_err(path);
        assert!(message.contains(advice), "{path}: {message}");
    }
    assert_eq!(steps(".a{.b}").map(|it| it.len()).ok(), None);
    let filters: Vec<_> = steps(".a[?(@.b==')')].c").into_iter().flatten().collect();
    assert_eq!(filters, [field("a"), JsonPathStep::Items, field("c")]);
}
