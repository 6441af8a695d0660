//! Reading of an object as a type of Go, as the server's JSON decoder does it.

use crdkit_core::cel::canonical_quantity;
use k8s_openapi::ByteString;
use serde_json::{Map, Value, json};

use super::{Field, Form, GoType, Struct, TypeId, get, text};
use crate::decode::json_type;

/// Reads an object: removes unknown fields and those that are empty, and writes values as Go does. Returns the paths of the
/// unknown fields.
///
/// # Errors
///
/// If a value has another type, in the words of Go.
pub(crate) fn decode(type_: TypeId, object: &mut Value) -> Result<Vec<String>, String> {
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
    mismatch: Option<String>,
}

/// Where a value is.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    /// In a field of the type with this name.
    Field(&'a Path<'a>, &'static str, &'a str),
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    /// Returns the path as strict errors have it.
    fn strict(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field(Self::Root, _, name) | Self::Key(Self::Root, name) => (*name).to_owned(),
            Self::Field(parent, _, name) | Self::Key(parent, name) => format!("{}.{name}", parent.strict()),
            Self::Item(parent, index) => format!("{}[{index}]", parent.strict()),
        }
    }

    /// Returns the names of the fields, without the keys and the indexes between them.
    fn fields(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, _) | Self::Item(parent, _) => parent.fields(),
            Self::Field(parent, _, name) => match parent.fields() {
                fields if fields.is_empty() => (*name).to_owned(),
                fields => format!("{fields}.{name}"),
            },
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

impl Reader {
    /// Reads a value, and returns whether it is empty.
    fn read(&mut self, value: &mut Value, id: TypeId, path: Path<'_>) -> Result<bool, String> {
        let type_ = get(id);
        if value.is_null() && !matches!(type_.form, Form::Pointer(_)) {
            *value = type_.zero();
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
                        let found = format!("number {number}");
                        self.note(path.mismatch(&found, type_.name));
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
                    Err(problem) => self.note(problem),
                }
                Ok(false)
            }
            (Form::Time | Form::MicroTime | Form::Quantity | Form::IntOrString, _) => read_opaque(value, type_, path),
            _ => {
                self.note(path.mismatch(json_type(value), type_.name));
                Ok(false)
            }
        }
    }

    fn note(&mut self, mismatch: String) {
        self.mismatch.get_or_insert(mismatch);
    }

    fn read_struct(
        &mut self,
        members: &mut Map<String, Value>,
        of: &'static Struct,
        name: &'static str,
        path: Path<'_>,
    ) -> Result<bool, String> {
        let mut failure = None;
        members.retain(|member, value| {
            if failure.is_some() {
                return true;
            }
            let Some(field) = of.field(member) else {
                let parent = path.strict();
                self.unknown.push(if parent.is_empty() { member.clone() } else { format!("{parent}.{member}") });
                return false;
            };
            match self.read(value, field.type_, Path::Field(&path, name, member)) {
                Ok(is_empty) => !is_empty || is_kept_empty(field),
                Err(problem) => {
                    failure = Some(problem);
                    true
                }
            }
        });
        failure.map_or(Ok(members.is_empty()), Err)
    }
}

/// Whether Go tells an empty value of the field from an absent one when it writes the object.
fn is_kept_empty(field: &Field) -> bool {
    matches!(get(field.type_).form, Form::List(_) | Form::Map(_)) && !field.is_omitted_if_empty
}

/// Reads a value whose type reads itself. Its failure ends the reading.
fn read_opaque(value: &mut Value, type_: &GoType, path: Path<'_>) -> Result<bool, String> {
    match (&type_.form, &*value) {
        (Form::IntOrString, Value::String(_)) => Ok(false),
        (Form::IntOrString, Value::Number(number)) => match number.as_i64().filter(|it| i32::try_from(*it).is_ok()) {
            Some(number) => Ok(number == 0),
            None => Err(path.mismatch(&format!("number {number}"), "int32")),
        },
        (Form::IntOrString, other) => Err(path.mismatch(json_type(other), "int32")),
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
        (_, other) => Err(path.mismatch(json_type(other), "string")),
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
        let unknown = decode(of_kind(group, "v1", kind).unwrap(), &mut object)?;
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
