use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::serde::json::tests::{
    documents::{documents, odd},
    *,
};

#[test]
fn unusual_values_decode_as_in_serde() {
    fn all<T: Read>() {
        for text in odd() {
            compare::<T>(&text);
            compare::<Option<T>>(&text);
            compare::<Vec<T>>(&format!("[{text},{text}]"));
            compare::<BTreeMap<String, Box<T>>>(&format!("{{\"a\":{text} ,\"b\":{text}}}"));
        }
    }
    all::<i8>();
    all::<i16>();
    all::<i32>();
    all::<i64>();
    all::<isize>();
    all::<u8>();
    all::<u16>();
    all::<u32>();
    all::<u64>();
    all::<usize>();
    all::<f32>();
    all::<f64>();
    all::<bool>();
    all::<String>();
    all::<Value>();
    all::<Time>();
    all::<Vec<String>>();
    all::<HashMap<String, Value>>();
}

#[test]
fn usual_values_are_decoded() {
    assert_eq!(assert_decodes::<u64>("18446744073709551615"), u64::MAX);
    assert_eq!(assert_decodes::<i64>("-9223372036854775808"), i64::MIN);
    assert_eq!(assert_decodes::<u8>(" 7 "), 7);
    assert_eq!(assert_decodes::<f64>("-1.5e3"), -1500.0);
    assert_eq!(assert_decodes::<f64>("3"), 3.0);
    assert_eq!(assert_decodes::<String>(r#""a\n\ud83d\ude00""#), "a\n😀");
    assert_eq!(assert_decodes::<Option<bool>>("null"), None);
    assert_eq!(assert_decodes::<Vec<bool>>("[true , false]"), [true, false]);
    assert!(assert_decodes::<Vec<bool>>("[ ]").is_empty());
    assert_eq!(assert_decodes::<BTreeMap<String, u8>>(r#"{"a":1,"a":2}"#)["a"], 2);
    assert!(assert_decodes::<HashMap<String, Vec<u8>>>(r#"{ "a" : [ ] }"#)["a"].is_empty());
}

#[test]
fn nesting_limit_equals_serde() {
    type Deep = BTreeMap<String, Vec<Vec<Value>>>;
    for depth in 120..135 {
        let text = |inner: usize| format!(r#"{{"a":[[{}1{}]]}}"#, "[".repeat(inner), "]".repeat(inner));
        let known = compare::<Deep>(&text(depth - 3)).is_some();
        assert_eq!(known, depth <= 127);
        assert_eq!(serde_json::from_str::<Deep>(&text(depth - 3)).is_ok(), known);
    }
}

proptest! {
    #[test]
    fn changed_values_decode_as_in_serde(
        text in documents(json!({ "a": [{ "b": 1.5 }, {}], "c": [], "d": [{ "e": null, "f": 7 }] })),
    ) {
        compare::<BTreeMap<String, Vec<HashMap<String, Option<f64>>>>>(&text);
        compare::<HashMap<String, Value>>(&text);
        compare::<Value>(&text);
    }

    #[test]
    fn numbers_decode_as_in_serde(number in r"-?[0-9]{1,22}(\.[0-9]{0,20})?([eE][+-]?[0-9]{0,3})?") {
        compare::<f64>(&number);
        compare::<f32>(&number);
        compare::<i64>(&number);
        compare::<u64>(&number);
        compare::<i32>(&number);
    }
}
