//! Go's types of Kubernetes' own kinds: the order of their fields in JSON and their numbers in protobuf, which of them Go omits if they
//! are empty, their defaults, and how server-side apply merges them.
//!
//! `go_types.txt` has them, as `go run ./types` in `api-server/control-plane` finds them in Kubernetes' code. A type is parsed when it
//! is first used, and found without an index: most programs use few, and a server starts within a millisecond.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::HashMap,
    sync::{OnceLock, PoisonError, RwLock},
};

use serde_json::Value;

use super::defaults::{self, SetDefaults};

mod parse;

const TEXT: &str = include_str!("go_types.txt");
/// The version of kinds that a request names with any version.
#[cfg(feature = "protobuf")]
const ANY_VERSION: &str = "*";

/// A struct.
#[derive(Debug)]
pub(super) struct GoType {
    /// The end of its package, and its own name, such as `core/v1.Pod`.
    pub(super) name: &'static str,
    pub(super) merging: Merging,
    /// Sets the defaults that depend on other fields.
    pub(super) set_defaults: Option<SetDefaults>,
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
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    /// The number of members before it.
    pub(super) position: usize,
    /// The types of the inline fields that it is in, the outermost first.
    pub(super) inline: Vec<&'static GoType>,
    /// The index in the fields of the type that has it.
    index: usize,
}

/// A field of a struct.
#[derive(Debug)]
pub(super) struct Field {
    /// The name in JSON, unless the field is inline.
    pub(super) name: &'static str,
    pub(super) is_inline: bool,
    /// The number in protobuf; `None` if it has no field there.
    #[cfg_attr(not(feature = "protobuf"), expect(dead_code, reason = "JSON needs no numbers"))]
    pub(super) number: Option<u32>,
    pub(super) is_pointer: bool,
    /// Whether Go omits an empty value: `omitempty`.
    pub(super) omits_empty: bool,
    /// Whether Go omits a struct without values: `omitzero`.
    pub(super) omits_zero: bool,
    pub(super) merging: Merging,
    /// The default that does not depend on other fields.
    pub(super) default: Option<Value>,
    pub(super) type_: Type,
}

/// The type of a value.
#[derive(Debug)]
pub(super) struct Type {
    /// The name of a type that is no struct, such as `v1.ResourceList`.
    pub(super) name: Option<&'static str>,
    pub(super) shape: Shape,
}

#[derive(Debug)]
pub(super) enum Shape {
    Bool,
    Int32,
    Int64,
    Double,
    Text,
    Bytes,
    List(Box<Type>),
    /// A list that is a message in protobuf.
    Items(Box<Type>),
    Map(Box<Type>),
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

/// How server-side apply merges a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merging {
    /// As others of its form: maps by keys, lists as a whole.
    Usual,
    Granular,
    Atomic,
    Set,
    /// A list by these fields of its items, with commas between.
    Keys(&'static str),
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

/// Returns the type of a kind of a resource.
pub(super) fn of_resource(group: &str, version: &str, kind: &str) -> Option<&'static GoType> {
    if group.is_empty() { of_kind(version, kind) } else { of_kind(&format!("{group}/{version}"), kind) }
}

/// Returns the type that a first line stands for.
fn find(line: &str) -> Option<&'static GoType> {
    let used = USED.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(type_) = used.as_ref().and_then(|used| used.get(line)) {
        return Some(type_);
    }
    drop(used);
    let (line, lines) = section(line)?;
    let (name, merging) = split_header(line);
    let type_ = match name.strip_prefix("type ") {
        Some(type_name) => &*Box::leak(Box::new(GoType::new(type_name, merging, lines))),
        None => named(lines.trim()),
    };
    let mut used = USED.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have found it meanwhile.
    Some(used.get_or_insert_default().entry(name).or_insert(type_))
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
        match split_header(line).0.cmp(wanted) {
            Ordering::Equal => return Some((line, &rest[..inner])),
            Ordering::Less => low = start + line.len() + 1 + inner,
            Ordering::Greater => high = start,
        }
    }
    None
}

