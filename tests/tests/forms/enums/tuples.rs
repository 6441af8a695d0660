//! Tuples, tuple structs and variants that are tuples.

use serde::{Deserialize, Serialize};

use super::forms;

forms! {
    {
        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Point(i64, i64, i64);

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Mixed(u8, u16);

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Fields {
            pair: (String, String),
            all: Vec<(Option<bool>, bool)>,
        }
    }

    point: Point = {
        "type": "array", "items": { "type": "integer", "format": "int64" }, "minItems": 3, "maxItems": 3,
    },
    accepts [[1, 2, 3]],
    refuses [[1, 2], [1, 2, 3, 4], [1, 2, "3"], {}];

    mixed: Mixed = {
        "type": "array",
        "items": { "type": "integer", "minimum": 0, "maximum": 65535 },
        "minItems": 2,
        "maxItems": 2,
    },
    accepts [[1, 300]],
    refuses [[-1, 1], [1], [1, 65536]];

    fields: Fields = {
        "type": "object",
        "properties": {
            "pair": { "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 },
            "all": {
                "type": "array",
                "items": {
                    "type": "array", "items": { "type": "boolean", "nullable": true }, "minItems": 2, "maxItems": 2,
                },
            },
        },
        "required": ["all", "pair"],
    },
    accepts [{ "pair": ["a", "b"], "all": [[null, true], [true, false]] }],
    refuses [{ "pair": ["a"], "all": [] }, { "pair": ["a", 1], "all": [] }, { "pair": ["a", "b"], "all": [[true]] }];
}
