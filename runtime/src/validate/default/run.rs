//! Evaluation of the CEL rules of a schema, and of all nested schemas, on a default, in the same way as by the server.

use crdkit_core::{
    ErrorType,
    admission::go,
    cel,
    literal::{cel::escaped, field_path},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps, ValidationRule};
use serde_json::{Map, Value, json};

use crate::{
    cel::evaluate::rule::{Change, RuleFailure},
    props::{items, read, values},
};

/// A rule that a default violates, as the server reports it.
pub(super) struct Failure {
    pub(super) kind: ErrorType,
    /// The path relative to the default.
    pub(super) place: String,
    /// The text that the server quotes between the kind and the detail.
    pub(super) value: Option<String>,
    pub(super) detail: String,
}

/// Returns the rules that the default of a schema violates.
pub(super) fn failures(schema: &JSONSchemaProps) -> Vec<Failure> {
    let Some(JSON(default)) = &schema.default else {
        return Vec::new();
    };
    if !has_rules(schema) {
        return Vec::new();
    }
    let run = |old| {
        let mut found = Vec::new();
        Visit { schema, old }.visit(default, "", &mut found);
        found
    };
    match run(Some(default)) {
        found if found.is_empty() => run(None),
        found => found,
    }
}

fn has_rules(schema: &JSONSchemaProps) -> bool {
    let fields = schema.properties.iter().flat_map(|fields| fields.values());
    let within = fields.chain(items(schema)).chain(values(schema));
    rules(schema).next().is_some() || within.into_iter().any(has_rules)
}

fn rules(schema: &JSONSchemaProps) -> impl Iterator<Item = &ValidationRule> {
    schema.x_kubernetes_validations.iter().flatten()
}

/// A schema, and the old value at its path.
#[derive(Clone, Copy)]
struct Visit<'a> {
    schema: &'a JSONSchemaProps,
    old: Option<&'a Value>,
}

