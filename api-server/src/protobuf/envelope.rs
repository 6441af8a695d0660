//! The envelope of a message, `runtime.Unknown`, and the frames of watches.

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Map, Value};

use super::{
    decode::members as decode_members,
    encode::members as encode_members,
    wire::{Payload, Reader, Writer},
};
use crate::{
    failure::Failure,
    go_types::{self, GoType},
    value::text,
};

/// What a message begins with.
const MAGIC: &[u8] = b"k8s\0";
const NO_MESSAGE: &str = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";

/// The fields of the envelope.
const TYPE_META: u32 = 1;
const RAW: u32 = 2;
const CONTENT_ENCODING: u32 = 3;
const CONTENT_TYPE: u32 = 4;
/// The fields of the type in it.
const API_VERSION: u32 = 1;
const KIND: u32 = 2;

/// The fields of `meta/v1.WatchEvent`, and of the `RawExtension` in it.
const EVENT_TYPE: u32 = 1;
const EVENT_OBJECT: u32 = 2;
const OBJECT_RAW: u32 = 1;

/// Why a message cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// It is no envelope.
    Envelope(String),
    /// The object in it is not one of its kind.
    Object { kind: String, problem: String },
}

impl DecodeError {
    pub(crate) fn into_problem(self) -> String {
        match self {
            Self::Envelope(problem) | Self::Object { problem, .. } => problem,
        }
    }
}

/// Returns the JSON of an object that Go would write. The object of a kind that is not known has nothing but its kind. `default` is
/// the version and the kind of a message that has none.
pub(crate) fn decode(message: &[u8], default: (&str, &str)) -> Result<Value, DecodeError> {
    let body = message.strip_prefix(MAGIC).ok_or_else(|| DecodeError::Envelope(NO_MESSAGE.to_owned()))?;
    if body.is_empty() {
        return Err(DecodeError::Envelope("empty body".to_owned()));
    }
    let (mut api_version, mut kind, raw) = open(body).map_err(DecodeError::Envelope)?;
    if kind.is_empty() && api_version.is_empty() {
        (api_version, kind) = (default.0.to_owned(), default.1.to_owned());
    }
    let mut members = match go_types::of_requested_kind(&api_version, &kind) {
        Some(type_) => {
            decode_members(type_, raw).map_err(|problem| DecodeError::Object { kind: kind.clone(), problem })?
        }
        None => Map::new(),
    };
    for (name, value) in [("apiVersion", api_version), ("kind", kind)] {
        if !value.is_empty() {
            members.insert(name.to_owned(), value.into());
        }
    }
    Ok(members.into())
}

/// Returns the version, the kind and the object of an envelope.
fn open(body: &[u8]) -> Result<(String, String, &[u8]), String> {
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    let mut fields = Reader(body);
    while let Some((number, payload)) = fields.next()? {
        match (number, payload) {
            (TYPE_META, Payload::Bytes(bytes)) => {
                let mut fields = Reader(bytes);
                while let Some((number, payload)) = fields.next()? {
                    match (number, payload) {
                        (API_VERSION, Payload::Bytes(text)) => api_version = String::from_utf8_lossy(text).into_owned(),
                        (KIND, Payload::Bytes(text)) => kind = String::from_utf8_lossy(text).into_owned(),
                        _ => {}
                    }
                }
            }
            (RAW, Payload::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    Ok((api_version, kind, raw))
}

/// Returns the type of an object that has a form in protobuf.
pub(super) fn type_of(object: &Value) -> Option<&'static GoType> {
    let type_ = go_types::of_kind(text(object, "apiVersion"), text(object, "kind"))?;
    let has_fields = type_.fields().iter().any(|field| field.number.is_some());
    has_fields.then_some(type_)
}

/// Returns the message of an object.
///
/// # Errors
///
/// If its kind has no form in protobuf, or if a field is not of its type.
pub(crate) fn encode(object: &Value) -> Result<Bytes, String> {
    let type_ = type_of(object).ok_or_else(|| {
        let (api_version, kind) = (text(object, "apiVersion"), text(object, "kind"));
        format!("{kind} of {api_version} cannot be encoded to a protobuf message")
    })?;
    let mut type_meta = Writer::default();
    type_meta.put_bytes_field(API_VERSION, text(object, "apiVersion").as_bytes());
    type_meta.put_bytes_field(KIND, text(object, "kind").as_bytes());
    let mut envelope = Writer(MAGIC.to_vec());
    envelope.put_bytes_field(TYPE_META, &type_meta.0);
    envelope.put_bytes_field(RAW, &encode_members(type_, object)?);
    // Go writes empty texts too.
    envelope.put_bytes_field(CONTENT_ENCODING, b"");
    envelope.put_bytes_field(CONTENT_TYPE, b"");
    Ok(envelope.0.into())
}

/// Returns the frame of an event, which is a line of JSON. What is no event, such as the half of one, becomes the start of a frame.
pub(crate) fn watch_frame(line: &[u8]) -> Bytes {
    let event = serde_json::from_slice::<Value>(line).ok();
    let Some(event) = event.filter(|event| event["object"].is_object()) else {
        return frame(line, line.len() + 1);
    };
    let (kind, message) = match encode(&event["object"]) {
        Ok(message) => (text(&event, "type"), message),
        Err(problem) => {
            let failure = Failure::internal_error(&problem).to_json();
            ("ERROR", encode(&failure).expect("a Status has a form in protobuf"))
        }
    };
    let mut object = Writer::default();
    object.put_bytes_field(OBJECT_RAW, &message);
    let mut fields = Writer::default();
    fields.put_bytes_field(EVENT_TYPE, kind.as_bytes());
    fields.put_bytes_field(EVENT_OBJECT, &object.0);
    frame(&fields.0, fields.0.len())
}

/// Returns bytes behind a length.
fn frame(bytes: &[u8], length: usize) -> Bytes {
    let mut frame = BytesMut::with_capacity(bytes.len() + 4);
    frame.put_u32(u32::try_from(length).expect("events are small"));
    frame.put_slice(bytes);
    frame.freeze()
}
