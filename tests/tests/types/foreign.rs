//! Types that only implement `schemars::JsonSchema`.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
};

use crdkit::schema::{ForeignSchema, Schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{disagreements, judge, samples};

/// Where to.
#[derive(Serialize, Deserialize, JsonSchema)]
enum Direction {
    /// Not down.
    Up,
    Down,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Move {
    /// How far.
    distance: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum External {
    Move(Move),
    Stop { now: Option<bool> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Internal {
    /// By so much.
    Move(Move),
    Turn {
        distance: u8,
        right: bool,
    },
    Stop,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "by")]
enum Adjacent {
    Move(Move),
    Turn { right: bool },
    Stop,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Far(Move),
    Near { name: String },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Count {
    Few(u8),
    Many(Direction),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flat {
    name: Option<String>,
    #[serde(flatten)]
    one: Internal,
    #[serde(flatten)]
    other: Option<External>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Plain {
    /// Deprecated.
    option: Option<Direction>,
    #[schemars(range(min = 1, max = 10))]
    ranged: i64,
    pair: (u8, u8),
    limits: HashMap<u32, f32>,
    address: IpAddr,
    values: BTreeMap<String, Value>,
    /// An [`Internal`].
    nested: Vec<Option<Internal>>,
}

impl Default for Plain {
    fn default() -> Self {
        Self {
            option: None,
            ranged: 1,
            pair: (1, 2),
            limits: HashMap::new(),
            address: [127, 0, 0, 1].into(),
            values: BTreeMap::new(),
            nested: Vec::new(),
        }
    }
}

macro_rules! schema_of {
    (roundtrip of $type:ty) => {
        crdkit::testing::RoundtripTest::of_type::<crdkit::Foreign<$type>>()
    };
    ($type:ty) => {
        Schema::foreign(ForeignSchema::of::<$type>())
    };
}

samples! {
    schema_of:

    direction: Option<Direction> = ["Up", "Down"], not ["Left"];
    external: External = [{ "Move": { "distance": 1 } }, { "Stop": { "now": null } }],
        not [{}, { "Move": { "distance": 1 }, "Stop": {} }, { "Move": {} }];
    internal: Internal = [
        { "kind": "Move", "distance": 1 }, { "kind": "Turn", "distance": 1, "right": true }, { "kind": "Stop" },
    ], not [{ "kind": "Move" }, { "kind": "Turn", "distance": 1 }, { "kind": "Fly" }, {}];
    adjacent: Adjacent = [
        { "kind": "Move", "by": { "distance": 1 } }, { "kind": "Turn", "by": { "right": true } }, { "kind": "Stop" },
    ], not [{ "kind": "Move", "by": { "right": true } }, { "kind": "Turn" }];
    untagged: Untagged = [{ "distance": 1 }, { "name": "a" }], not [{}, { "distance": -1 }];
    count: Count = [1, "Up"], not [256, "Left", true];
    flat: Flat = [
        { "name": "a", "kind": "Stop" }, { "name": null, "kind": "Stop", "Move": { "distance": 1 } },
    ], not [{ "name": "a" }];
    plain: Plain = [{
        "option": "Up", "ranged": 10, "pair": [1, 2], "limits": { "1": 0.5 }, "address": "::1",
        "values": { "a": [{ "b": null }] }, "nested": [{ "kind": "Stop" }, null],
    }], not [{ "ranged": 11 }, { "pair": [1] }, { "pair": [1, 256] }, { "nested": [{}] }];
}

#[tokio::test]
async fn the_server_agrees_with_serde() {
    judge(&SPEC, samples()).await;
}

/// What is left: content beside a variant that has none, and a text of a form that the server has no format for.
#[test]
fn schemas_and_decoders_agree() {
    let disagreements = disagreements(samples());
    let found: Vec<_> = disagreements.iter().map(|(field, path)| (*field, path.as_str())).collect();
    assert_eq!(found, [("adjacent", ".by"), ("plain", ".address")]);
}
