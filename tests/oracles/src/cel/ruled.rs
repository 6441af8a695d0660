//! Schemas with rules at several places.

use crdkit_core::{
    cel::RuleScope,
    schema::{AdditionalProperties, Items, SchemaProps, ValidationRule},
};

use super::{
    node::{Kind, Node, Scope},
    writer::{Target, Writer},
};
use crate::{Random, cel::targets};

/// How many rules a schema has at most, without those within.
const RULES: usize = 3;

/// The schema with rules that compile, at its root and within.
pub fn ruled_schema(node: &Node, is_root: bool, random: &mut Random) -> SchemaProps<'static> {
    let mut schema = node.schema();
    add_rules(node, is_root, &mut schema, random);
    schema
}

fn add_rules(node: &Node, is_root: bool, schema: &mut SchemaProps<'static>, random: &mut Random) {
    match &node.kind {
        Kind::Object { fields, .. } => {
            for (_, property) in schema.properties.iter_mut().flatten() {
                property.validations.clear();
            }
            let properties = schema.properties.iter_mut().flatten();
            for (field, (_, property)) in fields.iter().zip(properties) {
                add_rules(&field.node, false, property, random);
            }
        }
        Kind::List(_, items) => {
            if let Some(Items::Schema(schema)) = &mut schema.items {
                add_rules(items, false, schema, random);
            }
        }
        Kind::Map(values) => {
            if let Some(AdditionalProperties::Schema(schema)) = &mut schema.additional_properties {
                add_rules(values, false, schema, random);
            }
        }
        _ => {}
    }
    let is_resource = is_root || matches!(node.kind, Kind::Object { is_embedded: true, .. });
    let Some(rules) = RuleScope::of(schema, is_resource) else { return };
    let scope = Scope::of(node.clone(), is_resource);
    for _ in 0..random.below(RULES + 1) {
        let rule = rule(&scope, random);
        let is_optional = rule.optional_old_self == Some(true);
        let message = rule.message_expression.as_deref();
        if rules.compile_rule(&rule.rule, is_optional).is_ok()
            && message.is_none_or(|it| rules.compile_message(it, is_optional).is_ok())
        {
            schema.validations.push(rule);
        }
    }
}

fn rule(scope: &Scope, random: &mut Random) -> ValidationRule<'static> {
    let is_optional = random.once_in(4);
    let old_self = if is_optional { Some(true) } else { random.once_in(3).then_some(false) };
    let target = Target::Function(random.choose(targets()));
    let rule = Writer::new(random, scope, old_self).rule(target);
    let field = match &scope.node.kind {
        Kind::Object { fields, .. } if random.once_in(3) => fields.iter().find(|it| it.name.len() == 1),
        _ => None,
    };
    let message = Writer::new(random, scope, None).message().to_string();
    const REASONS: &[&str] = &["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"];
    ValidationRule {
        rule: rule.to_string().into(),
        message: random.once_in(3).then(|| " the message ".into()),
        message_expression: random.once_in(3).then(|| message.into()),
        reason: random.once_in(3).then(|| (*random.choose(REASONS)).into()),
        field_path: field.map(|it| format!(".{}", it.name).into()),
        optional_old_self: is_optional.then_some(true),
    }
}
