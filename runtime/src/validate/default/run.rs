//! Runs the rules of a schema and of its nested schemas on a default, as the server does.

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

/// The server's error for a rule that a default violates.
pub(super) struct Failure {
    pub(super) kind: ErrorType,
    /// The path from the default.
    pub(super) place: String,
    /// The quoted value between the kind and the detail of the error.
    pub(super) value: Option<String>,
    pub(super) detail: String,
}

/// Returns the failures of the rules on the default of a schema.
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

/// A schema, and the old value.
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
            // An item is matched to its old value only by its keys, and then it is the item itself.
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

    /// For a rule that cannot be evaluated, the server shows the type.
    fn unevaluated(self, place: &str, detail: String) -> Failure {
        let type_ = self.schema.type_.as_deref().unwrap_or_default();
        Failure { kind: ErrorType::Invalid, place: place.to_owned(), value: Some(go::quote(type_)), detail }
    }
}

/// Whether the type of a value is known to rules.
fn is_declared(schema: &JSONSchemaProps) -> bool {
    let is_resource = schema.x_kubernetes_embedded_resource == Some(true);
    cel::RuleScope::of(&read::schema(schema), is_resource).is_some()
}

/// Returns a field path in the server's format: names after dots, keys of maps in brackets, and a leading dot.
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

/// Returns the schema without the rules and defaults of its nested schemas.
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
