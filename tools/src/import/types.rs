//! Types for the values of a schema.

use std::{collections::BTreeSet, fmt::Write as _};

use crdkit::__internal::crd_accessors::{items, values};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Props, JSONSchemaPropsOrBool,
};
use serde_json::{Value, json};

use super::{
    attributes::Attributes,
    is_struct,
    literals::{doc_comment, text},
    names::{camel_case, field_name, type_name},
};

const DERIVES: &str = "#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]";
const ROOT_DERIVES: &str = "#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]";

/// The longest line of an attribute.
const WIDTH: usize = 116;

/// The types of one version.
#[derive(Default)]
pub(super) struct Types {
    pub(super) code: String,
    pub(super) notes: Vec<String>,
    names: BTreeSet<String>,
    uses_maps: bool,
    uses_int_or_string: bool,
    /// Whether objects keep fields at the root that the schema does not have.
    pub(super) keeps_other_fields: bool,
    /// The types in values that have a patch, from which crdkit does not remove `nullable`.
    patched: BTreeSet<String>,
}

/// A value in Rust.
struct RustValue {
    /// The type.
    type_: String,
    attributes: Attributes,
}

impl Types {
    /// Returns the `use` declarations of the code.
    pub(super) fn imports(&self) -> String {
        let mut imports = String::new();
        if self.uses_maps {
            imports += "use std::collections::BTreeMap;\n\n";
        }
        if self.uses_int_or_string {
            imports += "use crdkit::k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;\n";
        }
        imports + "use crdkit::{\n    CustomResource, KubeSchema,\n    serde::{Deserialize, Serialize},\n};\n"
    }

    /// Adds the type of the spec.
    pub(super) fn root(&mut self, name: &str, schema: &Props, resource: &[String]) {
        self.add_struct(name, schema, Some(resource));
    }

    /// Adds a struct, and the types of its fields.
    pub(super) fn add_struct(&mut self, name: &str, schema: &Props, resource: Option<&[String]>) {
        self.names.insert(name.to_owned());
        let mut attributes = self.object(schema);
        let mut fields = String::new();
        let mut below = Vec::new();
        let mut names = BTreeSet::new();
        let mut required = Vec::new();
        let is_patched = self.keeps_null(name, schema);
        for (json_name, part) in schema.properties.iter().flatten() {
            let mut rust_name = field_name(json_name);
            while !names.insert(rust_name.clone()) {
                rust_name.push('_');
            }
            let is_required = schema.required.iter().flatten().any(|it| it == json_name);
            let hint = format!("{name}{}", type_name(json_name));
            let known = below.len();
            let mut value = self.value(part, &hint, &mut below);
            if is_patched || !value.attributes.patch.is_empty() {
                self.patched.extend(below[known..].iter().map(|(name, _)| name.clone()));
            }
            let keeps_null = self.keeps_null(&value.type_, part);
            let is_plain_option = !is_required && !value.attributes.has_default && part.nullable != Some(true);
            if (is_patched || keeps_null || !value.attributes.patch.is_empty()) && is_plain_option {
                value.attributes.keys.push("nullable = false".to_owned());
            }
            if let Some((_, type_)) = below.last_mut().filter(|(name, _)| *name == value.type_) {
                type_.description = None; // it is that of the field
            }
            if self.add_field(json_name, &rust_name, part, is_required, value, &mut fields) {
                required.push(json_name.clone());
            }
        }
        if resource.is_some() && self.keeps_other_fields {
            self.uses_maps = true;
            let mut name = "other_fields".to_owned();
            while !names.insert(name.clone()) {
                name.push('_');
            }
            let attributes = "    #[crd(preserve_unknown_fields)]\n    #[serde(flatten)]\n";
            let _ = writeln!(fields, "{attributes}    pub {name}: BTreeMap<String, serde_json::Value>,");
        }
        let mut wanted = schema.required.clone().unwrap_or_default();
        wanted.sort_unstable();
        if wanted != required {
            let value = if wanted.is_empty() { Value::Null } else { json!(wanted) };
            attributes.patch.insert("required".to_owned(), value);
        }
        self.write_struct(name, schema, resource, &attributes, &fields);
        for (name, part) in below {
            if is_struct(&part) { self.add_struct(&name, &part, None) } else { self.add_enum(&name, &part) }
        }
    }

