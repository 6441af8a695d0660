//! Reads the identity of an object without decoding it.

use std::{borrow::Cow, collections::BTreeMap, ops::Range, sync::LazyLock};

use memchr::{
    memchr,
    memmem::{self, Finder},
};
use serde::de::Error;
use serde_json::value::RawValue;

use crate::json::{cow_str::CowStr, scan::Scan};

/// The identity and the version of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity<'a> {
    /// `None` under the same condition as `kind`.
    pub(crate) api_version: Option<Cow<'a, str>>,
    /// `None` if it does not precede the metadata, as in items of lists.
    pub(crate) kind: Option<Cow<'a, str>>,
    pub(crate) namespace: Option<Cow<'a, str>>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) uid: Option<Cow<'a, str>>,
    /// Empty if it is missing. The API server always sends it.
    pub(crate) resource_version: Cow<'a, str>,
    pub(super) managed_fields: ManagedFieldsAt,
    /// The offset after the kind and the apiVersion, which items of lists may omit.
    content: usize,
}

impl Identity<'_> {
    /// Returns the part of the text that is the same in every response with this state of the object.
    pub(crate) fn content<'t>(&self, object: &'t str) -> &'t str {
        // A response ends with a newline, which events and items of lists do not have.
        object[self.content..].trim_end()
    }
}

/// The position of `metadata.managedFields` in the text of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ManagedFieldsAt {
    Absent,
    Member {
        /// The range to cut out: the key, the value and a comma. Everything except the value was checked to be valid.
        member: Range<usize>,
        value: Range<usize>,
    },
    /// The position is unknown, because only serde can parse the object.
    Unknown,
}

/// Reads the identity of an object.
///
/// # Errors
///
/// Fails if it is not a JSON object or has no name. Invalid JSON after the metadata is found when the object is
/// decoded.
pub(crate) fn identity(object: &str) -> serde_json::Result<Identity<'_>> {
    match scan(object) {
        Some(identity) => Ok(identity),
        None => parse(object),
    }
}

fn scan(object: &str) -> Option<Identity<'_>> {
    let mut scan = Scan::new(object);
    scan.expect(b'{')?;
    let (mut api_version, mut kind, mut content) = (None, None, None);
    loop {
        let start = scan.at();
        match scan.key()? {
            "apiVersion" => set_once(&mut api_version, scan.text()?)?,
            "kind" => set_once(&mut kind, scan.text()?)?,
            "metadata" => {
                content.get_or_insert(start);
                break;
            }
            _ => {
                content.get_or_insert(start);
                scan.skip()?;
            }
        }
        scan.expect(b',')?;
    }
    let metadata = ScannedMetadata::read(&mut scan)?;
    if may_have_metadata(scan.rest()) {
        ends_without_metadata(&mut scan)?;
    }
    Some(Identity { api_version, kind, content: content?, ..metadata.into_identity()? })
}

/// Whether the rest may contain a second `metadata` key, so that it must be scanned to its end.
fn may_have_metadata(rest: &str) -> bool {
    static KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"metadata\""));
    let rest = rest.as_bytes();
    // Letters can only be escaped as `\u`.
    let may_be_escaped = || memchr(b'\\', rest).is_some_and(|at| memmem::find(&rest[at..], b"\\u").is_some());
    KEY.find(rest).is_some() || may_be_escaped()
}

fn ends_without_metadata(scan: &mut Scan<'_>) -> Option<()> {
    while scan.eat(b',') {
        if scan.key()? == "metadata" {
            return None;
        }
        scan.skip()?;
    }
    scan.expect(b'}')?;
    scan.end()
}

#[derive(Default)]
struct ScannedMetadata<'a> {
    namespace: Option<Cow<'a, str>>,
    name: Option<Cow<'a, str>>,
    uid: Option<Cow<'a, str>>,
    resource_version: Option<Cow<'a, str>>,
    managed_fields: Option<(Range<usize>, Range<usize>)>,
}

impl<'a> ScannedMetadata<'a> {
    fn read(scan: &mut Scan<'a>) -> Option<Self> {
        let mut metadata = Self::default();
        scan.expect(b'{')?;
        let mut comma = None;
        loop {
            let start = scan.at();
            match scan.key()? {
                "namespace" => set_once(&mut metadata.namespace, scan.text()?)?,
                "name" => set_once(&mut metadata.name, scan.text()?)?,
                "uid" => set_once(&mut metadata.uid, scan.text()?)?,
                "resourceVersion" => set_once(&mut metadata.resource_version, scan.text()?)?,
                "managedFields" => {
                    let length = scan.skip()?.len();
                    let value = scan.at() - length..scan.at();
                    // Includes the following comma, otherwise the preceding one.
                    let member = match scan.peek()? {
                        b',' => start..scan.at() + 1,
                        _ => comma.unwrap_or(start)..scan.at(),
                    };
                    set_once(&mut metadata.managed_fields, (member, value))?;
                }
                _ => drop(scan.skip()?),
            }
            scan.peek()?;
            comma = Some(scan.at());
            if !scan.eat(b',') {
                scan.expect(b'}')?;
                return Some(metadata);
            }
        }
    }

    fn into_identity(self) -> Option<Identity<'a>> {
        Some(Identity {
            api_version: None,
            kind: None,
            content: 0,
            namespace: self.namespace,
            name: self.name?,
            uid: self.uid,
            resource_version: self.resource_version.unwrap_or_default(),
            managed_fields: match self.managed_fields {
                Some((member, value)) => ManagedFieldsAt::Member { member, value },
                None => ManagedFieldsAt::Absent,
            },
        })
    }
}

fn set_once<T>(field: &mut Option<T>, value: T) -> Option<()> {
    let first = field.is_none();
    *field = Some(value);
    first.then_some(())
}

/// Reads the identity as serde_json reads a `Value`: the last one of repeated keys counts.
fn parse(object: &str) -> serde_json::Result<Identity<'_>> {
    let object: Members<'_> = serde_json::from_str(object)?;
    let metadata = object.get("metadata").map_or("null", |value| value.get());
    let metadata = serde_json::from_str::<Option<Members<'_>>>(metadata)?.unwrap_or_default();
    let name = text_of(&metadata, "name")?;
    Ok(Identity {
        api_version: text_of(&object, "apiVersion")?,
        kind: text_of(&object, "kind")?,
        namespace: text_of(&metadata, "namespace")?,
        name: name.ok_or_else(|| serde_json::Error::missing_field("metadata.name"))?,
        uid: text_of(&metadata, "uid")?,
        resource_version: text_of(&metadata, "resourceVersion")?.unwrap_or_default(),
        managed_fields: ManagedFieldsAt::Unknown,
        content: 0,
    })
}

fn text_of<'a>(members: &Members<'a>, key: &str) -> serde_json::Result<Option<Cow<'a, str>>> {
    let Some(value) = members.get(key) else {
        return Ok(None);
    };
    let text: Option<CowStr<'a>> = serde_json::from_str(value.get())?;
    Ok(text.map(|CowStr(text)| text))
}

type Members<'a> = BTreeMap<CowStr<'a>, &'a RawValue>;

#[cfg(test)]
mod tests;
