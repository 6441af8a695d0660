//! The search for values that a schema accepts.

use std::collections::BTreeSet;

use crdkit::__internal::{
    cel::CompiledRules,
    crd_accessors::{count, items, values},
    generate::{self, Pattern, Random, SchemaNode, format},
};
use crdkit_core::schema::{AppliesTo, CountBound, Side};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps as Props, JSONSchemaPropsOrBool,
};
use serde_json::{Map, Value, json};

use super::{SampleProblem, fits::rejection, names};
use crate::kubernetes::KubernetesType;

/// The number of random values that are tried.
const TRIES: usize = 400;
/// The number of random texts that are tried for a pattern.
const TEXTS: usize = 40;

/// Texts that patterns of common formats match.
const COMMON: &[&str] = &[
    "example.com",
    "1Gi",
    "10s",
    "10.0.0.1",
    "10.0.0.0/16",
    "2030-01-31T12:00:00Z",
    "2030-01-31",
    "12:00",
    "v1",
    "1.0.0",
    "v1.0.0",
    "https://example.com",
    "a@example.com",
    "/example",
    "50%",
    "Example",
    "EXAMPLE",
    "YQ==",
];

pub(super) struct Search {
    is_full: bool,
    random: Random,
    pub(super) problems: Vec<SampleProblem>,
}

/// The fields of an object, of which some are required.
struct Fields<'a> {
    schema: &'a Props,
    rules: Option<&'a CompiledRules>,
    path: &'a str,
    /// Members that are given.
    base: &'a Map<String, Value>,
}

impl Search {
    pub(super) fn new(is_full: bool) -> Self {
        Self { is_full, random: Random::new(1), problems: Vec::new() }
    }

    /// Returns an object with the members of `base`.
    pub(super) fn root(&mut self, schema: &Props, rules: Option<&CompiledRules>, base: &Map<String, Value>) -> Value {
        let fields = Fields { schema, rules, path: "", base };
        self.object(&fields).unwrap_or_else(|reason| {
            // Rules of the root may relate the name to fields, also to optional ones.
            let small = self.members(&fields, None);
            let is_full = std::mem::replace(&mut self.is_full, true);
            let large = self.members(&fields, None);
            self.is_full = is_full;
            let accepted = [&small, &large].into_iter().find_map(|found| {
                let named = names::in_values(found).into_iter().map(|name| {
                    let mut named = found.clone();
                    named["metadata"]["name"] = name.into();
                    named
                });
                std::iter::once(found.clone()).chain(named).find(|it| rejection(schema, rules, it).is_none())
            });
            accepted.unwrap_or_else(|| {
                self.problems.push(SampleProblem { path: ".".to_owned(), reason, is_required: true });
                small
            })
        })
    }

    /// Returns a value that the schema accepts.
    pub(super) fn value(&mut self, schema: &Props, rules: Option<&CompiledRules>, path: &str) -> Option<Value> {
        self.find(schema, rules, path).ok()
    }

    /// Returns a value that the schema accepts, or what the first candidate does not satisfy.
    fn find(&mut self, schema: &Props, rules: Option<&CompiledRules>, path: &str) -> Result<Value, String> {
        let mut reason = None;
        let kubernetes = if path.contains('.') { KubernetesType::of(schema) } else { None };
        let known = kubernetes.and_then(KubernetesType::sample);
        for candidate in stated(schema).chain(known).chain(self.scalars(schema)) {
            match rejection(schema, rules, &candidate) {
                None => return Ok(candidate),
                Some(why) => reason = reason.or(Some(why)),
            }
        }
        let found = match schema.type_.as_deref() {
            // Of Kubernetes' own types, only the required fields are shown.
            Some("object") if kubernetes.is_some() => {
                let is_full = std::mem::replace(&mut self.is_full, false);
                let found = self.object(&Fields { schema, rules, path, base: &Map::new() });
                self.is_full = is_full;
                found
            }
            Some("object") => self.object(&Fields { schema, rules, path, base: &Map::new() }),
            Some("array") => self.list(schema, rules, path),
            _ => Err("satisfies the schema".to_owned()),
        };
        found.or_else(|why| self.random_value(schema, rules).ok_or(reason.unwrap_or(why)))
    }

