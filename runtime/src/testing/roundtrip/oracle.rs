//! The results of schema and decoder for one document.

use std::panic::catch_unwind;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    RoundtripCase,
    admit::admit,
    node::SchemaNode,
    place::{Place, difference, places, shown, text, with, without},
    report::RoundtripFailure,
    shrink::smallest,
};
use crate::crd::{
    cel::evaluate::compiled::CompiledRules,
    crd_accessors::read,
    generate::{self, Random, check},
    object_processing::accepts_any_list,
};

/// Decodes a text to a type, and encodes it again.
pub(super) type Roundtrip = fn(&str) -> Result<String, SerdeFailure>;

/// An error of serde.
pub(super) enum SerdeFailure {
    Decode(String),
    Encode(String),
}

pub(super) fn roundtrip<T: Serialize + DeserializeOwned>(text: &str) -> Result<String, SerdeFailure> {
    let read = || serde_json::from_str::<T>(text).map_err(|error| error.to_string());
    let read = catch_unwind(read).unwrap_or_else(|_| Err("the decoder panics".to_owned()));
    let value = read.map_err(SerdeFailure::Decode)?;
    serde_json::to_string(&value).map_err(|error| SerdeFailure::Encode(error.to_string()))
}

/// The result for a document.
pub(super) enum Verdict {
    Accepted,
    Rejected {
        is_decodable: bool,
    },
    /// The document contains a value other than the specified ones, or one that the server accepts whatever its schema.
    Excluded,
    Failed(Failure),
}

/// An inconsistency between schema and decoder.
pub(super) struct Failure {
    kind: Kind,
    /// The path, if it is known.
    path: Option<String>,
    message: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Decode,
    Encode,
    Pruned,
    Rejected,
    SecondDecode,
    Changed,
}

pub(super) struct Oracle {
    pub(super) root: SchemaNode,
    rules: Option<CompiledRules>,
    roundtrip: Roundtrip,
}

impl Oracle {
    pub(super) fn new(root: SchemaNode, schema: &JSONSchemaProps, roundtrip: Roundtrip) -> Self {
        Self { root, rules: CompiledRules::of(schema), roundtrip }
    }

    fn admitted(&self, document: &Value) -> Value {
        let mut admitted = document.clone();
        admit(&self.root, &mut admitted);
        admitted
    }

    fn accepts(&self, admitted: &Value) -> bool {
        check(&self.root, admitted).is_ok()
    }

    pub(super) fn rejects(&self, document: &Value) -> bool {
        !self.accepts(&self.admitted(document))
    }

    /// Returns the server's result for a document; `None` if the document contains an excluded value.
    pub(super) fn case(&self, document: Value) -> Option<RoundtripCase> {
        let admitted = self.admitted(&document);
        if is_excluded(&self.root, &admitted) {
            return None;
        }
        let stored = self.accepts(&admitted).then_some(admitted);
        Some(RoundtripCase { document, stored })
    }

    pub(super) fn verdict(&self, document: &Value) -> Verdict {
        let admitted = self.admitted(document);
        let roundtrip = || (self.roundtrip)(&admitted.to_string());
        if !self.accepts(&admitted) {
            let is_decodable = !matches!(roundtrip(), Err(SerdeFailure::Decode(_)));
            return Verdict::Rejected { is_decodable };
        }
        if is_excluded(&self.root, &admitted) || contains_unvalidated(&self.root, &admitted) {
            return Verdict::Excluded;
        }
        match roundtrip() {
            Err(SerdeFailure::Decode(_)) if self.rules_reject(&admitted) => Verdict::Rejected { is_decodable: false },
            Err(SerdeFailure::Decode(error)) => failed(Kind::Decode, None, format!("serde: {error}")),
            Err(SerdeFailure::Encode(error)) => failed(Kind::Encode, None, format!("serde cannot write it: {error}")),
            Ok(written) => match serde_json::from_str(&written) {
                Ok(written) => self.written(written),
                Err(error) => failed(Kind::Encode, None, format!("{written} is no JSON: {error}")),
            },
        }
    }

    /// Checks that the server accepts an encoded value unchanged, and that it decodes to an equal value.
    fn written(&self, written: Value) -> Verdict {
        let mut kept = written.clone();
        if let Some(path) = admit(&self.root, &mut kept).into_iter().next() {
            let message = "it is written again with a field that its schema does not have: the server drops it";
            return failed(Kind::Pruned, Some(path), message.to_owned());
        }
        if let Err(mismatch) = check(&self.root, &kept) {
            let message = format!("the schema refuses what is written again: {}: {written}", mismatch.message);
            return failed(Kind::Rejected, Some(mismatch.path), message);
        }
        let second = match (self.roundtrip)(&kept.to_string()) {
            Ok(second) => serde_json::from_str(&second).unwrap_or(Value::Null),
            Err(SerdeFailure::Decode(error) | SerdeFailure::Encode(error)) => {
                let message = format!("what is written again does not decode: {error}: {kept}");
                return failed(Kind::SecondDecode, None, message);
            }
        };
        let [one, other] = [written, second].map(|mut value| {
            sort_sets(&self.root, &mut value);
            value
        });
        match difference(&one, &other) {
            None => Verdict::Accepted,
            Some(place) => {
                let message = format!("it is written as {one}, which is read and written as {other}");
                failed(Kind::Changed, Some(text(&place)), message)
            }
        }
    }

