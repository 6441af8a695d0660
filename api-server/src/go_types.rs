//! Go's types of Kubernetes' own kinds: the order of their fields in JSON, their numbers in protobuf, and which of them Go omits if
//! they are empty.
//!
//! `go_types.txt` has them, as `oracles types` of `api-server/control-plane` finds them in Kubernetes' code by reflection. A type is
//! parsed when it is first used, and found without an index: most programs use few, and a server starts within a millisecond.

use std::{
    cmp::Ordering,
    collections::HashMap,
    sync::{OnceLock, PoisonError, RwLock},
};

const TEXT: &str = include_str!("go_types.txt");
/// The version of kinds that a request names with any version.
#[cfg(feature = "protobuf")]
const ANY_VERSION: &str = "*";
/// The name of a field whose own fields are in its place.
const INLINE: &str = ".";

/// A struct.
#[derive(Debug)]
pub(super) struct GoType {
    /// A line for each field.
    lines: &'static str,
    fields: OnceLock<Fields>,
}

/// The fields of a struct, in Go's order, and its members in JSON, sorted by name.
#[derive(Debug)]
struct Fields {
    all: Vec<Field>,
    members: Vec<Member>,
}

/// A member in JSON: a field, or one of an inline field.
#[derive(Clone, Copy, Debug)]
struct Member {
    name: &'static str,
    /// The number of members before it.
    position: usize,
    /// The type of the inline field.
    owner: Option<&'static GoType>,
    /// The index in the fields of the type that has it.
    field: usize,
}

/// A field of a struct.
#[derive(Debug)]
#[cfg_attr(not(feature = "protobuf"), expect(dead_code, reason = "JSON needs no numbers"))]
pub(super) struct Field {
    /// The name in JSON, unless the field is inline.
    pub(super) name: &'static str,
    pub(super) is_inline: bool,
    /// The number in protobuf; `None` if it has no field there.
    pub(super) number: Option<u32>,
    pub(super) is_pointer: bool,
    /// Whether Go omits an empty value: `omitempty`.
    pub(super) omits_empty: bool,
    /// Whether Go omits a struct without values: `omitzero`.
    pub(super) omits_zero: bool,
    pub(super) shape: Shape,
}

/// The type of a value.
#[derive(Debug)]
pub(super) enum Shape {
    Bool,
    Int32,
    Int64,
    Double,
    Text,
    Bytes,
    List(Box<Shape>),
    /// A list that is a message in protobuf.
    Items(Box<Shape>),
    Map(Box<Shape>),
    Struct(&'static GoType),
    Scalar(Scalar),
    /// A value of any type, which protobuf does not have.
    Any,
}

/// A type with a form of its own in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// JSON in the text of a message: `RawExtension`, `FieldsV1` and `JSON`.
    Json,
    SchemaOrBool,
    SchemaOrArray,
    SchemaOrStringArray,
}

/// The types that were used, by their first lines and those of their kinds.
static USED: RwLock<Option<HashMap<&'static str, &'static GoType>>> = RwLock::new(None);

/// Returns the type of a kind, if Kubernetes has it.
pub(super) fn of_kind(api_version: &str, kind: &str) -> Option<&'static GoType> {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let is_custom = group.contains('.') && !group.ends_with(".k8s.io");
    if kind.is_empty() || is_custom {
        return None;
    }
    // The document of `/api` has no version.
    let version = if api_version.is_empty() { "v1" } else { api_version };
    find(&format!("kind {kind} {version}"))
}

/// Returns the type that a first line stands for.
fn find(line: &str) -> Option<&'static GoType> {
    let used = USED.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(type_) = used.as_ref().and_then(|used| used.get(line)) {
        return Some(type_);
    }
    drop(used);
    let (line, lines) = section(line)?;
    let type_ = if line.starts_with("kind ") { named(lines.trim()) } else { &*Box::leak(Box::new(GoType::new(lines))) };
    let mut used = USED.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have found it meanwhile.
    Some(used.get_or_insert_default().entry(line).or_insert(type_))
}

/// Returns a type by its name, such as `core/v1.Pod`.
fn named(name: &str) -> &'static GoType {
    find(&format!("type {name}")).expect("all types are there")
}

/// Returns the lines that begin with spaces after a line that does not, which are in the order of those.
fn section(wanted: &str) -> Option<(&'static str, &'static str)> {
    let (mut low, mut high) = (0, TEXT.len());
    while low < high {
        let start = start_of_section(low.midpoint(high));
        let (line, rest) = TEXT[start..].split_once('\n')?;
        let inner = rest.split_inclusive('\n').take_while(|line| line.starts_with(' ')).map(str::len).sum();
        match line.cmp(wanted) {
            Ordering::Equal => return Some((line, &rest[..inner])),
            Ordering::Less => low = start + line.len() + 1 + inner,
            Ordering::Greater => high = start,
        }
    }
    None
}

/// Returns where the section at an index begins.
fn start_of_section(mut at: usize) -> usize {
    loop {
        let start = TEXT[..at].rfind('\n').map_or(0, |end| end + 1);
        if !TEXT[start..].starts_with(' ') {
            return start;
        }
        at = start - 1;
    }
}

/// Returns the type of a kind in a request, which names some kinds with the version of others.
#[cfg(feature = "protobuf")]
pub(super) fn of_requested_kind(api_version: &str, kind: &str) -> Option<&'static GoType> {
    of_kind(api_version, kind).or_else(|| of_kind(ANY_VERSION, kind))
}

/// Returns the kinds with their versions.
#[cfg(all(test, feature = "protobuf"))]
pub(super) fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.lines().filter_map(|line| line.strip_prefix("kind ")?.split_once(' '))
}

