//! The rules of a schema and of all schemas in it, compiled once for all values.

use std::{collections::BTreeMap, sync::OnceLock};

use crdkit_core::{
    cel::{self, CompileError, Program, ResultType, RuleScope},
    literal::{cel::escaped, field_path},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps as Props, ValidationRule};

use crate::crd::{
    cel::evaluate::zones::zones,
    crd_accessors::{items, read, values},
};

/// The rules of a schema and of all schemas in it. Each of them is compiled when it first runs.
pub struct CompiledRules {
    /// The type of the value, as the schema states it.
    pub(super) type_: String,
    pub(super) list_map_keys: Vec<String>,
    pub(super) rules: Vec<CompiledRule>,
    /// The environment of the rules; `None` if rules cannot use the type of the value.
    pub(super) scope: Option<RuleScope>,
    fields: BTreeMap<String, Self>,
    items: Option<Box<Self>>,
    values: Option<Box<Self>>,
}

impl CompiledRules {
    /// Returns the rules of a schema; `None` if there are none.
    pub fn of(schema: &Props) -> Option<Self> {
        let of_fields = schema.properties.iter().flatten().filter(|(name, part)| is_evaluated(name, part));
        let fields: BTreeMap<_, _> =
            of_fields.filter_map(|(name, part)| Some((name.clone(), Self::of(part)?))).collect();
        let [items, values] = [items(schema), values(schema)].map(|part| part.and_then(Self::of).map(Box::new));
        let rules: Vec<_> = schema.x_kubernetes_validations.iter().flatten().collect();
        if rules.is_empty() && fields.is_empty() && items.is_none() && values.is_none() {
            return None;
        }
        Some(Self {
            type_: schema.type_.clone().unwrap_or_default(),
            list_map_keys: schema.x_kubernetes_list_map_keys.clone().unwrap_or_default(),
            scope: if rules.is_empty() { None } else { scope(schema) },
            rules: rules.into_iter().map(|rule| CompiledRule::new(rule, schema)).collect(),
            fields,
            items,
            values,
        })
    }

    /// Returns the rules of a field.
    pub fn field(&self, name: &str) -> Option<&Self> {
        self.fields.get(name)
    }

    /// Returns the rules of the items of a list.
    pub fn items(&self) -> Option<&Self> {
        self.items.as_deref()
    }

    /// Returns the rules of the values of a map.
    pub fn values(&self) -> Option<&Self> {
        self.values.as_deref()
    }
}

/// Whether the server evaluates the rules of a field.
fn is_evaluated(name: &str, schema: &Props) -> bool {
    escaped(name).is_none() || scope(schema).is_some()
}

/// Returns the environment of the rules on a value; `None` if its type is not available to rules.
fn scope(schema: &Props) -> Option<RuleScope> {
    let is_resource = schema.x_kubernetes_embedded_resource == Some(true);
    RuleScope::of(&read::schema(schema), is_resource)
}

/// A rule.
pub(super) struct CompiledRule {
    pub(super) rule: ValidationRule,
    /// The path of the field that errors name, from the value.
    pub(super) place: String,
    /// Whether the rule uses `oldSelf`; `None` if it has syntax errors.
    pub(super) uses_old_self: Option<bool>,
    /// The rule, or the server's text about why it does not compile.
    condition: OnceLock<Result<Program, String>>,
    /// The message expression, if it compiles.
    message: OnceLock<Option<Program>>,
}

impl CompiledRule {
    fn new(rule: &ValidationRule, schema: &Props) -> Self {
        Self {
            rule: rule.clone(),
            place: path(schema, rule.field_path.as_deref().unwrap_or_default()),
            uses_old_self: cel::uses_variable(&rule.rule, "oldSelf"),
            condition: OnceLock::new(),
            message: OnceLock::new(),
        }
    }

    fn is_old_self_optional(&self) -> bool {
        self.rule.optional_old_self == Some(true)
    }

    /// Whether the server evaluates the rule: it skips those that require an old value where there is none, and other rules
    /// report those with syntax errors.
    pub(super) fn is_evaluated(&self, has_old: bool) -> bool {
        self.uses_old_self.is_some_and(|uses| !uses || has_old || self.is_old_self_optional())
    }

    pub(super) fn condition(&self, scope: &RuleScope) -> Result<&Program, &str> {
        let compile = || {
            let rule = &self.rule.rule;
            let program = scope.program(rule, self.is_old_self_optional());
            program.map(|program| program.with_zones(zones)).map_err(|error| match error {
                CompileError::WrongResultType(_) => "cel expression must evaluate to a bool".to_owned(),
                error => error.admission_text(rule, ResultType::Bool),
            })
        };
        self.condition.get_or_init(compile).as_ref().map_err(String::as_str)
    }

    pub(super) fn message(&self, scope: &RuleScope) -> Option<&Program> {
        let expression = self.rule.message_expression.as_deref().filter(|expression| !expression.is_empty())?;
        let compile = || {
            let program = scope.message_program(expression, self.is_old_self_optional()).ok()?;
            Some(program.with_zones(zones))
        };
        self.message.get_or_init(compile).as_ref()
    }
}

/// Formats a field path as the server does: names after dots, map keys in brackets, and always a dot at the start.
fn path(schema: &Props, path: &str) -> String {
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
    if written.starts_with('[') { format!(".{written}") } else { written }
}