    /// Returns values of a schema that is not an object or a list.
    fn scalars(&mut self, schema: &Props) -> std::vec::IntoIter<Value> {
        let numbers = || {
            let bounds = [schema.minimum, schema.maximum, schema.multiple_of].into_iter().flatten();
            let near = bounds.flat_map(|bound| [bound, bound + 1.0, bound - 1.0]);
            [1.0, 0.0, 0.5].into_iter().chain(near).map(number_value).collect::<Vec<_>>()
        };
        let all = match schema.type_.as_deref() {
            _ if schema.x_kubernetes_int_or_string == Some(true) => {
                let mut all = numbers();
                all.extend(self.texts(schema));
                all
            }
            Some("boolean") => vec![json!(true), json!(false)],
            Some("integer" | "number") => numbers(),
            Some("string") => self.texts(schema),
            Some(_) => Vec::new(),
            None => vec![json!({}), json!("example"), json!(1), json!([])],
        };
        all.into_iter()
    }

    fn texts(&mut self, schema: &Props) -> Vec<Value> {
        let (min, max) = sizes(schema, AppliesTo::Text);
        let mut texts: Vec<String> = Vec::new();
        if let Some(format) = schema.format.as_deref().and_then(format) {
            texts.extend(format.samples.iter().map(|sample| (*sample).to_owned()));
        }
        let word: String = "example-".chars().cycle().take(min.max(7).min(max)).collect();
        texts.extend([word, "a".repeat(min), "1".repeat(min.max(1))]);
        texts.extend(COMMON.iter().map(|text| (*text).to_owned()));
        if let Some(pattern) = schema.pattern.as_deref().and_then(Pattern::parse) {
            let mut samples: Vec<_> = (0..TEXTS).map(|_| pattern.sample(&mut self.random)).collect();
            samples.sort_by_key(|text| (!text.chars().all(|it| it.is_ascii_graphic()), text.len().abs_diff(5)));
            texts.extend(samples);
        }
        texts.into_iter().map(Value::from).collect()
    }

    /// Returns an object that the schema accepts. If required fields have no value, it is without them.
    fn object(&mut self, fields: &Fields<'_>) -> Result<Value, String> {
        let mut reason = String::new();
        let mut partial = None;
        let branches = branches(fields.schema);
        let known = self.problems.len();
        for branch in branches.iter().map(Some).chain(branches.is_empty().then_some(None)) {
            let whole = self.members(fields, branch.copied());
            match rejection(fields.schema, fields.rules, &whole) {
                None => return Ok(whole),
                Some(why) => reason = why,
            }
            if let Some(found) = self.variation(fields, &whole) {
                return Ok(found);
            }
            let problems = self.problems.split_off(known);
            if problems.iter().any(|problem| problem.is_required) {
                partial.get_or_insert((whole, problems));
            }
        }
        let random = fields.base.is_empty().then(|| self.random_value(fields.schema, fields.rules)).flatten();
        match (random, partial) {
            (Some(random), _) => Ok(random),
            (None, Some((whole, problems))) => {
                self.problems.extend(problems);
                Ok(whole)
            }
            (None, None) => Err(reason),
        }
    }

    /// Returns a value, and whether all of its required fields have one. If not, the value can be left out, so that they are no
    /// longer required.
    fn optional(&mut self, schema: &Props, rules: Option<&CompiledRules>, path: &str) -> Result<(Value, bool), String> {
        let known = self.problems.len();
        let value = self.find(schema, rules, path)?;
        let is_whole = !self.problems[known..].iter().any(|problem| problem.is_required);
        Ok((value, is_whole))
    }

    fn mark_optional(&mut self, known: usize) {
        self.problems[known..].iter_mut().for_each(|problem| problem.is_required = false);
    }

