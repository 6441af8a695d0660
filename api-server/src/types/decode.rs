//! Reading of an object as a type of Go, as the server's JSON decoder does it.

use crdkit_core::cel::canonical_quantity;
use k8s_openapi::ByteString;
use serde_json::{Map, Number, Value, json};

use super::{Field, Form, GoType, Struct, TypeId, get, text};
use crate::decode::json_type;

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

    fn mismatch(path: &Path<'_>, found: &Value, type_: &GoType) -> Self {
        Self { message: path.mismatch(json_type(found), type_.name), converted: Some(conversion_message(found, type_)) }
    }
}

impl From<String> for DecodeError {
    fn from(message: String) -> Self {
        Self { message, converted: None }
    }
}

/// `fromUnstructured` of `pkg/runtime/converter.go` in apimachinery. Go converts numbers to texts, and the server refuses that.
fn conversion_message(found: &Value, type_: &GoType) -> String {
    let number = |number: &Number| if number.is_f64() { "float64" } else { "int64" };
    let kind = |found: &Value| match found {
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
        Value::Number(found) => number(found),
        other => json_type(other),
    };
    match (&type_.form, found) {
        (Form::Text, Value::Number(found)) if !found.is_f64() => format!("cannot convert int64 to {}", type_.name),
        (Form::Integer(_), Value::Number(found)) => format!("cannot convert {} to {}", number(found), type_.name),
        (Form::Map(_), found) => format!("cannot restore map from {}", kind(found)),
        (Form::List(_) | Form::Bytes, found) => format!("cannot restore slice from {}", kind(found)),
        (Form::Struct(_), found) => format!("cannot restore struct from: {}", kind(found)),
        (Form::Boolean, _) => "unrecognized type: bool".to_owned(),
        (Form::Text, _) => "unrecognized type: string".to_owned(),
        (Form::Float, _) => "unrecognized type: float64".to_owned(),
        (Form::Integer(bits), _) => format!("unrecognized type: int{bits}"),
        _ => "unrecognized type".to_owned(),
    }
}

/// Reads an object: removes unknown fields and those that are empty, and writes values as Go does. Returns the paths of the
/// unknown fields.
///
/// # Errors
///
/// If a value has another type, in the words of Go.
pub(crate) fn decode(type_: TypeId, object: &mut Value) -> Result<Vec<String>, DecodeError> {
    let mut reader = Reader { unknown: Vec::new(), mismatch: None };
    reader.read(object, type_, Path::Root)?;
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
    /// In a field of the type with this name.
    Field(&'a Path<'a>, &'static str, &'static Field),
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    /// Returns the path as strict errors have it.
    fn strict(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field(parent, _, field) => joined(parent.strict(), field.name),
            Self::Key(parent, name) => joined(parent.strict(), name),
            Self::Item(parent, index) => format!("{}[{index}]", parent.strict()),
        }
    }

    /// Returns the names of the fields, without the keys and the indexes between them.
    fn fields(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, _) | Self::Item(parent, _) => parent.fields(),
            Self::Field(parent, _, Field { name, inlined, .. }) => joined(parent.fields(), &format!("{inlined}{name}")),
        }
    }

    /// Returns the name of the innermost struct, without its package.
    fn struct_name(&self) -> &'static str {
        match self {
            Self::Root => "",
            Self::Key(parent, _) | Self::Item(parent, _) => parent.struct_name(),
            Self::Field(_, name, _) => name.rsplit('.').next().unwrap_or_default(),
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
    /// Reads a value, and returns whether it is empty.
    fn read(&mut self, value: &mut Value, id: TypeId, path: Path<'_>) -> Result<bool, DecodeError> {
        let type_ = get(id);
        if value.is_null() && !matches!(type_.form, Form::Pointer(_)) {
            *value = if matches!(type_.form, Form::Bytes) { json!("") } else { type_.zero() };
            return Ok(true);
        }
        match (&type_.form, &mut *value) {
            (Form::Pointer(_), Value::Null) | (Form::Any, _) => Ok(value.is_null()),
            (Form::Pointer(inner), _) => self.read(value, *inner, path).map(|_| false),
            (Form::Struct(of), Value::Object(members)) => self.read_struct(members, of, type_.name, path),
            (Form::Map(inner), Value::Object(members)) => {
                for (key, member) in members.iter_mut() {
                    self.read(member, *inner, Path::Key(&path, key))?;
                }
                if type_.name == "v1.ResourceList" {
                    round_resources(members);
                }
                Ok(members.is_empty())
            }
            (Form::List(inner), Value::Array(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.read(item, *inner, Path::Item(&path, index))?;
                }
                Ok(items.is_empty())
            }
            (Form::Boolean, Value::Bool(value)) => Ok(!*value),
            (Form::Text, Value::String(text)) => Ok(text.is_empty()),
            (Form::Float, Value::Number(number)) => Ok(number.as_f64() == Some(0.0)),
            (Form::Integer(bits), Value::Number(number)) => {
                let fits = |number: &i64| *bits == 64 || i32::try_from(*number).is_ok();
                match number.as_i64().filter(fits) {
                    Some(number) => Ok(number == 0),
                    None => {
                        let message = path.mismatch(&format!("number {number}"), type_.name);
                        self.note(DecodeError { message, ..DecodeError::mismatch(&path, value, type_) });
                        Ok(false)
                    }
                }
            }
            (Form::Bytes, Value::String(text)) => {
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
            (Form::Bytes, Value::Array(items)) => {
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
            (Form::Time | Form::MicroTime | Form::Quantity | Form::IntOrString, _) => read_opaque(value, type_, path),
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
        of: &'static Struct,
        name: &'static str,
        path: Path<'_>,
    ) -> Result<bool, DecodeError> {
        let mut failure = None;
        members.retain(|member, value| {
            if failure.is_some() {
                return true;
            }
            let Some(field) = of.field(member) else {
                let parent = path.strict();
                self.unknown.push(joined(parent, member));
                return false;
            };
            match self.read(value, field.type_, Path::Field(&path, name, field)) {
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
fn read_opaque(value: &mut Value, type_: &GoType, path: Path<'_>) -> Result<bool, DecodeError> {
    match (&type_.form, &*value) {
        (Form::IntOrString, Value::String(_)) => Ok(false),
        (Form::IntOrString, Value::Number(number)) => match number.as_i64().filter(|it| i32::try_from(*it).is_ok()) {
            Some(number) => Ok(number == 0),
            None => Err(DecodeError::opaque(&path, &format!("number {number}"), "int32")),
        },
        (Form::IntOrString, other) => Err(DecodeError::opaque(&path, json_type(other), "int32")),
        (Form::Quantity, found) => {
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
            let time = if matches!(type_.form, Form::Time) { text::time(text) } else { text::micro_time(text) }?;
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
    use super::{super::of_kind, *};

    fn read(group: &str, kind: &str, mut object: Value) -> Result<(Value, Vec<String>), String> {
        let unknown = decode(of_kind(group, "v1", kind).unwrap(), &mut object).map_err(|error| error.message)?;
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