    /// Whether the type of a struct that was added may be null where it is optional.
    pub(super) fn keeps_null(&mut self, name: &str, schema: &Props) -> bool {
        self.patched.contains(name) || self.is_patched(schema)
    }

    /// Whether the type of an object has a patch.
    fn is_patched(&mut self, schema: &Props) -> bool {
        let is_required = |name: &String| schema.required.iter().flatten().any(|it| it == name);
        let mut properties = schema.properties.iter().flatten();
        let differs = |(name, part): (&String, &Props)| {
            is_required(name) && (part.default.is_some() || part.nullable == Some(true))
        };
        is_struct(schema) && (!self.object(schema).patch.is_empty() || properties.any(differs))
    }

    /// Returns the attributes of an object itself.
    fn object(&mut self, schema: &Props) -> Attributes {
        let mut own = schema.clone();
        own.required = None;
        let keys =
            (schema.x_kubernetes_preserve_unknown_fields == Some(true)).then(|| "preserve_unknown_fields".to_owned());
        let mut predicted = json!({ "type": "object" });
        if keys.is_some() {
            predicted["x-kubernetes-preserve-unknown-fields"] = json!(true);
        }
        // A default belongs to the field.
        (own.default, own.nullable, own.example) = (None, None, None);
        Attributes::new(&own, &predicted, keys.into_iter().collect())
    }

    fn write_struct(
        &mut self,
        name: &str,
        schema: &Props,
        resource: Option<&[String]>,
        own: &Attributes,
        fields: &str,
    ) {
        let description = schema.description.as_deref().unwrap_or_default();
        let comment = doc_comment(description);
        let _ = write!(self.code, "\n{}", comment.as_deref().unwrap_or_default());
        self.code += resource.map_or(DERIVES, |_| ROOT_DERIVES);
        self.code.push('\n');
        for line in resource.into_iter().flatten() {
            let _ = writeln!(self.code, "#[crd({line})]");
        }
        let mut keys = own.all_keys();
        if comment.is_none() && !description.is_empty() {
            // Without a spec, the description is that of the resource.
            let mut keys_of_resource = resource.into_iter().flatten().flat_map(|line| line.split(", "));
            let has_no_spec = keys_of_resource.any(|key| key == "no_spec");
            let key = if has_no_spec { "doc" } else { "description" };
            keys.push(format!("{key} = {}", text(description)));
        }
        let (rules, keys): (Vec<_>, Vec<_>) = keys.into_iter().partition(|key| key.starts_with("validation"));
        // In `#[crd]` of a spec, rules are those of the whole object.
        let attribute = if resource.is_some() { "x_kube" } else { "crd" };
        self.code.extend(rules.iter().map(|rule| format!("#[{attribute}({rule})]\n")));
        self.code += &lines("crd", &keys, "");
        let renames_all = fields.contains("// camel");
        if renames_all {
            self.code += "#[serde(rename_all = \"camelCase\")]\n";
        }
        let fields = fields.replace("// camel\n", "");
        if fields.is_empty() {
            self.code += &format!("pub struct {name} {{}}\n");
        } else {
            self.code += &format!("pub struct {name} {{\n{fields}}}\n");
        }
    }

    /// Adds a field, and returns whether its definition requires it.
    fn add_field(
        &mut self,
        json_name: &str,
        rust_name: &str,
        schema: &Props,
        is_required: bool,
        value: RustValue,
        code: &mut String,
    ) -> bool {
        let RustValue { type_, attributes } = value;
        let description = schema.description.as_deref().unwrap_or_default();
        let mut keys = attributes.all_keys();
        match doc_comment(description) {
            Some(comment) => code.extend(comment.lines().map(|line| format!("    {line}\n"))),
            None if description.is_empty() => {}
            None => keys.push(format!("description = {}", text(description))),
        }
        *code += &lines("crd", &keys, "    ");
        let is_nullable = schema.nullable == Some(true) && type_ != "serde_json::Value";
        let is_option = is_nullable || !is_required && !attributes.has_default;
        let mut serde = Vec::new();
        if camel_case(rust_name) == json_name {
            if rust_name.trim_start_matches("r#") != json_name {
                code.push_str("// camel\n");
            }
        } else {
            serde.push(format!("rename = {}", text(json_name)));
        }
        if is_option && !is_required {
            serde.push("skip_serializing_if = \"Option::is_none\"".to_owned());
        }
        *code += &lines("serde", &serde, "    ");
        let type_ = if is_option { format!("Option<{type_}>") } else { type_ };
        let _ = writeln!(code, "    pub {rust_name}: {type_},");
        !is_option && !attributes.has_default
    }

