//! Makes cases smaller as long as they show the same difference.

use super::{
    comparison::{Case, Disagreement, compare},
    question::{Question, RuleText},
};
use crate::{Oracle, cel::Expression};
use crdkit_core::{
    json::Json,
    schema::{AdditionalProperties, Items, SchemaProps},
};

/// How many smaller cases are tried at once.
const TRIED: usize = 120;

/// The smallest case with the same difference that is found.
pub(crate) fn shrunk(oracle: &Oracle, first: &Disagreement, expression: &Expression) -> Disagreement {
    let mut best = first.clone();
    let mut expression = expression.clone();
    loop {
        let before =
            (best.case.rule.rule.len(), best.case.value.to_string().len(), best.case.schema.keywords().count());
        while let Some(smaller) = smaller_rule(oracle, &best, &expression) {
            (best, expression) = smaller;
        }
        while let Some(smaller) = smaller_value(oracle, &best) {
            best = smaller;
        }
        let after = (best.case.rule.rule.len(), best.case.value.to_string().len(), best.case.schema.keywords().count());
        if before == after {
            break;
        }
    }
    while let Some(smaller) = smaller_schema(oracle, &best) {
        best = smaller;
    }
    best
}

/// The first of these questions with the same difference.
fn same(oracle: &Oracle, questions: &[Question], of: &Disagreement) -> Option<Disagreement> {
    let (mut different, _) = compare(oracle, questions);
    different.retain(|it| it.group() == of.group());
    different.sort_by_key(|it| it.place);
    different.into_iter().next()
}

fn with(case: &Case, rules: Vec<RuleText>, values: Vec<(Json<'static>, Option<Json<'static>>)>) -> Question {
    let (schema, is_root, limit) = (case.schema.clone(), case.is_root, case.limit);
    Question { schema, is_root, limit, repeats: 8, rules, values }
}

fn smaller_rule(oracle: &Oracle, of: &Disagreement, expression: &Expression) -> Option<(Disagreement, Expression)> {
    let mut smaller = expression.smaller();
    smaller.retain(|it| it.to_string().len() < of.case.rule.rule.len());
    smaller.sort_by_key(|it| it.to_string().len());
    smaller.truncate(TRIED);
    let rule = |it: &Expression| RuleText { rule: it.to_string(), ..of.case.rule.clone() };
    let value = (of.case.value.clone(), of.case.old.clone());
    let question = with(&of.case, smaller.iter().map(rule).collect(), vec![value]);
    let found = same(oracle, &[question], of)?;
    let at = found.place[2];
    Some((found, smaller.swap_remove(at)))
}

fn smaller_value(oracle: &Oracle, of: &Disagreement) -> Option<Disagreement> {
    let mut pairs: Vec<_> = parts_left_out(&of.case.value).into_iter().map(|it| (it, of.case.old.clone())).collect();
    if let Some(old) = &of.case.old {
        pairs.push((of.case.value.clone(), None));
        pairs.extend(parts_left_out(old).into_iter().map(|it| (of.case.value.clone(), Some(it))));
    }
    pairs.truncate(TRIED);
    same(oracle, &[with(&of.case, vec![of.case.rule.clone()], pairs)], of)
}

/// The value without each of its parts.
fn parts_left_out(value: &Json<'static>) -> Vec<Json<'static>> {
    let mut all = Vec::new();
    match value {
        Json::Array(items) => {
            for at in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(at);
                all.push(Json::Array(fewer));
            }
            for (at, item) in items.iter().enumerate() {
                for smaller in parts_left_out(item) {
                    let mut changed = items.clone();
                    changed[at] = smaller;
                    all.push(Json::Array(changed));
                }
            }
        }
        Json::Object(members) => {
            for at in 0..members.len() {
                let mut fewer = members.clone();
                fewer.remove(at);
                all.push(Json::Object(fewer));
            }
            for (at, (_, member)) in members.iter().enumerate() {
                for smaller in parts_left_out(member) {
                    let mut changed = members.clone();
                    changed[at].1 = smaller;
                    all.push(Json::Object(changed));
                }
            }
        }
        _ => {}
    }
    all
}

fn smaller_schema(oracle: &Oracle, of: &Disagreement) -> Option<Disagreement> {
    let schemas = properties_left_out(&of.case.schema);
    let question = |schema: SchemaProps<'static>| {
        let value = (of.case.value.clone(), of.case.old.clone());
        Question { schema, ..with(&of.case, vec![of.case.rule.clone()], vec![value]) }
    };
    let questions: Vec<_> = schemas.into_iter().take(TRIED).map(question).collect();
    same(oracle, &questions, of)
}

/// The schema without each of its properties.
fn properties_left_out(schema: &SchemaProps<'static>) -> Vec<SchemaProps<'static>> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut SchemaProps<'static>)| {
        let mut changed = schema.clone();
        change(&mut changed);
        all.push(changed);
    };
    if !schema.required.is_empty() {
        add(&|it| it.required.clear());
    }
    let properties = schema.properties.as_deref().unwrap_or_default();
    for (at, (name, property)) in properties.iter().enumerate() {
        add(&|it| {
            it.required.retain(|it| it != name);
            it.properties.as_mut().unwrap().remove(at);
        });
        for smaller in properties_left_out(property) {
            add(&|it| it.properties.as_mut().unwrap()[at].1 = smaller.clone());
        }
    }
    if let Some(items) = schema.items() {
        for smaller in properties_left_out(items) {
            add(&|it| it.items = Some(Items::Schema(Box::new(smaller.clone()))));
        }
    }
    if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
        for smaller in properties_left_out(values) {
            add(&|it| it.additional_properties = Some(AdditionalProperties::Schema(Box::new(smaller.clone()))));
        }
    }
    all
}
