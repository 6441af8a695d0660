//! The table of what Kubernetes' own types say of themselves, made from the API server's OpenAPI documents.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

use crate::{ControlPlane, Request};

/// The documents of groups whose types stand in custom resources.
const DOCUMENTS: &[&str] = &[
    "api/v1",
    "apis/apps/v1",
    "apis/autoscaling/v2",
    "apis/batch/v1",
    "apis/networking.k8s.io/v1",
    "apis/policy/v1",
];
const PREFIX: &str = "io.k8s.";
/// Types that crdkit describes itself wherever they stand.
const KNOWN: &[&str] = &[
    "apimachinery.pkg.api.resource.Quantity",
    "apimachinery.pkg.util.intstr.IntOrString",
];
const HEAD: &str = "\
// Written by `cargo run -p crdkit-tests --bin topology` from the API server's OpenAPI documents.

use super::Type;
use crate::schema::{
    Keyword::{self, DefaultLiteral, ListMapKeys, ListType, MapType},
    ListType as List,
    Literal::{Boolean, Integer, Text},
    MapType as Map,
};

const ATOMIC: Keyword = ListType(List::Atomic);
const SET: Keyword = ListType(List::Set);
const MAP: Keyword = ListType(List::Map);
const ATOMIC_MAP: Keyword = MapType(Map::Atomic);
const GRANULAR_MAP: Keyword = MapType(Map::Granular);

";

/// Where the table is kept.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/render/embed/table.rs")
}

/// The table as it should be.
///
/// # Errors
///
/// If the documents say something that no keyword of the table can say.
pub async fn table(plane: &ControlPlane) -> Result<String> {
    let mut types = BTreeMap::new();
    for document in DOCUMENTS {
        let answer = plane
            .raw(Request::get(format!("/openapi/v3/{document}")))
            .await;
        ensure!(answer.is_success(), "{document}: {}", answer.body);
        let schemas = answer.body["components"]["schemas"].as_object();
        read(schemas.context("a document has schemas")?, &mut types)?;
    }
    format(&render(&types))
}

/// A type, as far as something is said of it.
#[derive(Default)]
struct Type {
    keywords: Vec<String>,
    members: BTreeMap<String, Member>,
    /// The fields whose lists are those of all objects of a kind, and say nothing of other lists.
    is_list_kind: bool,
}

struct Member {
    /// The type that the field is, or has in its list or map; empty if that is none of Kubernetes.
    holds: String,
    keywords: Vec<String>,
    is_list: bool,
}

fn read(schemas: &Map<String, Value>, types: &mut BTreeMap<String, Type>) -> Result<()> {
    for (name, schema) in schemas {
        let name = name
            .strip_prefix(PREFIX)
            .context("a type of another name")?;
        if schema["type"] == "object" {
            let type_ = read_type(schema).with_context(|| name.to_owned())?;
            types.insert(name.to_owned(), type_);
        }
    }
    Ok(())
}

fn read_type(schema: &Value) -> Result<Type> {
    let required: BTreeSet<_> = elements(&schema["required"])
        .filter_map(Value::as_str)
        .collect();
    let mut type_ = Type {
        keywords: topology(schema)?,
        ..Type::default()
    };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let mut keywords = topology(property)?;
        // The others are what Go makes of a value that is not there, of which the schema says that it has to be.
        if !required.contains(name.as_str()) {
            keywords.extend(default(property)?);
        }
        let member = Member {
            holds: held(property),
            keywords,
            is_list: property["type"] == "array",
        };
        type_.members.insert(name.clone(), member);
    }
    type_.is_list_kind = ["apiVersion", "kind", "items"]
        .iter()
        .all(|name| type_.members.contains_key(*name));
    Ok(type_)
}

