//! Keys of `#[crd(...)]` for keywords of schemas.

use crdkit_core::{literal::formats::string_format, literal::regex};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps as Props, ValidationRule};
use serde_json::{Map, Value, json};

use super::{
    is_empty,
    literals::{default, example, expression, json as json_text, number, text},
};

/// The keys of a value, and the keywords for which there is none.
#[derive(Default)]
pub(super) struct Attributes {
    pub(super) keys: Vec<String>,
    /// A patch of the schema that follows from the type.
    pub(super) patch: Map<String, Value>,
    /// Whether the keys include a default.
    pub(super) has_default: bool,
    /// The keywords that do not follow from the type.
    stated: Map<String, Value>,
}

impl Attributes {
    /// Returns the keywords of the value itself, without those that say nothing.
    pub(super) fn own(schema: &Props) -> Map<String, Value> {
        let mut own = schema.clone();
        (own.properties, own.items, own.additional_properties) = (None, None, None);
        let Value::Object(mut own) = json!(own) else {
            return Map::new();
        };
        own.retain(|_, value| !is_empty(value));
        own
    }

    /// Takes the keywords of a value with this predicted schema. Those without a key become a patch.
    pub(super) fn new(schema: &Props, predicted: &Value, keys: Vec<String>) -> Self {
        let mut rest = Self::own(schema);
        rest.remove("description");
        let any_of = json!([{ "type": "integer" }, { "type": "string" }]);
        if schema.x_kubernetes_int_or_string == Some(true) && rest.get("anyOf") == Some(&any_of) {
            rest.remove("anyOf"); // it repeats the keyword
        }
        let mut attributes = Self { keys, ..Self::default() };
        for (name, value) in predicted.as_object().into_iter().flatten() {
            if rest.get(name) == Some(value) {
                rest.remove(name);
            } else {
                attributes.patch.insert(name.clone(), rest.remove(name).unwrap_or(Value::Null));
            }
        }
        attributes.stated.clone_from(&rest);
        if attributes.patch.is_empty() {
            attributes.add_keys(schema, &mut rest);
        }
        if !rest.is_empty() {
            attributes.move_to_patch();
        }
        attributes
    }

