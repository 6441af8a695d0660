//! Conversion reviews as JSON text: members of objects that stay the same are copied, and not decoded.
//!
//! The text of an object is enough if nothing was kept of it and nothing gets lost. All other objects are decoded, with the same
//! result.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};
use serde_json::{Value, json, value::RawValue};

use super::{
    CONVERSION_DATA_ANNOTATION, Converter,
    conversion::{ConversionNode, Direction, KindConversion},
    object,
    path::ValuePath,
    values,
};
use crate::json::raw_object::RawObject;

/// A conversion review whose objects are not decoded.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextReview<'a> {
    #[serde(borrow)]
    api_version: Cow<'a, str>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    request: Request<'a>,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    uid: &'a RawValue,
    #[serde(borrow, rename = "desiredAPIVersion")]
    desired_api_version: Cow<'a, str>,
    #[serde(borrow)]
    objects: Objects<'a>,
}

/// The objects of a review.
struct Objects<'a>(Vec<&'a RawValue>);

/// An object of the API server has 300 bytes at least, so that a review of 32 MiB has no more. Others have more of them than fit into
/// memory.
const MAX_OBJECTS: usize = 100_000;

impl<'de: 'a, 'a> Deserialize<'de> for Objects<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items;

        impl<'de> Visitor<'de> for Items {
            type Value = Vec<&'de RawValue>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "at most {MAX_OBJECTS} objects")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = sequence.next_element()? {
                    if items.len() == MAX_OBJECTS {
                        return Err(A::Error::invalid_length(items.len() + 1, &self));
                    }
                    items.push(item);
                }
                Ok(items)
            }
        }

        deserializer.deserialize_seq(Items).map(Self)
    }
}

/// The place of an object that cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unconverted(usize);

impl<'a> TextReview<'a> {
    /// Returns the review; `None` if it is malformed.
    pub(crate) fn decode(body: &'a [u8]) -> Option<Self> {
        let review: Self = serde_json::from_slice(body).ok()?;
        let is_review = review.api_version == super::review::API_VERSION && review.kind == super::review::KIND;
        (is_review && review.request.uid.get().starts_with('"')).then_some(review)
    }

    /// Returns the group and the kind of the first object.
    pub(crate) fn kind(&self) -> Option<(String, String)> {
        let first = RawObject::of(self.request.objects.0.first()?)?;
        let api_version = first.text("apiVersion")?;
        let (group, _) = api_version.split_once('/')?;
        Some((group.to_owned(), first.text("kind")?.into_owned()))
    }

    /// Returns the texts of the objects.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &'a str> {
        self.request.objects.0.iter().map(|object| object.get())
    }

    /// Returns the review with this object only, as a value.
    pub(crate) fn only(&self, Unconverted(at): Unconverted) -> Option<Value> {
        let Request { uid, desired_api_version, objects } = &self.request;
        let uid: Value = serde_json::from_str(uid.get()).ok()?;
        let object: Value = serde_json::from_str(objects.0.get(at)?.get()).ok()?;
        let request = json!({ "uid": uid, "desiredAPIVersion": desired_api_version, "objects": [object] });
        Some(json!({ "apiVersion": super::review::API_VERSION, "kind": super::review::KIND, "request": request }))
    }

    /// Returns the response, or the first object that cannot be converted.
    pub(crate) fn response(&self, converter: &Converter) -> Result<Vec<u8>, Unconverted> {
        let Request { uid, desired_api_version, objects } = &self.request;
        let version = converter.version_in(desired_api_version).map_err(|_| Unconverted(0))?;
        let size: usize = self.objects().map(str::len).sum();
        let mut out = Vec::with_capacity(size * 5 / 4);
        let (api_version, kind) = (super::review::API_VERSION, super::review::KIND);
        let head = format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}","response":{{"uid":{uid},"#);
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(br#""convertedObjects":["#);
        for (at, object) in objects.0.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            converter.write_converted(object, version, &mut out).ok_or(Unconverted(at))?;
        }
        out.extend_from_slice(br#"],"result":{"status":"Success"}}}"#);
        Ok(out)
    }
}

impl Converter {
    /// Adds the text of an object in a version; `None` if it cannot be converted.
    fn write_converted(&self, text: &RawValue, version: &str, out: &mut Vec<u8>) -> Option<()> {
        let start = out.len();
        let object = RawObject::of(text).filter(has_metadata);
        let copied = object.and_then(|object| self.copy_converted(&object, version, out));
        if copied.is_some() {
            return Some(());
        }
        out.truncate(start);
        let object: Value = serde_json::from_str(text.get()).ok()?;
        if !object["metadata"].is_object() {
            return None;
        }
        serde_json::to_writer(out, &self.convert(object, version).ok()?).ok()
    }

    /// Adds the text of an object in a version; `None` if the object has to be decoded. Then, a part may have been added.
    fn copy_converted(&self, object: &RawObject<'_>, version: &str, out: &mut Vec<u8>) -> Option<()> {
        let (api_version, kind) = (object.text("apiVersion")?, object.text("kind")?);
        let (group, source) = api_version.split_once('/')?;
        if !self.is_for(group, &kind) {
            return None;
        }
        let steps = [self.find(source).ok()?, self.find(version).ok()?];
        let (conversion, direction) = match steps {
            [Some(spoke), None] => (spoke, Direction::ToHub),
            [None, Some(spoke)] => (spoke, Direction::FromHub),
            _ => return None,
        };
        copy(conversion, object, direction, out)
    }
}

fn copy(conversion: &KindConversion, object: &RawObject<'_>, direction: Direction, out: &mut Vec<u8>) -> Option<()> {
    let (source, target) = conversion.ends(direction);
    if object.0.get("metadata").is_some_and(|metadata| may_have_kept(metadata.get())) {
        return None;
    }
    out.push(b'{');
    for (at, (name, text)) in object.0.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        serde_json::to_writer(&mut *out, name).ok()?;
        out.push(b':');
        match &**name {
            "apiVersion" => out.extend_from_slice(format!("\"{}/{}\"", target.group, target.version).as_bytes()),
            // A status that one of the versions does not have is kept.
            "status" if !object::has_status(source) || !object::has_status(target) => return None,
            "spec" => member(&conversion.spec, "spec", text, direction, out)?,
            "status" => member(&conversion.status, "status", text, direction, out)?,
            _ => out.extend_from_slice(text.get().as_bytes()),
        }
    }
    out.push(b'}');
    Some(())
}

/// Converts the spec or the status; `None` if that fails or loses something.
fn member(node: &ConversionNode, name: &str, text: &RawValue, direction: Direction, out: &mut Vec<u8>) -> Option<()> {
    if matches!(node, ConversionNode::Same) {
        out.extend_from_slice(text.get().as_bytes());
        return Some(());
    }
    let place = ValuePath::Field(&ValuePath::Root, name);
    let source: Value = serde_json::from_str(text.get()).ok()?;
    let converted = values::convert(node, source.clone(), direction, place).ok()?;
    serde_json::to_writer(out, &converted).ok()?;
    let back = values::convert(node, converted, direction.reversed(), place).ok()?;
    (back == source).then_some(())
}

fn has_metadata(object: &RawObject<'_>) -> bool {
    object.0.get("metadata").is_some_and(|metadata| metadata.get().starts_with('{'))
}

/// Escapes could hide the name of the annotation.
fn may_have_kept(metadata: &str) -> bool {
    [CONVERSION_DATA_ANNOTATION, "\\u", "\\/"].iter().any(|pattern| metadata.contains(pattern))
}
