//! Reading of request bodies, with the server's strictness.

use std::fmt;

use crdkit::__internal::yaml::read::{DuplicateKeys, documents};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

#[cfg(feature = "protobuf")]
use super::protobuf;
use super::{
    builtin,
    failure::Failure,
    request::ResourceRequest,
    types::{self, DecodeError},
    value::text,
};

mod syntax;

pub(super) use syntax::type_error;

/// How the server treats duplicate and unknown fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldValidation {
    Ignore,
    Warn,
    Strict,
}

impl FieldValidation {
    pub(super) fn of(call: &ResourceRequest) -> Self {
        match call.query.get("fieldValidation") {
            "Ignore" => Self::Ignore,
            "Strict" => Self::Strict,
            _ => Self::Warn,
        }
    }
}

/// An object of a request.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) object: Value,
    /// Duplicate and unknown fields, as the server describes them.
    pub(super) strict_errors: Vec<String>,
}

/// Parses a document and finds duplicate fields.
pub(super) fn parse(body: &[u8], content_type: &str) -> Result<Decoded, String> {
    let mut duplicates = Vec::new();
    let object = match content_type {
        "application/yaml" | "application/apply-patch+yaml" => yaml(body)?,
        #[cfg(feature = "protobuf")]
        protobuf::MEDIA_TYPE => protobuf::decode(body, ("", "")).map_err(protobuf::DecodeError::into_problem)?,
        _ => json(body, &mut duplicates).map_err(|error| syntax::syntax_error(body, &error))?,
    };
    let strict_errors = duplicates.into_iter().map(|path| format!("duplicate field \"{path}\"")).collect();
    Ok(Decoded { object, strict_errors })
}

fn json(body: &[u8], duplicates: &mut Vec<String>) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = Reader { path: Path::Root, duplicates }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

fn yaml(body: &[u8]) -> Result<Value, String> {
    // Most clients send JSON, which is YAML too and is read faster. Members that occur twice are errors in YAML.
    let mut duplicates = Vec::new();
    if body.starts_with(b"{")
        && let Ok(value) = json(body, &mut duplicates)
        && duplicates.is_empty()
    {
        return Ok(value);
    }
    let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
    let read = documents(text, DuplicateKeys::Error);
    let documents = read.map_err(|error| format!("error converting YAML to JSON: {error}"))?;
    // The server reads the first document.
    Ok(documents.into_iter().next().map_or(Value::Null, |document| document.value))
}

/// Reads an object of the requested resource, or the document of a subresource: without unknown fields, and with defaults.
pub(super) fn object(call: &ResourceRequest, body: &[u8], content_type: &str) -> Result<Decoded, Failure> {
    let (expected_version, expected_kind) = call.document_type();
    let unrecognized = |problem: &str| {
        Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {expected_kind}): {problem} ({})",
            summary(body)
        ))
    };
    let mut decoded = match content_type {
        #[cfg(feature = "protobuf")]
        protobuf::MEDIA_TYPE => message(call, body).map_err(|error| match error {
            protobuf::DecodeError::Envelope(problem) => unrecognized(&problem),
            protobuf::DecodeError::Object { kind, problem } => unhandled(call, &kind, &problem),
        })?,
        _ => document(body, content_type).map_err(|problem| unrecognized(&problem))?,
    };
    // The type of a built-in object may be left out, and the object too.
    if !call.resource.is_custom {
        if decoded.object.is_null() {
            decoded.object = Map::new().into();
        }
        for (member, implied) in [("kind", expected_kind), ("apiVersion", expected_version.as_str())] {
            if text(&decoded.object, member).is_empty() {
                decoded.object[member] = implied.into();
            }
        }
    }
    if text(&decoded.object, "kind").is_empty() {
        let problem = format!("Object 'Kind' is missing in '{}'", String::from_utf8_lossy(body));
        return Err(match FieldValidation::of(call) {
            FieldValidation::Ignore => unhandled(call, expected_kind, &problem),
            _ => unrecognized(&problem),
        });
    }
    check_registered(call, &decoded.object)
        .map_err(|problem| unhandled(call, text(&decoded.object, "kind"), &problem))?;
    let (api_version, kind) = (text(&decoded.object, "apiVersion"), text(&decoded.object, "kind"));
    if let Some(own) = call.own_kind().filter(|own| (api_version, kind) != (expected_version.as_str(), own.kind)) {
        let version = api_version.rsplit('/').next().unwrap_or_default();
        let group = if own.group.is_empty() { "core" } else { own.group };
        let problem = format!("converting ({version}.{kind}) to ({group}.{}): unknown conversion", own.kind);
        return Err(unhandled(call, kind, &problem));
    }
    if api_version != expected_version {
        // The server has no schema for the data, and drops it.
        if call.resource.is_custom && FieldValidation::of(call) == FieldValidation::Warn {
            let members = decoded.object.as_object().into_iter().flatten();
            let unknown = members.filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
            unknown.for_each(|(name, _)| call.warn(format!("unknown field \"{name}\"")));
        }
        return Err(Failure::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected_version})"
        )));
    }
    if !call.resource.is_custom && kind != expected_kind {
        let problem = format!("converting ({kind}) to ({expected_kind}): unknown conversion");
        return Err(unhandled(call, kind, &problem));
    }
    complete(call, &mut decoded)?;
    Ok(decoded)
}