    fn rules_reject(&self, document: &Value) -> bool {
        let failures = |rules: &CompiledRules| rules.failures(None, &read::json(document));
        self.rules.as_ref().is_some_and(|rules| !failures(rules).is_empty())
    }

    /// Returns the smallest document with the same failure, and the path of the failure.
    pub(super) fn smallest(&self, document: &Value, found: &Failure, random: &mut Random) -> RoundtripFailure {
        let kind = found.kind;
        let same = |document: &Value| match self.verdict(document) {
            Verdict::Failed(found) if found.kind == kind => Some(found),
            _ => None,
        };
        let document = self.admitted(&smallest(document, &|document| same(document).is_some()));
        let found = same(&document);
        let message = found.as_ref().map_or(String::new(), |found| found.message.clone());
        let path = found.and_then(|found| found.path);
        let nearest = match &path {
            // If the encoded value has a part that is not in the document, the schema is at the same path.
            Some(path) => {
                places(&document).into_iter().rfind(|place| path.starts_with(text(place).trim_end_matches('.')))
            }
            None => self.undecodable_place(&document, random),
        };
        let place = nearest.unwrap_or_default();
        RoundtripFailure {
            skippable: self.root.skippable(&place),
            path: path.map_or_else(|| text(&place), |path| shown(&path).to_owned()),
            schema: self.root.at(&place).map_or(json!({}), SchemaNode::keywords),
            message,
            document,
        }
    }

    /// Returns the innermost path at which another value makes a document decode: a value that the schema accepts, if
    /// there is one.
    fn undecodable_place(&self, document: &Value, random: &mut Random) -> Option<Place> {
        const TRIES: usize = 12;
        let mut all = places(document);
        all.sort_by_key(|place| std::cmp::Reverse(place.len()));
        let reads = |document: Value| !matches!((self.roundtrip)(&document.to_string()), Err(SerdeFailure::Decode(_)));
        let by_schema = all.iter().find(|place| {
            let others = self.root.at(place).map(|node| (0..TRIES).map(|_| generate::value(node, random)));
            let mut changed = others.into_iter().flatten().map(|other| with(document, place, other));
            changed.any(|changed| !self.rejects(&changed) && reads(changed))
        });
        let is_inside = by_schema.is_some_and(|place| !place.is_empty());
        let by_any = || {
            all.iter().find(|place| {
                let changed = generate::unrelated_values().map(|other| with(document, place, other));
                changed.into_iter().chain(without(document, place)).any(reads)
            })
        };
        by_schema.filter(|_| is_inside).or_else(by_any).cloned()
    }
}

fn failed(kind: Kind, path: Option<String>, message: String) -> Verdict {
    Verdict::Failed(Failure { kind, path, message })
}

/// Whether the value contains excluded values.
fn is_excluded(node: &SchemaNode, value: &Value) -> bool {
    if node.is_skipped && node.default() != Some(value) {
        return true;
    }
    if node.is_int32 && value.is_number() {
        return value.as_i64().is_none_or(|it| i32::try_from(it).is_err());
    }
    if !(node.only.is_empty() || value.is_null()) {
        return !node.only.contains(value);
    }
    any_inside(node, value, is_excluded)
}

/// Whether the value contains a value that the server does not validate.
pub(super) fn contains_unvalidated(node: &SchemaNode, value: &Value) -> bool {
    value.is_array() && accepts_any_list(&node.schema) || any_inside(node, value, contains_unvalidated)
}

fn any_inside(node: &SchemaNode, value: &Value, holds: fn(&SchemaNode, &Value) -> bool) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let member = node.member(name);
            member.is_some_and(|member| holds(member, value))
        }),
        Value::Array(items) => {
            let inner = node.items.as_deref();
            inner.is_some_and(|inner| items.iter().any(|item| holds(inner, item)))
        }
        _ => false,
    }
}

/// Sorts the items of sets, because their order is irrelevant.
fn sort_sets(node: &SchemaNode, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if let Some(member) = node.member(name) {
                    sort_sets(member, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = &node.items {
                items.iter_mut().for_each(|item| sort_sets(node, item));
            }
            if node.keywords.x_kubernetes_list_type.as_deref() == Some("set") {
                items.sort_by_key(Value::to_string);
            }
        }
        _ => {}
    }
}