    /// Replaces the keys by a patch: the compiler treats a patched value as any value, to which most keys do not apply.
    pub(super) fn move_to_patch(&mut self) {
        self.keys.retain(|key| key == "int_or_string" || key == "preserve_unknown_fields");
        self.has_default = false;
        for (name, value) in &self.stated {
            self.patch.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }

    fn add_keys(&mut self, schema: &Props, rest: &mut Map<String, Value>) {
        let is_integer = schema.type_.as_deref() == Some("integer");
        for (bound, exclusive, name) in [
            (schema.minimum, schema.exclusive_minimum, "minimum"),
            (schema.maximum, schema.exclusive_maximum, "maximum"),
        ] {
            let Some(value) = bound.filter(|value| value.abs() < 9e15) else { continue };
            let prefix = if exclusive == Some(true) { "exclusive_" } else { "" };
            self.keys.push(format!("{prefix}{name} = {}", number(value, is_integer)));
            rest.remove(name);
            rest.remove(if name == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" });
        }
        if let Some(factor) = schema.multiple_of {
            self.take(rest, "multipleOf", format!("multiple_of = {}", number(factor, is_integer)));
        }
        for (keyword, key, count) in [
            ("minLength", "min_length", schema.min_length),
            ("maxLength", "max_length", schema.max_length),
            ("minItems", "min_items", schema.min_items),
            ("maxItems", "max_items", schema.max_items),
            ("minProperties", "min_properties", schema.min_properties),
            ("maxProperties", "max_properties", schema.max_properties),
        ] {
            if let Some(count) = count {
                self.take(rest, keyword, format!("{key} = {count}"));
            }
        }
        self.add_texts(schema, rest);
        if let Some(values) = &schema.enum_ {
            let values: Vec<_> = values.iter().map(|value| &value.0).collect();
            if values.iter().all(|value| value.is_string()) || values.iter().all(|value| value.is_i64()) {
                let values: Vec<_> = values.iter().map(|value| expression(value)).collect();
                self.take(rest, "enum", format!("enum_values = [{}]", values.join(", ")));
            }
        }
        if schema.nullable == Some(true) && schema.enum_.is_none() {
            self.take(rest, "nullable", "nullable".to_owned());
        }
        self.add_topology(schema, rest);
        if let Some(value) = &schema.default {
            self.take(rest, "default", format!("default = {}", default(&value.0)));
            self.has_default = true;
        }
        if let Some(value) = &schema.example {
            self.take(rest, "example", format!("example = {}", example(&value.0)));
        }
        let rules = schema.x_kubernetes_validations.as_deref().unwrap_or_default();
        let has_key = |rule: &ValidationRule| rule.message.is_none() || rule.message_expression.is_none();
        if !rules.is_empty() && rules.iter().all(has_key) {
            rest.remove("x-kubernetes-validations");
            self.keys.extend(rules.iter().map(rule));
        }
    }

    fn add_texts(&mut self, schema: &Props, rest: &mut Map<String, Value>) {
        if let Some(pattern) = schema.pattern.as_ref().filter(|pattern| regex::parse(pattern).is_ok()) {
            self.take(rest, "pattern", format!("pattern = {}", text(pattern)));
        }
        let format = schema.format.as_ref().filter(|format| string_format(format).is_some());
        if let Some(format) = format.filter(|_| schema.type_.as_deref() == Some("string")) {
            self.take(rest, "format", format!("format = {}", text(format)));
        }
        if let Some(title) = &schema.title {
            self.take(rest, "title", format!("title = {}", text(title)));
        }
    }

    fn add_topology(&mut self, schema: &Props, rest: &mut Map<String, Value>) {
        if let Some(list_type) = &schema.x_kubernetes_list_type {
            self.take(rest, "x-kubernetes-list-type", format!("list_type = {}", text(list_type)));
        }
        if let Some(keys) = &schema.x_kubernetes_list_map_keys {
            let keys: Vec<_> = keys.iter().map(|key| text(key)).collect();
            self.take(rest, "x-kubernetes-list-map-keys", format!("list_map_keys = [{}]", keys.join(", ")));
        }
        if let Some(map_type) = &schema.x_kubernetes_map_type {
            let key = if schema.properties.is_some() { "struct_type" } else { "map_type" };
            self.take(rest, "x-kubernetes-map-type", format!("{key} = {}", text(map_type)));
        }
    }

    fn take(&mut self, rest: &mut Map<String, Value>, keyword: &str, key: String) {
        rest.remove(keyword);
        self.keys.push(key);
    }

    /// Returns all keys, with the patch as the last one.
    pub(super) fn all_keys(&self) -> Vec<String> {
        let mut keys = self.keys.clone();
        if !self.patch.is_empty() {
            keys.push(format!("schema_patch({})", json_text(&Value::Object(self.patch.clone()))));
        }
        keys
    }
}

/// Returns the key of a CEL rule.
pub(super) fn rule(rule: &ValidationRule) -> String {
    let expression = text(rule.rule.trim());
    let is_short = rule.message_expression.is_none()
        && rule.reason.is_none()
        && rule.field_path.is_none()
        && rule.optional_old_self.is_none();
    match &rule.message {
        None if is_short => format!("validation = {expression}"),
        Some(message) if is_short => format!("validation = ({expression}, {})", text(message)),
        message => {
            let mut chain = format!("Rule::new({expression})");
            let expression = rule.message_expression.as_ref();
            chain.extend(message.iter().map(|message| format!(".message({})", text(message))));
            chain.extend(expression.map(|it| format!(".message(Message::Expression({}.into()))", text(it))));
            chain.extend(rule.field_path.iter().map(|path| format!(".field_path({})", text(path))));
            chain.extend(rule.reason.iter().map(|reason| format!(".reason(Reason::{reason})")));
            chain.extend(rule.optional_old_self.iter().map(|flag| format!(".optional_old_self({flag})")));
            format!("validation = {chain}")
        }
    }
}
