//! Requests, whose paths and bodies may refer to earlier responses.

use std::fmt;

use crdkit_tests::PROTOBUF;
use serde_json::{Value, json};

/// A request. Its path and its body may have these placeholders, which each server replaces by its own values:
///
/// | placeholder | value |
/// |---|---|
/// | `$namespace` | the namespace of the test |
/// | `$uid`, `$resourceVersion` | those of the last object in a response |
/// | `$version0`, `$version1` … | the version in that response, modulo the number of versions |
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) media_type: &'static str,
    pub(crate) accept: &'static str,
    pub(crate) body: Body,
    /// The user who sends the request; the administrator if it is empty.
    pub(crate) user: &'static str,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A document; nothing if it is null.
    Json(Value),
    /// The last object, changed by a merge patch.
    Changed(Value),
    /// Text that may be no document.
    Raw(String),
}

impl Step {
    pub(crate) fn new(method: &'static str, path: impl Into<String>, body: Value) -> Self {
        let [media_type, accept] = ["application/json"; 2];
        Self { method, path: path.into(), media_type, accept, body: Body::Json(body), user: "" }
    }

    pub(crate) fn accepting(self, accept: &'static str) -> Self {
        Self { accept, ..self }
    }

    pub(crate) fn by(self, user: &'static str) -> Self {
        Self { user, ..self }
    }

    pub(crate) fn of_type(self, media_type: &'static str) -> Self {
        Self { media_type, ..self }
    }

    pub(crate) fn with_body(self, body: Body) -> Self {
        Self { body, ..self }
    }

    /// Returns whether the body is a document that is sent as a message in protobuf.
    pub(crate) fn has_message(&self) -> bool {
        self.media_type == PROTOBUF && !matches!(self.body, Body::Raw(_) | Body::Json(Value::Null))
    }

    /// Returns whether the response is a stream of events.
    pub(crate) fn is_watch(&self) -> bool {
        self.method == "GET" && self.path.contains("watch=true")
    }
}

impl Body {
    /// Returns the document, or the change of one.
    pub(crate) const fn document(&mut self) -> Option<&mut Value> {
        match self {
            Self::Json(value) | Self::Changed(value) => Some(value),
            Self::Raw(_) => None,
        }
    }

    /// Returns the bytes, after `fill` replaced the placeholders.
    pub(super) fn bytes(&self, last: &Value, fill: impl Fn(&str) -> String) -> Vec<u8> {
        match self {
            Self::Json(Value::Null) => Vec::new(),
            Self::Json(value) => fill(&value.to_string()).into_bytes(),
            Self::Changed(patch) => {
                let mut object = last.clone();
                merge(&mut object, patch);
                object.to_string().into_bytes()
            }
            Self::Raw(text) => text.clone().into_bytes(),
        }
    }
}

/// Applies a merge patch.
fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        object.clone_from(patch);
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (name, value) in patch {
        match (value, object.as_object_mut()) {
            (Value::Null, Some(object)) => drop(object.remove(name)),
            (_, Some(object)) => merge(object.entry(name).or_insert(Value::Null), value),
            (_, None) => {}
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The characters that are shown of a body.
        const SHOWN: usize = 2_000;
        let Self { method, path, media_type, accept, body, user } = self;
        write!(f, "{method} {path}")?;
        if !user.is_empty() {
            write!(f, " by {user}")?;
        }
        for (name, value) in [("Content-Type", media_type), ("Accept", accept)] {
            if *value != "application/json" {
                write!(f, " {name}: {value}")?;
            }
        }
        let (kind, text) = match body {
            Body::Json(Value::Null) => return Ok(()),
            Body::Json(value) => ("", value.to_string()),
            Body::Changed(patch) => (" the last object with", patch.to_string()),
            Body::Raw(text) => (" the text", text.clone()),
        };
        write!(f, "{kind} {}", text.chars().take(SHOWN).collect::<String>())
    }
}
