//! A tree of schema nodes: each has its own keywords and its nested nodes.

use std::{collections::BTreeMap, mem::take};

use crdkit_core::{literal::cel::key_pattern, schema::SchemaProps};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use serde_json::{Value, json};

use super::{formats, pattern::Pattern, place::Step};
use crate::props::read;

/// A node of a schema.
pub(super) struct Node {
    /// The whole schema, in the form for validation.
    pub(super) schema: SchemaProps<'static>,
    /// The node's own keywords, without nested schemas and documentation.
    pub(super) keywords: JSONSchemaProps,
    pub(super) properties: BTreeMap<String, Node>,
    pub(super) items: Option<Box<Node>>,
    pub(super) values: Values,
    pub(super) all_of: Vec<Node>,
    pub(super) any_of: Vec<Node>,
    pub(super) one_of: Vec<Node>,
    pub(super) not: Option<Box<Node>>,
    /// The pattern; `None` if there is none, or if matching texts cannot be generated.
    pub(super) pattern: Option<Pattern>,
    /// Patterns of the keys of a map.
    pub(super) key_patterns: Vec<Pattern>,
    /// The only values to generate; if empty, any value.
    pub(super) only: Vec<Value>,
    /// Whether no value is generated.
    pub(super) is_skipped: bool,
    /// Whether integers decode as an `i32`, which the schema does not express.
    pub(super) is_int32: bool,
}

/// The kinds of `additionalProperties`.
pub(super) enum Values {
    Unnamed,
    Allowed,
    Forbidden,
    Of(Box<Node>),
}

fn key_patterns(schema: &JSONSchemaProps) -> Vec<Pattern> {
    let rules = schema.x_kubernetes_validations.iter().flatten();
    rules.filter_map(|rule| Pattern::parse(&key_pattern(&rule.rule)?)).collect()
}

impl Node {
    pub(super) fn new(mut schema: JSONSchemaProps) -> Self {
        let whole = read::schema(&schema).into_owned();
        schema.description = None;
        schema.title = None;
        schema.example = None;
        schema.external_docs = None;
        let all =
            |schemas: &mut Option<Vec<JSONSchemaProps>>| take(schemas).into_iter().flatten().map(Self::new).collect();
        let boxed = |schema: Box<JSONSchemaProps>| Box::new(Self::new(*schema));
        let properties = take(&mut schema.properties).into_iter().flatten();
        Self {
            schema: whole,
            properties: properties.map(|(name, schema)| (name, Self::new(schema))).collect(),
            items: match take(&mut schema.items) {
                Some(JSONSchemaPropsOrArray::Schema(items)) => Some(boxed(items)),
                _ => None,
            },
            values: match take(&mut schema.additional_properties) {
                None => Values::Unnamed,
                Some(JSONSchemaPropsOrBool::Bool(true)) => Values::Allowed,
                Some(JSONSchemaPropsOrBool::Bool(false)) => Values::Forbidden,
                Some(JSONSchemaPropsOrBool::Schema(values)) => Values::Of(boxed(values)),
            },
            all_of: all(&mut schema.all_of),
            any_of: all(&mut schema.any_of),
            one_of: all(&mut schema.one_of),
            not: take(&mut schema.not).map(boxed),
            pattern: schema.pattern.as_deref().and_then(Pattern::parse),
            key_patterns: key_patterns(&schema),
            only: Vec::new(),
            is_skipped: false,
            is_int32: false,
            keywords: schema,
        }
    }