    /// Returns the type of a value. Types that must be written are added to `below`.
    fn value(&mut self, schema: &Props, hint: &str, below: &mut Vec<(String, Props)>) -> RustValue {
        let simple = |type_: &str, predicted: Value, keys: Vec<String>| RustValue {
            type_: type_.to_owned(),
            attributes: Attributes::new(schema, &predicted, keys),
        };
        if schema.x_kubernetes_int_or_string == Some(true) {
            self.uses_int_or_string = true;
            return simple(
                "IntOrString",
                json!({ "x-kubernetes-int-or-string": true }),
                vec!["int_or_string".to_owned()],
            );
        }
        match schema.type_.as_deref() {
            Some("string") if has_variants(schema) => self.enumeration(schema, hint, below),
            Some("string") => simple("String", json!({ "type": "string" }), Vec::new()),
            Some("boolean") => simple("bool", json!({ "type": "boolean" }), Vec::new()),
            Some("integer") => match schema.format.as_deref() {
                Some("int32") => simple("i32", json!({ "type": "integer", "format": "int32" }), Vec::new()),
                _ => simple("i64", json!({ "type": "integer", "format": "int64" }), Vec::new()),
            },
            Some("number") => match schema.format.as_deref() {
                Some("float") => simple("f32", json!({ "type": "number", "format": "float" }), Vec::new()),
                _ => simple("f64", json!({ "type": "number", "format": "double" }), Vec::new()),
            },
            Some("array") => self.list(schema, hint, below),
            Some("object") => self.map_or_struct(schema, hint, below),
            _ => {
                let keys = vec!["preserve_unknown_fields".to_owned()];
                simple("serde_json::Value", json!({ "x-kubernetes-preserve-unknown-fields": true }), keys)
            }
        }
    }

    fn enumeration(&mut self, schema: &Props, hint: &str, below: &mut Vec<(String, Props)>) -> RustValue {
        let name = self.unique(hint);
        below.push((name.clone(), schema.clone()));
        let mut own = schema.clone();
        own.enum_ = None;
        RustValue { type_: name, attributes: Attributes::new(&own, &json!({ "type": "string" }), Vec::new()) }
    }

    fn list(&mut self, schema: &Props, hint: &str, below: &mut Vec<(String, Props)>) -> RustValue {
        let mut attributes = Attributes::new(schema, &json!({ "type": "array" }), Vec::new());
        let Some(items) = items(schema) else {
            attributes.patch.insert("items".to_owned(), json!(schema.items));
            return RustValue { type_: "Vec<serde_json::Value>".to_owned(), attributes };
        };
        let inner = self.value(items, &format!("{hint}Item"), below);
        let type_ = format!("Vec<{}>", element(&mut attributes, "items", "items", items, inner));
        RustValue { type_, attributes }
    }