/// How a value is merged.
fn topology(schema: &Value) -> Result<Vec<String>> {
    let mut keywords = Vec::new();
    match schema["x-kubernetes-list-type"].as_str() {
        None => {}
        Some("atomic") => keywords.push("ATOMIC".to_owned()),
        Some("set") => keywords.push("SET".to_owned()),
        Some("map") => {
            let keys = elements(&schema["x-kubernetes-list-map-keys"]);
            let keys: Vec<_> = keys.map(ToString::to_string).collect();
            keywords.push("MAP".to_owned());
            keywords.push(format!("ListMapKeys(&[{}])", keys.join(", ")));
        }
        Some(other) => anyhow::bail!("the list type {other}"),
    }
    match schema["x-kubernetes-map-type"].as_str() {
        None => {}
        Some("atomic") => keywords.push("ATOMIC_MAP".to_owned()),
        Some("granular") => keywords.push("GRANULAR_MAP".to_owned()),
        Some(other) => anyhow::bail!("the map type {other}"),
    }
    Ok(keywords)
}

/// The default of a field. That of every object is the empty one, which is no default but Go's zero value.
fn default(schema: &Value) -> Result<Option<String>> {
    match schema.get("default") {
        None => Ok(None),
        Some(Value::Object(members)) if members.is_empty() => Ok(None),
        Some(value @ (Value::String(_) | Value::Bool(_) | Value::Number(_))) => {
            let literal = match value {
                Value::String(_) => "Text",
                Value::Bool(_) => "Boolean",
                _ => "Integer",
            };
            Ok(Some(format!("DefaultLiteral({literal}({value}))")))
        }
        Some(other) => anyhow::bail!("the default {other}"),
    }
}

fn held(schema: &Value) -> String {
    let inner = [&schema["items"], &schema["additionalProperties"]];
    if let Some(inner) = inner.into_iter().find(|inner| inner.is_object()) {
        return held(inner);
    }
    let reference = schema
        .get("$ref")
        .or_else(|| schema.pointer("/allOf/0/$ref"));
    let name = reference
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next());
    let name = name.and_then(|name| name.strip_prefix(PREFIX));
    name.unwrap_or_default().to_owned()
}

fn render(types: &BTreeMap<String, Type>) -> String {
    let telling = telling(types);
    let mut text = format!("{HEAD}pub(super) static TYPES: &[Type] = &[\n");
    for (name, type_) in types {
        let value = type_.keywords.join(", ");
        let list = of_lists(types, name).join(", ");
        write!(
            text,
            "Type {{ name: {name:?}, value: &[{value}], list: &[{list}], members: &["
        )
        .expect("text can be written");
        for (
            member,
            Member {
                holds, keywords, ..
            },
        ) in &type_.members
        {
            let holds = match telling.contains(holds.as_str()) {
                true => holds.as_str(),
                false => "",
            };
            if !holds.is_empty() || !keywords.is_empty() {
                write!(
                    text,
                    "({member:?}, {holds:?}, &[{}]), ",
                    keywords.join(", ")
                )
                .expect("text can be written");
            }
        }
        text.push_str("] },\n");
    }
    text + "];\n"
}

/// The types of which something is said, or of what they hold.
fn telling(types: &BTreeMap<String, Type>) -> BTreeSet<&str> {
    let mut telling: BTreeSet<&str> = KNOWN.iter().copied().collect();
    loop {
        let known = telling.len();
        for (name, type_) in types {
            let is_telling = !type_.keywords.is_empty()
                || type_.members.values().any(|member| {
                    !member.keywords.is_empty() || telling.contains(member.holds.as_str())
                });
            if is_telling {
                telling.insert(name);
            }
        }
        if telling.len() == known {
            return telling;
        }
    }
}

/// What is said of every list of a type, if one thing is said of all.
fn of_lists<'a>(types: &'a BTreeMap<String, Type>, name: &str) -> &'a [String] {
    let types = types.values().filter(|type_| !type_.is_list_kind);
    let lists = types
        .flat_map(|type_| type_.members.values())
        .filter(|member| member.is_list && member.holds == name);
    let said: BTreeSet<&[String]> = lists.map(|member| member.keywords.as_slice()).collect();
    match said.into_iter().collect::<Vec<_>>()[..] {
        [said] => said,
        _ => &[],
    }
}

fn format(source: &str) -> Result<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = rustfmt.stdin.take().context("rustfmt reads its input")?;
    let source = source.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let output = rustfmt.wait_with_output()?;
    writer.join().expect("the writer does not panic")?;
    ensure!(output.status.success(), "rustfmt failed");
    Ok(String::from_utf8(output.stdout)?)
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
