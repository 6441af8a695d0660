//! Comments of samples: the documentation of fields, and what their values must satisfy.

use crdkit::__internal::{
    crd_accessors::{items, values},
    yaml::write::Comments,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;

use super::SampleProblem;
use crate::constraint_phrases;

const WIDTH: usize = 100;

/// The documentation of a kind.
pub(super) struct Documentation<'a> {
    pub(super) root: &'a Props,
    pub(super) problems: &'a [SampleProblem],
    pub(super) is_full: bool,
}

impl Comments for Documentation<'_> {
    fn above(&self, path: &[&str], indent: usize) -> Vec<String> {
        let Some(schema) = path.iter().try_fold(self.root, |schema, step| part(schema, step)) else {
            return Vec::new();
        };
        if path.len() == 1 {
            return Vec::new(); // `spec` has the documentation of its kind
        }
        let mut lines = Vec::new();
        if let Some(description) = &schema.description {
            let first = description.trim().split("\n\n").next().unwrap_or_default();
            lines.extend(wrap(&first.split_whitespace().collect::<Vec<_>>(), WIDTH.saturating_sub(indent)));
        }
        if self.is_full {
            lines.extend(self.facts(path, schema));
        }
        let text = path_text(path);
        let here = self.problems.iter().filter(|problem| problem.path == text);
        lines.extend(here.map(|problem| format!("No value was found that {}.", problem.reason)));
        lines
    }
}

impl Documentation<'_> {
    /// Returns a line such as `Required; at least 1.`
    fn facts(&self, path: &[&str], schema: &Props) -> Option<String> {
        let (name, above) = path.split_last()?;
        let parent = above.iter().try_fold(self.root, |schema, step| part(schema, step))?;
        let mut facts = Vec::new();
        if parent.required.iter().flatten().any(|required| required == name) {
            facts.push("required".to_owned());
        }
        if let Some(default) = &schema.default {
            facts.push(format!("default {}", default.0));
        }
        facts.extend(constraint_phrases::constraints(schema).iter().map(ToString::to_string));
        let rules = constraint_phrases::rules(schema).into_iter();
        facts.extend(rules.map(|(rule, message)| message.unwrap_or(rule)));
        let text = facts.join("; ").replace('\n', " ");
        let mut letters = text.chars();
        let first = letters.next()?;
        Some(format!("{}{}.", first.to_uppercase(), letters.as_str().trim_end_matches('.')))
    }
}

fn part<'a>(schema: &'a Props, step: &str) -> Option<&'a Props> {
    let property = || schema.properties.as_ref()?.get(step);
    match step {
        "[]" => items(schema),
        _ => property().or_else(|| values(schema)),
    }
}

pub(super) fn path_text(path: &[&str]) -> String {
    path.iter().map(|step| if *step == "[]" { "[]".to_owned() } else { format!(".{step}") }).collect()
}

/// Joins words to lines of at most `width` characters; longer words have a line of their own.
fn wrap(words: &[&str], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}
