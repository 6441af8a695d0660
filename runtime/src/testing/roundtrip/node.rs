//! Paths, exclusions and reports of the nodes of a schema.

use crdkit_core::schema::SchemaProps;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};
use serde_json::{Value, json};

use super::place::Step;
use crate::crd::generate::format;
pub(super) use crate::crd::generate::{
    Values,
    node::{SchemaNode, is},
};

impl SchemaNode {
    pub(super) fn default(&self) -> Option<&Value> {
        self.keywords.default.as_ref().map(|JSON(value)| value)
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
        if let Some(name) = self.keywords.format.as_deref()
            && format(name).is_some_and(|format| !format.is_covered)
        {
            return Some(format!("the format `{name}`, of which only a few values are made"));
        }
        rules
            .filter(|rules| !rules.is_empty())
            .map(|rules| format!("{} of CEL, but for what the decoder refuses", count(rules.len(), "rule")))
    }
}

pub(super) fn count(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