/// Reads an object in protobuf, which has no unknown fields.
#[cfg(feature = "protobuf")]
fn message(call: &ResourceRequest, body: &[u8]) -> Result<Decoded, protobuf::DecodeError> {
    let (api_version, kind) = call.document_type();
    let object = protobuf::decode(body, (&api_version, kind))?;
    Ok(Decoded { object, strict_errors: Vec::new() })
}

/// Parses a document with readable `apiVersion` and `kind`.
pub(super) fn document(body: &[u8], content_type: &str) -> Result<Decoded, String> {
    let decoded = parse(body, content_type).map_err(|problem| match content_type {
        "application/yaml" | "application/vnd.kubernetes.protobuf" => problem,
        _ => format!("couldn't get version/kind; json parse error: {problem}"),
    })?;
    type_error(&decoded.object).map_or(Ok(decoded), Err)
}

/// An object of a kind that cannot be read as one of the requested kind.
fn unhandled(call: &ResourceRequest, kind: &str, problem: &str) -> Failure {
    let (api_version, expected) = call.document_type();
    let version = api_version.rsplit('/').next().unwrap_or_default();
    Failure::bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {expected}: {problem}"))
}

/// The type of an object in a request for a built-in resource must be one of the server's.
pub(super) fn check_registered(call: &ResourceRequest, object: &Value) -> Result<(), String> {
    let (api_version, kind) = (text(object, "apiVersion"), text(object, "kind"));
    let is_expected = || call.document_type() == (api_version.to_owned(), kind);
    if call.resource.is_custom || builtin::has_kind(api_version, kind) || is_expected() {
        Ok(())
    } else {
        Err(not_registered(api_version, kind))
    }
}

/// Describes a type that the server does not have.
pub(super) fn not_registered(api_version: &str, kind: &str) -> String {
    format!("no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"pkg/runtime/scheme.go:111\"")
}

/// Drops unknown fields of an object, and sets the defaults of custom resources.
pub(super) fn complete(call: &ResourceRequest, decoded: &mut Decoded) -> Result<(), Failure> {
    complete_patched(call, decoded).map_err(|error| unhandled(call, text(&decoded.object, "kind"), &error.message))
}