    /// Adds the fields that every resource has, independent of its schema.
    pub(super) fn make_resource(&mut self) {
        self.keywords.x_kubernetes_embedded_resource = Some(true);
        for (name, type_) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
            let missing = || Self::new(JSONSchemaProps { type_: Some(type_.to_owned()), ..JSONSchemaProps::default() });
            self.properties.entry(name.to_owned()).or_insert_with(missing);
            self.keywords.required.get_or_insert_default().push(name.to_owned());
            self.schema.required.push(name.into());
            if self.schema.property(name).is_none() {
                let property = SchemaProps { type_: Some(type_.into()), ..SchemaProps::default() };
                let properties = self.schema.properties.get_or_insert_default();
                properties.push((name.into(), property));
            }
        }
        self.schema.embedded_resource = true;
    }

    /// Returns the types that a value can have; `None` if it can have any.
    pub(super) fn types(&self) -> Option<&[&str]> {
        if is(self.keywords.x_kubernetes_int_or_string) {
            return Some(&["integer", "string"]);
        }
        Some(match self.keywords.type_.as_deref()? {
            "array" => &["array"],
            "boolean" => &["boolean"],
            "integer" => &["integer"],
            "number" => &["number"],
            "object" => &["object"],
            _ => &["string"],
        })
    }

    pub(super) fn allowed(&self) -> impl Iterator<Item = &Value> {
        self.keywords.enum_.iter().flatten().map(|JSON(value)| value)
    }

    pub(super) fn default(&self) -> Option<&Value> {
        self.keywords.default.as_ref().map(|JSON(value)| value)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &String> {
        self.keywords.required.iter().flatten()
    }

    pub(super) fn preserves(&self) -> bool {
        is(self.keywords.x_kubernetes_preserve_unknown_fields)
    }

    pub(super) fn is_embedded(&self) -> bool {
        is(self.keywords.x_kubernetes_embedded_resource)
    }

    pub(super) fn is_nullable(&self) -> bool {
        is(self.keywords.nullable)
    }

    /// Returns the schema of an object's member; `None` if it has none of its own.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or(match &self.values {
            Values::Of(values) => Some(values),
            _ => None,
        })
    }

    /// Returns the schema at a path; `None` if it has none of its own.
    pub(super) fn at(&self, place: &[Step]) -> Option<&Self> {
        place.iter().try_fold(self, |node, step| match step {
            Step::Name(name) => node.member(name),
            Step::At(_) => node.items.as_deref(),
        })
    }

    /// Returns the node at a path such as `.spec.disks[].name` or `.spec.labels[*]`.
    pub(super) fn at_path(&mut self, path: &str) -> Option<&mut Self> {
        let path = path.replace("[*]", ".[*]").replace("[]", ".[]");
        path.split('.').filter(|part| !part.is_empty()).try_fold(self, |node, part| match (part, &mut node.values) {
            ("[]", _) => node.items.as_deref_mut(),
            ("[*]", Values::Of(values)) => Some(&mut **values),
            _ => node.properties.get_mut(part),
        })
    }

    /// Excludes, at all depths, values that Kubernetes' schemas accept but the types of k8s-openapi do not decode:
    /// integers of an `IntOrString` beyond 32 bits, and another object type than the embedded one.
    pub(super) fn skip_k8s_openapi_mismatches(&mut self) {
        let keywords = &self.keywords;
        self.is_int32 =
            is(keywords.x_kubernetes_int_or_string) && keywords.minimum.is_none() && keywords.maximum.is_none();
        let type_meta = ["apiVersion", "kind"].map(str::to_owned);
        let is_type_meta = |name: &String| type_meta.contains(name);
        if self.properties.contains_key("metadata") && !self.required().any(is_type_meta) {
            let members = self.properties.iter_mut();
            members.filter(|(name, _)| is_type_meta(name)).for_each(|(_, member)| member.is_skipped = true);
        }
        let values = match &mut self.values {
            Values::Of(values) => Some(&mut **values),
            _ => None,
        };
        let parts = self.properties.values_mut().chain(self.items.as_deref_mut());
        let branches = self.all_of.iter_mut().chain(&mut self.any_of).chain(&mut self.one_of);
        parts.chain(values).chain(branches).for_each(Self::skip_k8s_openapi_mismatches);
    }

    /// Returns the path of the innermost optional value on the way to a path.
    pub(super) fn skippable(&self, place: &[Step]) -> Option<String> {
        let mut path = String::new();
        let mut skippable = None;
        let mut node = self;
        for step in place {
            let name = match step {
                Step::Name(name) => name.as_str(),
                Step::At(_) => "",
            };
            path += &match step {
                Step::At(_) => "[]".to_owned(),
                Step::Name(_) if node.properties.contains_key(name) => format!(".{name}"),
                Step::Name(_) => "[*]".to_owned(),
            };
            if !node.required().any(|it| it == name) {
                skippable = Some(path.clone());
            }
            node = node.at(std::slice::from_ref(step))?;
        }
        let is_here = skippable.as_ref() == Some(&path);
        match &node.values {
            _ if is_here => skippable,
            _ if node.items.is_some() => Some(path + "[]"),
            Values::Of(_) => Some(path + "[*]"),
            _ => skippable,
        }
    }

    /// The keywords of this schema as JSON, with the names of its properties only.
    pub(super) fn keywords(&self) -> Value {
        let mut keywords = json!(self.keywords);
        if !self.properties.is_empty() {
            keywords["properties"] = self.properties.keys().cloned().collect();
        }
        for (name, branches) in [("allOf", &self.all_of), ("anyOf", &self.any_of), ("oneOf", &self.one_of)] {
            if !branches.is_empty() {
                keywords[name] = branches.iter().map(Self::keywords).collect();
            }
        }
        keywords
    }

    /// Calls `found` with the path and the node of this node and of all nested ones.
    pub(super) fn walk<'a>(&'a self, path: &str, found: &mut dyn FnMut(&str, &'a Self)) {
        found(path, self);
        for (name, node) in &self.properties {
            node.walk(&format!("{path}.{name}"), found);
        }
        if let Some(items) = &self.items {
            items.walk(&format!("{path}[]"), found);
        }
        if let Values::Of(values) = &self.values {
            values.walk(&format!("{path}[*]"), found);
        }
        let branches = self.all_of.iter().chain(&self.any_of).chain(&self.one_of);
        for branch in branches.chain(self.not.as_deref()) {
            branch.walk(path, found);
        }
    }

    /// Returns the keywords of this node that are not checked.
    pub(super) fn unchecked(&self) -> Option<String> {
        let rules = self.keywords.x_kubernetes_validations.as_ref();
        if let Some(pattern) = self.keywords.pattern.as_ref().filter(|_| self.pattern.is_none()) {
            return Some(format!("the pattern `{pattern}`, of which texts are found by chance, or with `only`"));
        }
        if let Some(format) = self.keywords.format.as_deref()
            && formats::format(format).is_some_and(|format| !format.is_covered)
        {
            return Some(format!("the format `{format}`, of which only a few values are made"));
        }
        rules.filter(|rules| !rules.is_empty()).map(|rules| {
            let left_out = match cfg!(feature = "cel") {
                true => "but for what the decoder refuses",
                false => "which needs crdkit's feature `cel`",
            };
            format!("{} of CEL, {left_out}", count(rules.len(), "rule"))
        })
    }
}

pub(super) fn is(flag: Option<bool>) -> bool {
    flag == Some(true)
}

pub(super) fn count(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
