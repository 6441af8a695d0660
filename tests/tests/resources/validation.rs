//! The keywords of schemars, validator and garde.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::served;

const LONGEST: usize = 4;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "validation.example.com", version = "v1", kind = "Checked", derive = "PartialEq")]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckedSpec {
    #[schemars(length(min = 2, max = LONGEST))]
    pub(crate) text: String,
    #[schemars(length(equal = 2))]
    pub(crate) list: Vec<u8>,
    #[schemars(length(min = 1, max = 2))]
    pub(crate) map: BTreeMap<String, u8>,
    #[schemars(range(min = -1, max = 1))]
    pub(crate) integer: i32,
    #[schemars(range(min = -0.5, max = 1.5))]
    pub(crate) number: f64,
    #[schemars(range(min = 1))]
    pub(crate) optional: Option<u64>,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    pub(crate) regex: String,
    #[schemars(contains(pattern = "a.c"))]
    pub(crate) contains: String,
    #[schemars(email)]
    pub(crate) email: String,
    #[schemars(url)]
    pub(crate) url: String,
    #[schemars(ip)]
    pub(crate) ip: String,
    #[schemars(ipv4)]
    pub(crate) ipv4: String,
    #[schemars(ipv6)]
    pub(crate) ipv6: String,
    #[schemars(inner(length(max = 2), regex(pattern = "^x")))]
    pub(crate) inner: Vec<String>,
    #[schemars(inner(inner(range(max = 3))))]
    pub(crate) inner_inner: Vec<Vec<u8>>,
    #[schemars(required)]
    pub(crate) required: Option<String>,
    #[schemars(title = "A title", description = "Described.", example = 5)]
    pub(crate) annotated: u8,
    #[validate(length(min = 1), custom(function = "unknown"))]
    pub(crate) of_validator: String,
    #[garde(length(max = 2), custom(unknown))]
    pub(crate) of_garde: String,
}

fn checked(name: &str) -> Checked {
    let spec = json!({
        "text": "abc",
        "list": [1, 2],
        "map": { "a": 1 },
        "integer": 1,
        "number": 1.0,
        "optional": 1,
        "regex": "abc",
        "contains": "xa.cx",
        "email": "a@example.com",
        "url": "https://example.com/",
        "ip": "::1",
        "ipv4": "127.0.0.1",
        "ipv6": "::1",
        "inner": ["xy"],
        "innerInner": [[1], [2, 3]],
        "required": "there",
        "annotated": 5,
        "ofValidator": "ab",
        "ofGarde": "ab",
    });
    Checked::new(name, serde_json::from_value(spec).unwrap())
}

#[tokio::test]
async fn valid_objects_are_kept() {
    let Some(served) = served::<Checked>().await else {
        return;
    };
    served.keeps(checked("kept")).await;
    let mut without = checked("without");
    without.spec.optional = None;
    served.keeps(without).await;
}

#[tokio::test]
async fn each_keyword_is_enforced() {
    let Some(served) = served::<Checked>().await else {
        return;
    };
    let changes = [
        ("/spec/text", json!("a"), "spec.text"),
        ("/spec/text", json!("abcde"), "spec.text"),
        ("/spec/list", json!([1]), "spec.list"),
        ("/spec/list", json!([1, 2, 3]), "spec.list"),
        ("/spec/map", json!({}), "spec.map"),
        ("/spec/map", json!({ "a": 1, "b": 1, "c": 1 }), "spec.map"),
        ("/spec/integer", json!(-2), "spec.integer"),
        ("/spec/integer", json!(2), "spec.integer"),
        ("/spec/number", json!(-0.6), "spec.number"),
        ("/spec/number", json!(1.6), "spec.number"),
        ("/spec/optional", json!(0), "spec.optional"),
        ("/spec/regex", json!("ABC"), "spec.regex"),
        ("/spec/contains", json!("abc"), "spec.contains"),
        ("/spec/email", json!("no-address"), "spec.email"),
        ("/spec/url", json!("no url"), "spec.url"),
        ("/spec/ip", json!("127.0.0"), "spec.ip"),
        ("/spec/ipv4", json!("::1"), "spec.ipv4"),
        ("/spec/ipv6", json!("127.0.0.1"), "spec.ipv6"),
        ("/spec/inner/0", json!("xyz"), "spec.inner[0]"),
        ("/spec/inner/0", json!("yx"), "spec.inner[0]"),
        ("/spec/innerInner/1", json!([4]), "spec.innerInner[1][0]"),
        ("/spec/required", json!(null), "spec.required"),
        ("/spec/ofValidator", json!(""), "spec.ofValidator"),
        ("/spec/ofGarde", json!("abc"), "spec.ofGarde"),
    ];
    served.refuses(&checked("refused"), &changes).await;
}