    /// Returns the object with the members of a branch: the required ones, and for a full object all others.
    fn members(&mut self, fields: &Fields<'_>, branch: Option<&Props>) -> Value {
        let schema = fields.schema;
        let mut members = fields.base.clone();
        let of_branch: BTreeSet<_> = branch.iter().flat_map(|it| it.required.iter().flatten()).collect();
        let others: Vec<_> =
            branches(schema).into_iter().filter(|it| !branch.is_some_and(|own| std::ptr::eq(*it, own))).collect();
        let avoided: BTreeSet<_> = if schema.one_of.is_some() {
            others.iter().flat_map(|it| it.required.iter().flatten()).filter(|name| !of_branch.contains(name)).collect()
        } else {
            BTreeSet::new()
        };
        for (name, part) in schema.properties.iter().flatten() {
            let is_required = is_required(schema, name) || of_branch.contains(name);
            let is_wanted = self.is_full && !avoided.contains(name) || is_required && part.default.is_none();
            if !is_wanted || members.contains_key(name) || fields.path.is_empty() && is_metadata(name) {
                continue;
            }
            let narrowed = branch.and_then(|it| it.properties.as_ref()?.get(name)?.enum_.clone());
            let part = match narrowed {
                Some(allowed) => &Props { enum_: Some(allowed), example: None, default: None, ..part.clone() },
                None => part,
            };
            let path = format!("{}.{name}", fields.path);
            let known = self.problems.len();
            match self.optional(part, fields.rules.and_then(|rules| rules.field(name)), &path) {
                Ok((value, is_whole)) if is_whole || is_required => drop(members.insert(name.clone(), value)),
                Ok(_) => self.mark_optional(known),
                Err(reason) => self.problems.push(SampleProblem { path, reason, is_required }),
            }
        }
        self.entries(fields, &mut members);
        if fields.base.is_empty() && schema.x_kubernetes_embedded_resource == Some(true) {
            let config = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "example" } });
            for (name, value) in config.as_object().into_iter().flatten() {
                members.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        Value::Object(members)
    }

    /// Adds the entries of a map.
    fn entries(&mut self, fields: &Fields<'_>, members: &mut Map<String, Value>) {
        let schema = fields.schema;
        let (min, max) = sizes(schema, AppliesTo::Objects);
        let wanted = min.max(usize::from(self.is_full)).min(max);
        let any = matches!(schema.additional_properties, Some(JSONSchemaPropsOrBool::Bool(true)));
        if values(schema).is_none() && !any {
            return;
        }
        let patterns: Vec<_> = schema.x_kubernetes_validations.iter().flatten().collect();
        let pattern = patterns
            .iter()
            .find_map(|rule| crdkit_core::literal::cel::key_pattern(&rule.rule))
            .and_then(|pattern| Pattern::parse(&pattern));
        for at in 0..TEXTS {
            if members.len() >= wanted {
                return;
            }
            let key = match &pattern {
                Some(pattern) => pattern.sample(&mut self.random),
                None if at == 0 => "example".to_owned(),
                None => format!("example-{}", at + 1),
            };
            let value = match values(schema) {
                Some(values) => {
                    let rules = fields.rules.and_then(CompiledRules::values);
                    self.value(values, rules, &format!("{}.{key}", fields.path))
                }
                None => Some(json!("example")),
            };
            members.extend(value.map(|value| (key, value)));
        }
    }

    /// Returns a variation of an object that the schema accepts: without some optional fields, or with one more.
    fn variation(&mut self, fields: &Fields<'_>, whole: &Value) -> Option<Value> {
        let schema = fields.schema;
        let names: Vec<_> = schema.properties.iter().flatten().map(|(name, _)| name).collect();
        let optional: Vec<_> = names
            .iter()
            .filter(|name| {
                whole.get(name.as_str()).is_some() && !is_required(schema, name) && !fields.base.contains_key(**name)
            })
            .collect();
        let without = |removed: &[&&&String]| {
            let mut changed = whole.clone();
            if let Some(members) = changed.as_object_mut() {
                members.retain(|name, _| !removed.iter().any(|it| ***it == name));
            }
            changed
        };
        let singles = optional.iter().rev().map(|name| without(&[name]));
        let more = (1..optional.len()).map(|at| without(&optional[at..].iter().collect::<Vec<_>>()));
        let mut fewer = singles.chain(more.rev()).chain([without(&optional.iter().collect::<Vec<_>>())]);
        if let Some(found) = fewer.find(|candidate| rejection(schema, fields.rules, candidate).is_none()) {
            return Some(found);
        }
        for (name, part) in schema.properties.iter().flatten() {
            if whole.get(name).is_some() || fields.path.is_empty() && is_metadata(name) {
                continue;
            }
            let mut changed = whole.clone();
            let rules = fields.rules.and_then(|rules| rules.field(name));
            changed[name.as_str()] = self.value(part, rules, &format!("{}.{name}", fields.path))?;
            if rejection(schema, fields.rules, &changed).is_none() {
                return Some(changed);
            }
        }
        None
    }

    fn list(&mut self, schema: &Props, rules: Option<&CompiledRules>, path: &str) -> Result<Value, String> {
        let (min, max) = sizes(schema, AppliesTo::Lists);
        let wanted = min.max(usize::from(self.is_full)).min(max);
        let mut list = Vec::new();
        let known = self.problems.len();
        for _ in 0..wanted {
            list.push(match items(schema) {
                Some(items) => self.find(items, rules.and_then(CompiledRules::items), &format!("{path}[]"))?,
                None => json!("example"),
            });
        }
        let list = Value::Array(list);
        match rejection(schema, rules, &list) {
            None => Ok(list),
            Some(_) if wanted == 1 && min == 0 => {
                self.mark_optional(known);
                Ok(json!([]))
            }
            Some(_) if self.problems.len() > known => Ok(list),
            Some(reason) => Err(reason),
        }
    }

    /// Returns a random value that the schema accepts; the smallest of those that are found.
    fn random_value(&mut self, schema: &Props, rules: Option<&CompiledRules>) -> Option<Value> {
        let node = SchemaNode::new(schema.clone());
        let values = (0..TRIES).map(|_| generate::value(&node, &mut self.random));
        let mut found: Vec<_> =
            values.filter(|value| !value.is_null() && rejection(schema, rules, value).is_none()).take(8).collect();
        found.sort_by_key(|value| value.to_string().len());
        found.into_iter().next()
    }
}

