use proptest::prelude::*;

use super::*;

#[track_caller]
fn assert_redacted(message: &str, expected: &str) {
    assert_eq!(redacted(message, QuoteLimit::default()), expected);
}

#[test]
fn values_of_fields_are_hidden() {
    assert_redacted(
        r#"metadata.name: Invalid value: "hun\"ter2": a lowercase RFC 1123 subdomain"#,
        "metadata.name: Invalid value: [hidden]: a lowercase RFC 1123 subdomain",
    );
    assert_redacted(
        r#"is invalid: [spec.a: Unsupported value: "hunter2": supported values: "A", "B", spec.b: Too many: 5: must have at most 3 items]"#,
        r#"is invalid: [spec.a: Unsupported value: [hidden]: supported values: "A", "B", spec.b: Too many: 5: must have at most 3 items]"#,
    );
    assert_redacted(r#"Duplicate value: {"name":"hunter2"}"#, "Duplicate value: [hidden]");
    assert_redacted(r#"Invalid value: [{"a":"hunter2"}]: must be one"#, "Invalid value: [hidden]: must be one");
    assert_redacted("Invalid value: 4711: must be less than 10", "Invalid value: [hidden]: must be less than 10");
    assert_redacted("Invalid value: 10Gi: must be less", "Invalid value: [hidden]: must be less");
    assert_redacted("Invalid value: core.A{B:\"hunter2\"}: must be", "Invalid value: [hidden]");
    assert_redacted("Invalid value: 2026-01-01 00:00:00 UTC: must be", "Invalid value: [hidden]");
    assert_redacted(r#"Invalid value: "hunter2"#, "Invalid value: [hidden]");
    assert_redacted(r#"Not found: "hunter2""#, "Not found: [hidden]");
    assert_redacted(
        r#"Invalid value: "hunter2": must not be hunter2"#,
        "Invalid value: [hidden]: must not be [hidden]",
    );
}

#[test]
fn messages_without_values_are_unchanged() {
    for message in [
        "spec.size: Required value: must be set",
        "spec.name: Too long: may not be more than 63 bytes",
        "pods is forbidden: User \"jane\" cannot list resource \"pods\" in API group \"\" at the cluster scope",
        "pods \"web\" not found",
        "strict decoding error: unknown field \"spec.foo\"",
        "the bearer token is missing",
        "basic authentication is off",
        "error parsing the patch",
    ] {
        assert!(
            matches!(redacted(message, QuoteLimit::default()), Cow::Borrowed(same) if same == message),
            "{message}"
        );
    }
}

#[test]
fn values_in_parser_and_request_errors_are_hidden() {
    assert_redacted(
        r#"parsing time "hunter2" as "2006-01-02": cannot parse "hunter2" as "2006""#,
        r#"parsing time [hidden] as "2006-01-02": cannot parse [hidden] as "2006""#,
    );
    assert_redacted(r#"strconv.Atoi: parsing "hunter2": bad"#, "strconv.Atoi: parsing [hidden]: bad");
    for message in [
        r#"error found in #10 byte of ...|"hunter2"}|..."#,
        "yaml: cannot unmarshal !!str `hunter2` into int",
        "invalid header Authorization: Bearer hunter2",
        "the token Bearer hunter2, sent twice",
        "-----BEGIN CERTIFICATE-----\nhunter2\n-----END CERTIFICATE-----",
        "token eyJhunter2.eyJz.s is expired",
    ] {
        let text = redacted(message, QuoteLimit::default());
        assert!(text.contains(HIDDEN) && !text.contains("hunter2"), "{text}");
    }
}

#[test]
fn only_known_texts_are_shown_instead_of_a_status() {
    for text in ["404 page not found", "Bad Gateway", "Not Found", "no reason given"] {
        assert_eq!(describe_non_status(404, text), text);
    }
    for text in ["hunter2", "<html>hunter2</html>", "{\"a\":\"hunter2\"}", "404 page hunter2"] {
        let shown = describe_non_status(502, text);
        let size = format!("of {} bytes", text.len());
        assert!(!shown.contains("hunter2") && shown.contains(&size), "{shown}");
    }
}

#[test]
fn values_that_are_part_of_their_replacement_do_not_grow() {
    let values =
        ["hidd", "idde", "dden", "[hidden]"].repeat(30).into_iter().map(|value| format!("Not found: \"{value}\", "));
    let message = format!("{}hidd hidden]", values.collect::<String>());
    let expected = format!("{}[hidden] [hidden]en]", "Not found: [hidden], ".repeat(120));
    assert_redacted(&message, &expected);
}

#[test]
fn the_longest_value_is_hidden() {
    assert_redacted(
        r#"Not found: "secret", Not found: "secret-of-web", no secret-of-web, secrets"#,
        "Not found: [hidden], Not found: [hidden], no [hidden], [hidden]s",
    );
}

#[test]
fn words_of_responses_are_truncated_to_one_line() {
    assert_eq!(Excerpt(r#"a["b\c"]"#).to_string(), r#"a["b\c"]"#);
    assert_eq!(Excerpt("a\nb\u{202e}").to_string(), "a\\nb\\u{202e}");
    let longest = "ä".repeat(MAX_WORD_LENGTH);
    assert_eq!(Excerpt(&longest).to_string(), longest);
    let truncated = format!("{longest} ...");
    assert_eq!(Excerpt(&longest.repeat(2)).to_string(), truncated);
}

proptest! {
    #[test]
    fn values_in_go_syntax_are_hidden(value in "[a-z\"\\\\:, \\]}]{0,8}QZ[a-z\"\\\\:, \\]}]{0,8}", mark in 0_usize..4) {
        let (mark, _) = VALUE_PREFIXES[mark];
        let quoted = serde_json::to_string(&value).unwrap();
        let json = serde_json::json!([{ "a": value }]);
        for written in [quoted, json.to_string()] {
            let message = format!("a.b: {mark}{written}: it must be more");
            prop_assert_eq!(redacted(&message, QuoteLimit::default()), format!("a.b: {mark}{HIDDEN}: it must be more"));
        }
    }

    #[test]
    fn any_text_can_be_redacted(text in ".{0,60}", mark in 0_usize..15, more in ".{0,40}") {
        let (mark, _) = VALUE_PREFIXES[mark];
        let message = format!("{text}{mark}{more}");
        redacted(&message, QuoteLimit::default());
    }
}
