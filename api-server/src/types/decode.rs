//! Reading of an object as a type of Go, as the server's JSON decoder does it.

use crdkit_core::cel::canonical_quantity;
use k8s_openapi::ByteString;
use serde_json::{Map, Number, Value, json};

use super::{text, zero};
use crate::{
    decode::json_type,
    go_types::{Field, GoType, Member, Scalar, Shape, Type},
};

/// Why an object cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DecodeError {
    /// In the words of Go's JSON decoder, or of the type that reads itself.
    pub(crate) message: String,
    /// In the words of apimachinery's converter of unstructured objects, if they are others.
    converted: Option<String>,
}

impl DecodeError {
    /// Returns the words of apimachinery's converter, which reads what was merged by the fields of a type.
    pub(crate) fn of_converter(self) -> String {
        self.converted.unwrap_or(self.message)
    }

    /// A type that reads itself from another one. The converter passes it the value alone.
    fn opaque(path: &Path<'_>, found: &str, expected: &str) -> Self {
        let converted = Path::Root.mismatch(found, expected);
        Self { message: path.mismatch(found, expected), converted: Some(converted) }
    }

    fn mismatch(path: &Path<'_>, found: &Value, type_: &Type) -> Self {
        Self {
            message: path.mismatch(json_type(found), &type_.name()),
            converted: Some(conversion_message(found, type_)),
        }
    }
}

impl From<String> for DecodeError {
    fn from(message: String) -> Self {
        Self { message, converted: None }
    }
}

/// `fromUnstructured` of `pkg/runtime/converter.go` in apimachinery. Go converts numbers to texts, and the server refuses that.
fn conversion_message(found: &Value, type_: &Type) -> String {
    let number = |number: &Number| if number.is_f64() { "float64" } else { "int64" };
    let kind = |found: &Value| match found {
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
        Value::Number(found) => number(found),
        other => json_type(other),
    };
    match (&type_.shape, found) {
        (Shape::Text, Value::Number(found)) if !found.is_f64() => format!("cannot convert int64 to {}", type_.name()),
        (Shape::Int32 | Shape::Int64, Value::Number(found)) => {
            format!("cannot convert {} to {}", number(found), type_.name())
        }
        (Shape::Map(_), found) => format!("cannot restore map from {}", kind(found)),
        (Shape::List(_) | Shape::Items(_) | Shape::Bytes, found) => {
            format!("cannot restore slice from {}", kind(found))
        }
        (Shape::Struct(_), found) => format!("cannot restore struct from: {}", kind(found)),
        (Shape::Bool, _) => "unrecognized type: bool".to_owned(),
        (Shape::Text, _) => "unrecognized type: string".to_owned(),
        (Shape::Double, _) => "unrecognized type: float64".to_owned(),
        (Shape::Int32, _) => "unrecognized type: int32".to_owned(),
        (Shape::Int64, _) => "unrecognized type: int64".to_owned(),
        _ => "unrecognized type".to_owned(),
    }
}

/// Reads an object: removes unknown fields and those that are empty, and writes values as Go does. Returns the paths of the
/// unknown fields.
///
/// # Errors
///
/// If a value has another type, in the words of Go.
pub(crate) fn decode(type_: &'static GoType, object: &mut Value) -> Result<Vec<String>, DecodeError> {
    let mut reader = Reader { unknown: Vec::new(), mismatch: None };
    reader.read(object, &Type { name: None, shape: Shape::Struct(type_) }, Path::Root)?;
    match reader.mismatch {
        Some(mismatch) => Err(mismatch),
        None => Ok(reader.unknown),
    }
}

struct Reader {
    unknown: Vec<String>,
    /// The first value of another type. Go reads on, since a type that reads itself may fail.
    mismatch: Option<DecodeError>,
}

