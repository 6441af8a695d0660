//! `crdkit::serde` reads and writes what serde's own derives read and write, with the same errors.

mod documents;
mod formats;
mod limits;
mod schemas;
mod types;

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Compares a type of `theirs` with the same type of `ours` on all documents.
fn compare<T, O>(name: &str)
where
    T: DeserializeOwned + Serialize + Debug,
    O: DeserializeOwned + Serialize + Debug,
{
    let mut read = 0;
    for document in documents::all() {
        let [theirs, ours] = [by_text::<T>(&document), by_text::<O>(&document)];
        assert_eq!(ours, theirs, "{name}: {document}");
        read += usize::from(theirs.is_ok());
        if let Ok(value) = serde_json::from_str::<Value>(&document) {
            assert_eq!(by_value::<O>(&value), by_value::<T>(&value), "{name}: {document}");
        }
    }
    assert!(read > 0, "no document is a {name}");
}

/// What a type makes of a document: the value, and what is written again.
type Outcome = Result<[String; 4], String>;

fn by_text<T: DeserializeOwned + Serialize + Debug>(document: &str) -> Outcome {
    serde_json::from_str(document).map(|value: T| outcome(&value)).map_err(|error| error.to_string())
}

fn by_value<T: DeserializeOwned + Serialize + Debug>(document: &Value) -> Outcome {
    serde_json::from_value(document.clone()).map(|value: T| outcome(&value)).map_err(|error| error.to_string())
}

fn outcome<T: Serialize + Debug>(value: &T) -> [String; 4] {
    let text = |text: Result<String, serde_json::Error>| text.unwrap_or_else(|error| error.to_string());
    [
        format!("{value:?}"),
        text(serde_json::to_string(value)),
        text(serde_json::to_string_pretty(value)),
        text(serde_json::to_value(value).map(|value| value.to_string())),
    ]
}

/// A type of a macro, whose tokens come from different places.
macro_rules! made {
    ($name:ident, $field:ident: $type:ty = $default:literal) => {
        #[derive(crdkit::serde::Serialize, crdkit::serde::Deserialize, Debug, PartialEq)]
        struct $name {
            $field: $type,
            #[serde(default = $default)]
            other: Option<$type>,
            same: Vec<i32>,
        }
    };
}

made!(Made, field: i32 = "seven");

fn seven() -> Option<i32> {
    Some(7)
}

#[test]
fn macros_can_make_types() {
    let made = Made { field: 1, other: seven(), same: vec![2] };
    assert_eq!(serde_json::from_str::<Made>(r#"{"field":1,"same":[2]}"#).unwrap(), made);
    assert_eq!(serde_json::to_string(&made).unwrap(), r#"{"field":1,"other":7,"same":[2]}"#);
}