/// Returns the type of a schema, which the types that may be one lead to.
pub(super) fn schema() -> &'static GoType {
    named("apiextensions/v1.JSONSchemaProps")
}

impl GoType {
    const fn new(lines: &'static str) -> Self {
        Self { lines, fields: OnceLock::new() }
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.parsed().all
    }

    /// Returns the position of a member in JSON, and its type.
    pub(super) fn member(&self, name: &str) -> Option<(usize, &Shape)> {
        let Fields { all, members } = self.parsed();
        let found = members.binary_search_by(|member| member.name.cmp(name)).ok()?;
        let Member { position, owner, field, .. } = members[found];
        let fields = owner.map_or(&all[..], Self::fields);
        Some((position, &fields[field].shape))
    }

    fn parsed(&self) -> &Fields {
        self.fields.get_or_init(|| Fields::parse(self.lines))
    }
}

impl Fields {
    fn parse(lines: &'static str) -> Self {
        let all: Vec<_> = lines.lines().map(Field::parse).collect();
        let mut members = Vec::new();
        for (index, field) in all.iter().enumerate() {
            let start = members.len();
            if let (true, Shape::Struct(inner)) = (field.is_inline, &field.shape) {
                let inner_members = inner.parsed().members.iter().map(|member| {
                    let owner = Some(member.owner.unwrap_or(inner));
                    Member { position: start + member.position, owner, ..*member }
                });
                members.extend(inner_members);
            } else {
                members.push(Member { name: field.name, position: start, owner: None, field: index });
            }
        }
        members.sort_unstable_by_key(|member| member.name);
        Self { all, members }
    }
}

impl Field {
    fn parse(line: &'static str) -> Self {
        let mut words = line.split_ascii_whitespace();
        let mut word = || words.next().expect("a line has three words");
        let (name, number, type_) = (word(), word(), word());
        let options: Vec<_> = words.collect();
        let pointed = type_.strip_prefix('*');
        Self {
            name,
            is_inline: name == INLINE,
            number: number.parse().ok(),
            is_pointer: pointed.is_some(),
            omits_empty: options.contains(&"omitempty"),
            omits_zero: options.contains(&"omitzero"),
            shape: Shape::parse(pointed.unwrap_or(type_)),
        }
    }
}

impl Shape {
    fn parse(text: &'static str) -> Self {
        type Container = fn(Box<Shape>) -> Shape;
        const CONTAINERS: [(&str, Container); 3] =
            [("[]", Shape::List), ("items[]", Shape::Items), ("map[string]", Shape::Map)];
        for (prefix, container) in CONTAINERS {
            if let Some(element) = text.strip_prefix(prefix) {
                return container(Box::new(Self::parse(element)));
            }
        }
        match text {
            "bool" => Self::Bool,
            "int32" => Self::Int32,
            "int64" => Self::Int64,
            "float64" => Self::Double,
            "string" => Self::Text,
            "bytes" => Self::Bytes,
            "any" => Self::Any,
            name => Scalar::named(name).map_or_else(|| Self::Struct(named(name)), Self::Scalar),
        }
    }
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "meta/v1.Time" => Self::Time,
            "meta/v1.MicroTime" => Self::MicroTime,
            "resource.Quantity" => Self::Quantity,
            "intstr.IntOrString" => Self::IntOrString,
            "runtime.RawExtension" | "meta/v1.FieldsV1" | "apiextensions/v1.JSON" => Self::Json,
            "apiextensions/v1.JSONSchemaPropsOrBool" => Self::SchemaOrBool,
            "apiextensions/v1.JSONSchemaPropsOrArray" => Self::SchemaOrArray,
            "apiextensions/v1.JSONSchemaPropsOrStringArray" => Self::SchemaOrStringArray,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// The file is what the oracle makes of Kubernetes' code.
    #[test]
    fn the_data_is_that_of_kubernetes() {
        let Some(oracles) = crdkit_oracles::program("oracles") else { return };
        let mut command = Command::new(oracles);
        let resources = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/src/builtin.jsonl")).unwrap();
        let output = command.arg("types").stdin(Stdio::from(resources)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout == TEXT.as_bytes(), "`go_types.txt` is out of date: CONTRIBUTING.md has the command");
    }

    #[test]
    fn all_types_are_found_and_parsed() {
        for line in TEXT.lines().filter(|line| !line.starts_with(' ')) {
            let type_ = find(line).unwrap();
            let fields = type_.fields();
            assert_eq!(type_.lines.lines().count(), fields.len(), "{line}");
            let members = &type_.parsed().members;
            assert!(members.windows(2).all(|pair| pair[0].name < pair[1].name), "{line}");
        }
        for other in ["", "kind Pod", "kind Pod v", "kind Pod v2", "type core/v1.Po", "type z", " . - meta/v1.TypeMeta"]
        {
            assert!(find(other).is_none(), "{other}");
        }
    }

    #[test]
    fn members_are_in_the_order_of_go() {
        let pod = of_kind("v1", "Pod").unwrap();
        let position = |type_: &GoType, name: &str| type_.member(name).unwrap().0;
        let positions = ["kind", "apiVersion", "metadata", "spec", "status"].map(|name| position(pod, name));
        assert_eq!(positions, [0, 1, 2, 3, 4]);
        assert!(pod.member("none").is_none());
        let volume = named("core/v1.Volume");
        assert!(position(volume, "name") < position(volume, "hostPath"));
        assert!(matches!(volume.member("hostPath"), Some((_, Shape::Struct(path))) if path.lines.contains("path")));
        assert!(of_kind("example.com/v1", "Pod").is_none());
        assert!(of_kind("", "APIVersions").is_some());
    }
}