/// Where a value is.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    /// In a member of this type.
    Field(&'a Path<'a>, &'static GoType, &'static Member),
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    /// Returns the path as strict errors have it.
    fn strict(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field(parent, _, member) => joined(parent.strict(), member.name),
            Self::Key(parent, name) => joined(parent.strict(), name),
            Self::Item(parent, index) => format!("{}[{index}]", parent.strict()),
        }
    }

    /// Returns the names of the fields, without the keys and the indexes between them.
    fn fields(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, _) | Self::Item(parent, _) => parent.fields(),
            Self::Field(parent, _, Member { name, inline, .. }) => {
                let inline = inline.iter().map(|type_| type_.own_name());
                joined(parent.fields(), &inline.chain([*name]).collect::<Vec<_>>().join("."))
            }
        }
    }

    /// Returns the name of the innermost struct, without its package.
    fn struct_name(&self) -> &'static str {
        match self {
            Self::Root => "",
            Self::Key(parent, _) | Self::Item(parent, _) => parent.struct_name(),
            Self::Field(_, type_, _) => type_.own_name(),
        }
    }

    fn mismatch(&self, found: &str, expected: &str) -> String {
        match self.fields() {
            fields if fields.is_empty() => format!("json: cannot unmarshal {found} into Go value of type {expected}"),
            fields => format!(
                "json: cannot unmarshal {found} into Go struct field {}.{fields} of type {expected}",
                self.struct_name()
            ),
        }
    }
}