impl Visit<'_> {
    fn visit(self, value: &Value, place: &str, found: &mut Vec<Failure>) {
        if value.is_null() {
            return;
        }
        self.rules(value, place, found);
        match value {
            Value::Array(list) => self.list(list, place, found),
            Value::Object(members) => self.members(members, place, found),
            _ => {}
        }
    }

    fn list(self, list: &[Value], place: &str, found: &mut Vec<Failure>) {
        let Some(schema) = items(self.schema) else {
            return;
        };
        for (at, item) in list.iter().enumerate() {
            // The server correlates items only by keys. The old value is then the item itself.
            let is_found = self.schema.x_kubernetes_list_type.as_deref() == Some("map");
            let old = self.old.filter(|_| is_found).map(|_| item);
            Visit { schema, old }.visit(item, &format!("{place}[{at}]"), found);
        }
    }

    fn members(self, members: &Map<String, Value>, place: &str, found: &mut Vec<Failure>) {
        for (name, value) in members {
            let old = self.old.and_then(|old| old.get(name));
            if let Some(schema) = values(self.schema) {
                Visit { schema, old }.visit(value, &format!("{place}[{name}]"), found);
            }
            let fields = self.schema.properties.as_ref();
            if let Some(schema) = fields.and_then(|fields| fields.get(name))
                && (is_declared(schema) || escaped(name).is_none())
            {
                Visit { schema, old }.visit(value, &format!("{place}.{name}"), found);
            }
        }
    }

    fn rules(self, value: &Value, place: &str, found: &mut Vec<Failure>) {
        let mut rules = rules(self.schema).peekable();
        if rules.peek().is_none() {
            return;
        }
        if !is_declared(self.schema) {
            let detail = "rule compiler initialization error: failed to convert to declType for CEL \
                          validation rules";
            found.push(self.unevaluated(place, detail.to_owned()));
            return;
        }
        let schema = bare(self.schema);
        let change = Change { schema: &schema, value, old: self.old };
        for rule in rules {
            found.extend(self.rule(rule, change, place));
        }
    }

    fn rule(self, rule: &ValidationRule, change: Change<'_>, place: &str) -> Option<Failure> {
        let is_old_optional = rule.optional_old_self == Some(true);
        let uses_old_self = cel::uses_variable(&rule.rule, "oldSelf")?;
        if uses_old_self && change.old.is_none() && !is_old_optional {
            return None;
        }
        let given = rule.message.as_deref().filter(|message| !message.is_empty());
        let quoted = given.unwrap_or(&rule.rule).trim();
        match change.failure(&rule.rule, is_old_optional)? {
            RuleFailure::Error(reason) => {
                let detail = format!("{reason} evaluating rule: {quoted}");
                Some(self.unevaluated(place, detail))
            }
            RuleFailure::False => {
                let expression = rule.message_expression.as_deref();
                let message = expression.and_then(|expression| change.message(expression));
                let detail = message.unwrap_or_else(|| match given {
                    Some(_) => quoted.to_owned(),
                    None => format!("failed rule: {quoted}"),
                });
                Some(self.failed(rule, change.value, place, detail))
            }
        }
    }

    fn failed(self, rule: &ValidationRule, value: &Value, place: &str, detail: String) -> Failure {
        let type_ = self.schema.type_.as_deref().unwrap_or_default();
        let value = match type_ {
            "object" | "array" => None,
            _ => Some(go::quoted(&read::json(value))),
        };
        let (kind, value) = match rule.reason.as_deref() {
            Some("FieldValueForbidden") => (ErrorType::Forbidden, None),
            Some("FieldValueRequired") => (ErrorType::Required, None),
            Some("FieldValueDuplicate") => (ErrorType::Duplicate, value),
            _ => (ErrorType::Invalid, value),
        };
        let within = rule.field_path.as_deref().unwrap_or_default();
        Failure { kind, place: format!("{place}{}", path(self.schema, within)), value, detail }
    }

    /// Reports a rule that cannot be evaluated. The server shows the type instead of the value.
    fn unevaluated(self, place: &str, detail: String) -> Failure {
        let type_ = self.schema.type_.as_deref().unwrap_or_default();
        Failure { kind: ErrorType::Invalid, place: place.to_owned(), value: Some(go::quote(type_)), detail }
    }
}

/// Whether the type of a value is available to rules.
fn is_declared(schema: &JSONSchemaProps) -> bool {
    let is_resource = schema.x_kubernetes_embedded_resource == Some(true);
    cel::RuleScope::of(&read::schema(schema), is_resource).is_some()
}

/// Formats a field path as the server does: names after dots, map keys in brackets, and always a dot at the start.
fn path(schema: &JSONSchemaProps, path: &str) -> String {
    let mut written = String::new();
    let mut at = Some(schema);
    for step in field_path::steps(path, true).unwrap_or_default() {
        let property = at.and_then(|schema| schema.properties.as_ref()?.get(&*step));
        written += &match property {
            Some(_) => format!(".{step}"),
            None => format!("[{step}]"),
        };
        at = property.or_else(|| at.and_then(values));
    }
    match written.starts_with('[') {
        true => format!(".{written}"),
        false => written,
    }
}

/// Returns the schema without rules, defaults and branches, at any depth.
fn bare(schema: &JSONSchemaProps) -> Value {
    let mut bare = json!(schema);
    strip(&mut bare);
    bare
}

fn strip(schema: &mut Value) {
    let Value::Object(keywords) = schema else {
        return;
    };
    for keyword in ["default", "x-kubernetes-validations", "allOf", "anyOf", "oneOf", "not"] {
        keywords.remove(keyword);
    }
    if let Some(Value::Object(properties)) = keywords.get_mut("properties") {
        properties.values_mut().for_each(strip);
    }
    for within in ["items", "additionalProperties"] {
        keywords.get_mut(within).into_iter().for_each(strip);
    }
}
