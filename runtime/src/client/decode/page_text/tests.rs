use super::*;

#[test]
fn members_of_lists_may_be_in_any_order() {
    let first = r#"{"apiVersion":"v1","items":[{"a":1},{"b":"]}"}],"kind":"L","metadata":{"continue":"c","resourceVersion":"7"}}"#;
    let last = r#" { "metadata" : {"resourceVersion":"7","continue":"c","remainingItemCount":3}, "items" : [ {"a":1} , {"b":"]}"} ] } "#;
    for json in [first, last] {
        assert!(scan_members(json).is_some());
        let page = PageText::read(json).unwrap();
        assert_eq!(page.items.unwrap(), [r#"{"a":1}"#, r#"{"b":"]}"}"#]);
        assert_eq!(page.metadata.continue_.as_deref(), Some("c"));
        assert_eq!(page.metadata.resource_version.as_deref(), Some("7"));
    }
}

#[test]
fn a_list_without_items_is_empty() {
    for json in [
        r#"{"items":null,"metadata":{"resourceVersion":"7"}}"#,
        r#"{"items":[],"metadata":{"resourceVersion":"7"}}"#,
        r#"{"it\u0065ms":null,"metadata":{"continue":"","resourceVersion":"7"}}"#,
    ] {
        let page = PageText::read(json).unwrap();
        let items = page.items.unwrap();
        assert!(items.is_empty(), "{json}");
        assert!(page.metadata.continue_.is_none_or(|token| token.is_empty()), "{json}");
    }
}

#[test]
fn a_response_without_items_or_version_is_not_a_list() {
    for json in [
        "{}",
        r#"{"status":"ok"}"#,
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":502}"#,
        r#"{"metadata":{"resourceVersion":"7"}}"#,
        r#"{"it\u0065m":[],"metadata":{"resourceVersion":"7"}}"#,
    ] {
        assert!(!PageText::read(json).unwrap().header().has_items, "{json}");
    }
    for json in
        [r#"{"items":[]}"#, r#"{"items":[],"metadata":null}"#, r#"{"items":[],"metadata":{"resourceVersion":""}}"#]
    {
        let page = PageText::read(json).unwrap();
        assert!(
            page.header().has_items && page.metadata.resource_version.is_none_or(|version| version.is_empty()),
            "{json}"
        );
    }
}

#[test]
fn lists_have_types() {
    for json in [
        r#"{"kind":"AList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}"#,
        r#"{"k\u0069nd":"AList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}"#,
    ] {
        let page = PageText::read(json).unwrap();
        assert_eq!(page.kind.as_deref(), Some("AList"), "{json}");
        assert_eq!(page.api_version.as_deref(), Some("v1"), "{json}");
    }
}

#[test]
fn unusually_written_lists_are_parsed() {
    let odd = r#"{"it\u0065ms":[{"a":1}, 2 ],"metadata":{"resourceVersion":"7"}}"#;
    assert!(scan_members(odd).is_none());
    let page = PageText::read(odd).unwrap();
    assert_eq!(page.items.unwrap(), [r#"{"a":1}"#, "2"]);
    assert_eq!(page.metadata.resource_version.as_deref(), Some("7"));
}

#[test]
fn an_invalid_item_does_not_affect_others() {
    let page = PageText::read(r#"{"items":[{"a":nul},{"b":1},null],"metadata":{"resourceVersion":"7"}}"#).unwrap();
    assert_eq!(page.items.unwrap(), [r#"{"a":nul}"#, r#"{"b":1}"#, "null"]);
}

#[test]
fn non_lists_are_rejected() {
    let whole = r#"{"items":[{"a":{}}],"metadata":{"resourceVersion":"7"}}"#;
    assert!(PageText::read(whole).is_ok());
    for end in 0..whole.len() {
        assert!(PageText::read(&whole[..end]).is_err(), "{}", &whole[..end]);
    }
    for odd in [
        "null",
        "[]",
        r#"{"items":{}}"#,
        r#"{"items":[{}],}"#,
        r#"{"items":[{},]}"#,
        r#"{"items":[{}{}]}"#,
        r#"{"items":[],"items":[]}"#,
        r#"{"items":[]}{"#,
        r#"{"metadata":{"continue":1}}"#,
    ] {
        assert!(PageText::read(odd).is_err(), "{odd}");
    }
}

#[test]
fn items_take_no_more_memory_than_their_text() {
    let list = |item: &str, count| {
        let items = vec![item; count].join(",");
        format!(r#"{{"items":[{items}],"metadata":{{"resourceVersion":"7"}}}}"#)
    };
    let named = r#"{"metadata":{"name":"a"}}"#;
    assert_eq!(PageText::read(&list(named, 100_000)).unwrap().items.unwrap().len(), 100_000);
    for short in ["0", "{}", r#"{"metadata":{}}"#] {
        assert!(PageText::read(&list(short, 1000)).is_ok(), "{short}");
        let text = list(short, 100_000);
        let odd = text.replacen("items", r"it\u0065ms", 1);
        for text in [text, odd] {
            let error = PageText::read(&text).err().unwrap().to_string();
            assert!(error.contains("too short for objects"), "{error}");
        }
    }
}
