//! Formats of text. The server lets lists pass where text has one.

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Formats {
    #[crd(format = "hostname")]
    host: Option<String>,
    #[crd(format = "date-time")]
    since: Option<String>,
    #[crd(items(format = "ipv4"))]
    addresses: Vec<String>,
}

forms! {
    formats: Formats = {
        "type": "object",
        "properties": {
            "host": { "type": "string", "nullable": true, "format": "hostname" },
            "since": { "type": "string", "nullable": true, "format": "date-time" },
            "addresses": { "type": "array", "items": { "type": "string", "format": "ipv4" } },
        },
        "required": ["addresses"],
    },
    accepts [
        { "host": "a.example.com", "since": "2030-01-02T03:04:05Z", "addresses": ["10.0.0.1"] },
        { "host": null, "since": null, "addresses": [] },
    ],
    refuses [
        { "host": "a b", "addresses": [] },
        { "since": "2030-01-02", "addresses": [] },
        { "addresses": ["::1"] },
        { "addresses": [1] },
    ];
}