    fn map_or_struct(&mut self, schema: &Props, hint: &str, below: &mut Vec<(String, Props)>) -> RustValue {
        if is_struct(schema) {
            let name = self.unique(hint);
            below.push((name.clone(), schema.clone()));
            // The keywords of the object are those of its type; its default and whether it can be null are those of the field.
            let of_field = Props {
                type_: schema.type_.clone(),
                default: schema.default.clone(),
                nullable: schema.nullable,
                example: schema.example.clone(),
                ..Props::default()
            };
            let attributes = Attributes::new(&of_field, &json!({ "type": "object" }), Vec::new());
            return RustValue { type_: name, attributes };
        }
        self.uses_maps = true;
        let any = || "BTreeMap<String, serde_json::Value>".to_owned();
        let mut attributes = Attributes::new(schema, &json!({ "type": "object" }), Vec::new());
        match (values(schema), &schema.additional_properties) {
            (Some(values), _) => {
                let inner = self.value(values, &format!("{hint}Value"), below);
                let element = element(&mut attributes, "values", "additionalProperties", values, inner);
                RustValue { type_: format!("BTreeMap<String, {element}>"), attributes }
            }
            (None, Some(JSONSchemaPropsOrBool::Bool(allowed))) => {
                attributes.patch.insert("additionalProperties".to_owned(), json!(allowed));
                RustValue { type_: any(), attributes }
            }
            (None, _) => {
                attributes.patch.insert("additionalProperties".to_owned(), Value::Null);
                let keeps = json!(schema.x_kubernetes_preserve_unknown_fields);
                attributes.patch.insert("x-kubernetes-preserve-unknown-fields".to_owned(), keeps);
                RustValue { type_: any(), attributes }
            }
        }
    }

    /// Returns a name that no other type has.
    fn unique(&mut self, hint: &str) -> String {
        let mut name = hint.to_owned();
        let mut number = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{hint}{number}");
            number += 1;
        }
        name
    }

    fn add_enum(&mut self, name: &str, schema: &Props) {
        let _ = write!(self.code, "\n{DERIVES}\npub enum {name} {{\n");
        for value in schema.enum_.iter().flatten().filter_map(|value| value.0.as_str()) {
            let variant = type_name(value);
            if variant != value {
                let _ = writeln!(self.code, "    #[serde(rename = {})]", text(value));
            }
            let _ = writeln!(self.code, "    {variant},");
        }
        self.code += "}\n";
    }
}

/// Adds the keys of items or values to those of the list or map, and returns their type.
fn element(attributes: &mut Attributes, key: &str, keyword: &str, schema: &Props, inner: RustValue) -> String {
    let RustValue { type_, attributes: mut of_inner } = inner;
    if let Some(description) = schema.description.as_ref().filter(|_| !is_struct(schema)) {
        if of_inner.patch.is_empty() {
            of_inner.keys.push(format!("description = {}", text(description)));
        } else {
            drop(of_inner.patch.insert("description".to_owned(), json!(description)));
        }
    }
    let is_null = schema.nullable == Some(true) && type_ != "serde_json::Value";
    if !attributes.patch.is_empty() || !of_inner.patch.is_empty() {
        // A patch of the whole value includes that of its elements.
        let patch = if of_inner.keys.is_empty() && of_inner.patch.is_empty() {
            Value::Null
        } else if of_inner.patch.is_empty() {
            json!(schema)
        } else {
            Value::Object(of_inner.patch.clone())
        };
        if !patch.is_null() {
            attributes.patch.insert(keyword.to_owned(), patch);
        }
        attributes.move_to_patch();
    } else if !of_inner.keys.is_empty() {
        attributes.keys.push(format!("{key}({})", of_inner.keys.join(", ")));
    }
    if is_null { format!("Option<{type_}>") } else { type_ }
}

/// Whether a string has a few values, each of which gives a variant of its own a name.
fn has_variants(schema: &Props) -> bool {
    let Some(values) = &schema.enum_ else { return false };
    let names: BTreeSet<_> = values.iter().filter_map(|value| value.0.as_str()).map(type_name).collect();
    let is_named = |value: &str| value.starts_with(|it: char| it.is_ascii_alphabetic());
    !values.is_empty()
        && names.len() == values.len()
        && values.iter().all(|value| value.0.as_str().is_some_and(is_named))
}

/// Returns an attribute with these keys, on several lines if one is too long.
fn lines(attribute: &str, keys: &[String], indent: &str) -> String {
    let one = format!("{indent}#[{attribute}({})]\n", keys.join(", "));
    if keys.is_empty() {
        String::new()
    } else if one.len() <= WIDTH + indent.len() {
        one
    } else {
        keys.iter().map(|key| format!("{indent}#[{attribute}({key})]\n")).collect()
    }
}
