//! Pointers and wrappers, which serde writes as their content.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
    sync::{Arc, Mutex, RwLock, atomic},
};

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize, Clone)]
pub(crate) struct Part {
    size: u8,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Pointers<'a> {
    boxed: Box<Part>,
    shared: Arc<Part>,
    counted: Rc<Option<Part>>,
    text: Arc<str>,
    slice: Box<[Box<str>]>,
    borrowed: Cow<'a, str>,
    owned: Option<Cow<'a, [Part]>>,
    locked: Mutex<RwLock<bool>>,
    inner: RefCell<Cell<bool>>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Inner {
    #[serde(default)]
    counted: Rc<Option<bool>>,
}

forms! {
    pointers: Pointers<'static> = {
        "type": "object",
        "properties": {
            "boxed": {
                "type": "object",
                "properties": { "size": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["size"],
            },
            "shared": {
                "type": "object",
                "properties": { "size": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["size"],
            },
            "counted": {
                "type": "object",
                "nullable": true,
                "properties": { "size": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["size"],
            },
            "text": { "type": "string" },
            "slice": { "type": "array", "items": { "type": "string" } },
            "borrowed": { "type": "string" },
            "owned": {
                "type": "array",
                "nullable": true,
                "items": {
                    "type": "object",
                    "properties": { "size": { "type": "integer", "minimum": 0, "maximum": 255 } },
                    "required": ["size"],
                },
            },
            "locked": { "type": "boolean" },
            "inner": { "type": "boolean" },
        },
        "required": ["borrowed", "boxed", "inner", "locked", "shared", "slice", "text"],
    },
    accepts [
        {
            "boxed": { "size": 1 }, "shared": { "size": 2 }, "counted": { "size": 3 }, "text": "a", "slice": ["b", "b"],
            "borrowed": "c", "owned": [{ "size": 4 }], "locked": true, "inner": false,
        },
        {
            "boxed": { "size": 1 }, "shared": { "size": 2 }, "counted": null, "text": "", "slice": [],
            "borrowed": "", "owned": null, "locked": true, "inner": false,
        },
    ],
    refuses [{}, {
        "boxed": { "size": 256 }, "shared": { "size": 2 }, "counted": null, "text": "a", "slice": [],
        "borrowed": "c", "locked": true, "inner": false,
    }];

    defaulted_pointer: Inner = {
        "type": "object", "properties": { "counted": { "type": "boolean", "nullable": true } },
    },
    accepts [{ "counted": null }, { "counted": true }], refuses [{ "counted": 1 }];

    atomic_number: atomic::AtomicU16 = { "type": "integer", "minimum": 0, "maximum": 65535 },
    accepts [0, 65535], refuses [65536];
}