/// Returns the name of a section, and how values of its type are merged.
fn split_header(line: &'static str) -> (&'static str, &'static str) {
    line.split_once('\t').unwrap_or((line, ""))
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
    fn new(name: &'static str, merging: &'static str, lines: &'static str) -> Self {
        let merging = Merging::parse(merging).unwrap_or(Merging::Usual);
        Self { name, merging, set_defaults: defaults::of_type(name), lines, fields: OnceLock::new() }
    }

    /// Returns the name without its package.
    pub(super) fn own_name(&self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or_default()
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.parsed().all
    }

    /// Returns the members in JSON, sorted by name.
    pub(super) fn members(&self) -> impl Iterator<Item = (&Member, &Field)> {
        let parsed = self.parsed();
        parsed.members.iter().map(|member| (member, parsed.field(member)))
    }

    /// Returns a member in JSON.
    pub(super) fn member(&self, name: &str) -> Option<(&Member, &Field)> {
        let parsed = self.parsed();
        let found = parsed.members.binary_search_by(|member| member.name.cmp(name)).ok()?;
        let member = &parsed.members[found];
        Some((member, parsed.field(member)))
    }

    fn parsed(&self) -> &Fields {
        self.fields.get_or_init(|| Fields::parse(self.lines))
    }
}

impl Fields {
    fn field(&self, member: &Member) -> &Field {
        let fields = member.inline.last().map_or(&self.all[..], |type_| type_.fields());
        &fields[member.index]
    }
}

impl Field {
    /// Whether `omitempty` keeps an empty value: Go has no empty structs.
    pub(super) fn is_struct(&self) -> bool {
        !self.is_pointer && matches!(self.type_.shape, Shape::Struct(_) | Shape::Scalar(_))
    }
}

impl Type {
    /// Returns the name in messages, such as `[]v1.Container`.
    pub(super) fn name(&self) -> Cow<'static, str> {
        if let Some(name) = self.name {
            return name.into();
        }
        match &self.shape {
            Shape::Bool => "bool".into(),
            Shape::Int32 => "int32".into(),
            Shape::Int64 => "int64".into(),
            Shape::Double => "float64".into(),
            Shape::Text => "string".into(),
            Shape::Bytes => "[]uint8".into(),
            Shape::List(element) | Shape::Items(element) => format!("[]{}", element.name()).into(),
            Shape::Map(element) => format!("map[string]{}", element.name()).into(),
            // Messages have the last part of a package.
            Shape::Struct(type_) => type_.name.rsplit('/').next().unwrap_or_default().into(),
            Shape::Scalar(_) | Shape::Any => "interface {}".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::builtin;

    /// The file is what the program makes of Kubernetes' code.
    #[test]
    fn the_data_is_that_of_kubernetes() {
        let Some(program) = crdkit_oracles::program("types") else { return };
        let resources = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/src/builtin.jsonl")).unwrap();
        let output = Command::new(program).stdin(Stdio::from(resources)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout == TEXT.as_bytes(), "`go_types.txt` is out of date: CONTRIBUTING.md has the command");
    }

    #[test]
    fn all_types_are_found_and_parsed() {
        for line in TEXT.lines().filter(|line| !line.starts_with(' ')) {
            let type_ = find(split_header(line).0).unwrap();
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
        let position = |type_: &GoType, name: &str| type_.member(name).unwrap().0.position;
        let positions = ["kind", "apiVersion", "metadata", "spec", "status"].map(|name| position(pod, name));
        assert_eq!(positions, [0, 1, 2, 3, 4]);
        assert!(pod.member("none").is_none());
        let volume = named("core/v1.Volume");
        assert!(position(volume, "name") < position(volume, "hostPath"));
        let (member, field) = volume.member("hostPath").unwrap();
        assert_eq!(member.inline[0].own_name(), "VolumeSource");
        assert!(matches!(field.type_.shape, Shape::Struct(path) if path.lines.contains("path")));
        assert!(of_kind("example.com/v1", "Pod").is_none());
        assert!(of_kind("", "APIVersions").is_some());
    }

    #[test]
    fn kinds_of_resources_have_types() {
        for resource in builtin::resources() {
            for version in &resource.versions {
                let found = of_resource(&resource.group, &version.spec.name, &resource.names.kind);
                assert!(found.is_some(), "{} {}", version.spec.name, resource.names.kind);
            }
        }
    }

    #[test]
    fn fields_have_defaults_names_and_a_merging() {
        let spec = named("apps/v1.DeploymentSpec");
        assert_eq!(spec.member("replicas").unwrap().1.default, Some(1.into()));
        let container = named("core/v1.Container");
        let field = |name: &str| container.member(name).unwrap().1;
        assert_eq!(field("imagePullPolicy").type_.name(), "v1.PullPolicy");
        assert_eq!(field("ports").type_.name(), "[]v1.ContainerPort");
        assert_eq!(field("ports").merging, Merging::Keys("containerPort,protocol"));
        assert_eq!(field("args").merging, Merging::Atomic);
        assert_eq!(named("core/v1.ObjectReference").merging, Merging::Atomic);
        assert_eq!(named("core/v1.ResourceRequirements").member("limits").unwrap().1.type_.name(), "v1.ResourceList");
    }
}