fn joined(parent: String, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

impl Reader {
    /// Reads a member, and returns whether Go cannot tell it from an absent one.
    fn read_field(&mut self, value: &mut Value, field: &'static Field, path: Path<'_>) -> Result<bool, DecodeError> {
        if !field.is_pointer {
            return self.read(value, &field.type_, path);
        }
        if value.is_null() {
            return Ok(true);
        }
        self.read(value, &field.type_, path).map(|_| false)
    }

    /// Reads a value, and returns whether it is empty.
    fn read(&mut self, value: &mut Value, type_: &Type, path: Path<'_>) -> Result<bool, DecodeError> {
        if value.is_null() {
            *value = if matches!(type_.shape, Shape::Bytes) { json!("") } else { zero(type_) };
            return Ok(true);
        }
        match (&type_.shape, &mut *value) {
            (Shape::Struct(of), Value::Object(members)) => self.read_struct(members, of, path),
            (Shape::Map(inner), Value::Object(members)) => {
                for (key, member) in members.iter_mut() {
                    self.read(member, inner, Path::Key(&path, key))?;
                }
                if type_.name == Some("v1.ResourceList") {
                    round_resources(members);
                }
                Ok(members.is_empty())
            }
            (Shape::List(inner) | Shape::Items(inner), Value::Array(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.read(item, inner, Path::Item(&path, index))?;
                }
                Ok(items.is_empty())
            }
            (Shape::Bool, Value::Bool(value)) => Ok(!*value),
            (Shape::Text, Value::String(text)) => Ok(text.is_empty()),
            (Shape::Double, Value::Number(number)) => Ok(number.as_f64() == Some(0.0)),
            (shape @ (Shape::Int32 | Shape::Int64), Value::Number(number)) => {
                let fits = |number: &i64| matches!(shape, Shape::Int64) || i32::try_from(*number).is_ok();
                match number.as_i64().filter(fits) {
                    Some(number) => Ok(number == 0),
                    None => {
                        let message = path.mismatch(&format!("number {number}"), &type_.name());
                        self.note(DecodeError { message, ..DecodeError::mismatch(&path, value, type_) });
                        Ok(false)
                    }
                }
            }
            (Shape::Bytes, Value::String(text)) => {
                match text::bytes(text) {
                    Ok(bytes) => {
                        let is_empty = bytes.is_empty();
                        *value = json!(ByteString(bytes));
                        return Ok(is_empty);
                    }
                    Err(problem) => self.note(problem.into()),
                }
                Ok(false)
            }
            (Shape::Bytes, Value::Array(items)) => {
                let bytes: Option<Vec<u8>> =
                    items.iter().map(|item| item.as_u64().and_then(|it| u8::try_from(it).ok())).collect();
                match (bytes, items.iter().find(|item| !item.is_u64())) {
                    (Some(bytes), _) => *value = json!(ByteString(bytes)),
                    (None, wrong) => {
                        self.note(path.mismatch(wrong.map_or("number", json_type), "uint8").into());
                    }
                }
                Ok(false)
            }
            (
                Shape::Scalar(scalar @ (Scalar::Time | Scalar::MicroTime | Scalar::Quantity | Scalar::IntOrString)),
                _,
            ) => read_opaque(value, *scalar, path),
            (Shape::Scalar(_) | Shape::Any, _) => Ok(false),
            _ => {
                self.note(DecodeError::mismatch(&path, value, type_));
                Ok(false)
            }
        }
    }

    fn note(&mut self, mismatch: DecodeError) {
        self.mismatch.get_or_insert(mismatch);
    }

    fn read_struct(
        &mut self,
        members: &mut Map<String, Value>,
        of: &'static GoType,
        path: Path<'_>,
    ) -> Result<bool, DecodeError> {
        let mut failure = None;
        members.retain(|name, value| {
            if failure.is_some() {
                return true;
            }
            let Some((member, field)) = of.member(name) else {
                let parent = path.strict();
                self.unknown.push(joined(parent, name));
                return false;
            };
            match self.read_field(value, field, Path::Field(&path, of, member)) {
                Ok(is_empty) => !is_empty,
                Err(problem) => {
                    failure = Some(problem);
                    true
                }
            }
        });
        failure.map_or(Ok(members.is_empty()), Err)
    }
}

/// Reads a value whose type reads itself. Its failure ends the reading.
fn read_opaque(value: &mut Value, scalar: Scalar, path: Path<'_>) -> Result<bool, DecodeError> {
    match (scalar, &*value) {
        (Scalar::IntOrString, Value::String(_)) => Ok(false),
        (Scalar::IntOrString, Value::Number(number)) => match number.as_i64().filter(|it| i32::try_from(*it).is_ok()) {
            Some(number) => Ok(number == 0),
            None => Err(DecodeError::opaque(&path, &format!("number {number}"), "int32")),
        },
        (Scalar::IntOrString, other) => Err(DecodeError::opaque(&path, json_type(other), "int32")),
        (Scalar::Quantity, found) => {
            let text = match found {
                Value::String(text) => text.trim().to_owned(),
                other => other.to_string(),
            };
            let canonical = canonical_quantity(&text, false).map_err(str::to_owned)?;
            let is_zero = canonical == "0";
            *value = canonical.into();
            Ok(is_zero)
        }
        (_, Value::String(text)) => {
            let time = if scalar == Scalar::Time { text::time(text) } else { text::micro_time(text) }?;
            let is_zero = time.is_none();
            *value = time.into();
            Ok(is_zero)
        }
        (_, other) => Err(DecodeError::opaque(&path, json_type(other), "string")),
    }
}

/// `SetDefaults_ResourceList` of `pkg/apis/core/v1/defaults.go`.
fn round_resources(resources: &mut Map<String, Value>) {
    for quantity in resources.values_mut() {
        if let Some(text) = quantity.as_str()
            && text.ends_with(['u', 'n'])
            && let Ok(rounded) = canonical_quantity(text, true)
        {
            *quantity = rounded.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go_types;

    fn read(group: &str, kind: &str, mut object: Value) -> Result<(Value, Vec<String>), String> {
        let unknown =
            decode(go_types::of_resource(group, "v1", kind).unwrap(), &mut object).map_err(|error| error.message)?;
        Ok((object, unknown))
    }

    #[test]
    fn wrong_types_are_reported_as_by_go() {
        let container = |container: Value| json!({ "spec": { "containers": [container] } });
        for (group, kind, object, expected) in [
            (
                "apps",
                "Deployment",
                json!({ "spec": { "replicas": "2" } }),
                "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
            ),
            (
                "apps",
                "Deployment",
                json!({ "spec": { "replicas": 2.5 } }),
                "json: cannot unmarshal number 2.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
            ),
            (
                "",
                "ConfigMap",
                json!({ "data": { "a": 1 } }),
                "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
            ),
            (
                "",
                "Pod",
                container(json!({ "ports": [{ "containerPort": "80" }] })),
                "json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
            ),
            ("", "Secret", json!({ "data": { "a": "%%%" } }), "illegal base64 data at input byte 0"),
            (
                "",
                "Pod",
                container(json!({ "resources": { "limits": { "cpu": "lots" } } })),
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ),
        ] {
            assert_eq!(read(group, kind, object).unwrap_err(), expected);
        }
    }

    #[test]
    fn unknown_and_empty_fields_are_removed() {
        let pod = json!({ "spec": {
            "containers": [{ "name": "a", "args": [], "x": 1, "resources": { "limits": { "cpu": "1000m", "memory": "1024Mi" } } }],
            "nodeSelector": {}, "securityContext": {}, "hostname": null, "hostNetwork": false,
        } });
        let read = read("", "Pod", pod).unwrap();
        let limits = json!({ "limits": { "cpu": "1", "memory": "1Gi" } });
        let expected =
            json!({ "spec": { "containers": [{ "name": "a", "resources": limits }], "securityContext": {} } });
        assert_eq!(read, (expected, vec!["spec.containers[0].x".to_owned()]));
    }
}