/// As [`complete`], with an error without its context.
pub(super) fn complete_patched(call: &ResourceRequest, decoded: &mut Decoded) -> Result<(), DecodeError> {
    if call.resource.is_definition() {
        check_members(call, &decoded.object)?;
    }
    let mut unknown = match call.own_kind() {
        Some(own) => types::decode(own.go_type(), &mut decoded.object)?,
        None => call.resource.read(call.version, &mut decoded.object)?,
    };
    if let Some(schema) = &call.version().schema {
        let metadata = decoded.object["metadata"].take();
        unknown.extend(schema.prune_and_default(&mut decoded.object));
        decoded.object["metadata"] = metadata;
    }
    decoded.strict_errors.extend(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")));
    Ok(())
}

/// The spec and the status of a definition are objects, and so are the names.
fn check_members(call: &ResourceRequest, object: &Value) -> Result<(), DecodeError> {
    for (pointer, path) in [("/spec", "spec"), ("/status", "status"), ("/spec/names", "spec.names")] {
        if let Some(found) = object.pointer(pointer).filter(|member| !member.is_object() && !member.is_null()) {
            let (kind, found) = (call.kind(), json_type(found));
            let message = format!("json: cannot unmarshal {found} into Go struct field {kind}.{path} of type object");
            return Err(message.into());
        }
    }
    Ok(())
}

/// Warns about duplicate and unknown fields, or fails because of them.
pub(super) fn check_strictness(call: &ResourceRequest, decoded: &Decoded) -> Result<(), Failure> {
    decoded.check_strictness(call, || {
        unhandled(call, text(&decoded.object, "kind"), &strict_error(&decoded.strict_errors))
    })
}

impl Decoded {
    /// Warns about duplicate and unknown fields, or fails with `refusal` because of them.
    pub(super) fn check_strictness(
        &self,
        call: &ResourceRequest,
        refusal: impl FnOnce() -> Failure,
    ) -> Result<(), Failure> {
        match FieldValidation::of(call) {
            FieldValidation::Strict if !self.strict_errors.is_empty() => return Err(refusal()),
            FieldValidation::Warn => self.strict_errors.iter().for_each(|error| call.warn(error)),
            _ => {}
        }
        Ok(())
    }
}

/// Returns the type of a value as Go's JSON decoder names it.
pub(super) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

pub(super) fn strict_error(errors: &[String]) -> String {
    format!("strict decoding error: {}", errors.join(", "))
}

/// Returns the start of a body as the server quotes it.
fn summary(body: &[u8]) -> String {
    const LIMIT: usize = 30;
    let start = &body[..body.len().min(LIMIT)];
    let shown = match start.first() {
        None => return "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(start).into_owned(),
        Some(_) => start.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    if body.len() > LIMIT { format!("{shown} ...") } else { shown }
}

/// Reads JSON and notes members that occur twice; the last one counts.
struct Reader<'a> {
    path: Path<'a>,
    duplicates: &'a mut Vec<String>,
}

/// The path of a value, which is only written for duplicates.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    Member(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => f.write_str(name),
            Self::Member(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("the number is out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut read = Vec::new();
        loop {
            let path = Path::Item(&self.path, read.len());
            match items.next_element_seed(Reader { path, duplicates: self.duplicates })? {
                Some(item) => read.push(item),
                None => return Ok(read.into()),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut read = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let path = Path::Member(&self.path, &name);
            if read.contains_key(&name) {
                self.duplicates.push(path.to_string());
            }
            let value = members.next_value_seed(Reader { path, duplicates: self.duplicates })?;
            read.insert(name, value);
        }
        Ok(read.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn duplicates_are_found() {
        let decoded = parse(br#"{"a":{"b":1,"b":2},"c":[{"d":1,"d":1}]}"#, "application/json").unwrap();
        assert_eq!(decoded.object, json!({ "a": { "b": 2 }, "c": [{ "d": 1 }] }));
        assert_eq!(decoded.strict_errors, ["duplicate field \"a.b\"", "duplicate field \"c[0].d\""]);
        assert!(parse(b"{} {}", "application/json").is_err());
    }

    #[test]
    fn yaml_is_read() {
        let decoded = parse(b"a:\n  b: [1, x]\n", "application/yaml").unwrap();
        assert_eq!(decoded.object, json!({ "a": { "b": [1, "x"] } }));
        for text in [r#"{"a": 1}"#, "{a: 1}"] {
            assert_eq!(parse(text.as_bytes(), "application/yaml").unwrap().object, json!({ "a": 1 }), "{text}");
        }
        assert!(parse(br#"{"a": 1, "a": 2}"#, "application/yaml").is_err());
    }
}