/// Returns the values that a schema states itself.
fn stated(schema: &Props) -> impl Iterator<Item = Value> + use<> {
    let stated = [&schema.example, &schema.default].into_iter().flatten().cloned();
    let allowed = schema.enum_.clone().into_iter().flatten();
    stated.chain(allowed).map(|value| value.0).filter(|value| !value.is_null()).collect::<Vec<_>>().into_iter()
}

fn branches(schema: &Props) -> Vec<&Props> {
    let [one_of, any_of] = [&schema.one_of, &schema.any_of].map(|it| it.iter().flatten());
    one_of.chain(any_of).collect()
}

fn is_required(schema: &Props, name: &str) -> bool {
    schema.required.iter().flatten().any(|required| required == name)
}

fn is_metadata(name: &str) -> bool {
    ["apiVersion", "kind", "metadata"].contains(&name)
}

fn number_value(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 { json!(number as i64) } else { json!(number) }
}

/// Returns the minimum and the maximum number of characters, items or entries.
fn sizes(schema: &Props, applies_to: AppliesTo) -> (usize, usize) {
    let bound = |side| {
        let mut bounds = CountBound::applying_to(applies_to).filter(|bound| bound.side() == side);
        bounds.find_map(|bound| count(schema, bound)).and_then(|count| usize::try_from(count).ok())
    };
    (bound(Side::Min).unwrap_or(0), bound(Side::Max).unwrap_or(usize::MAX))
}
