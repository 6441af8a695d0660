//! Rules about the presence of fields, and rules of immutable values.

use crdkit_core::{Message, literal::cel::escaped};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};

use crate::{
    check::relations::{Optionality, unnameable_field},
    crd::{
        crd_accessors::is_visible_to_rules,
        render::{RenderError, keywords::join_rule},
    },
    schema::{Field, IMMUTABLE, Keyword, Reason, Schema, Shape},
};

/// Returns the rule that exactly one of several fields is set.
pub(super) fn one_of(props: &JSONSchemaProps, names: &[&str]) -> Result<ValidationRule, RenderError> {
    let message = format!("exactly one of {} must be set", listed(names));
    Ok(rule(format!("{} == 1", count(props, names)?), message))
}

/// Returns the rule that at most one of several fields is set.
pub(super) fn at_most_one_of(props: &JSONSchemaProps, names: &[&str]) -> Result<ValidationRule, RenderError> {
    let message = format!("at most one of {} may be set", listed(names));
    Ok(rule(format!("{} <= 1", count(props, names)?), message))
}

/// Returns the rule that at least one of several fields is set.
pub(super) fn at_least_one_of(props: &JSONSchemaProps, names: &[&str]) -> Result<ValidationRule, RenderError> {
    let message = format!("at least one of {} must be set", listed(names));
    Ok(rule(presences(props, names)?.join(" || "), message))
}

/// Returns an expression for the number of fields that are set. A sum has a lower CEL cost than a list.
fn count(props: &JSONSchemaProps, names: &[&str]) -> Result<String, RenderError> {
    let one = |presence: String| format!("({presence} ? 1 : 0)");
    let ones = presences(props, names)?.into_iter().map(one);
    Ok(ones.collect::<Vec<_>>().join(" + "))
}

fn presences(props: &JSONSchemaProps, names: &[&str]) -> Result<Vec<String>, RenderError> {
    let presence = |name: &&str| {
        can_be_unset(props, name)?;
        has("self", name)
    };
    names.iter().map(presence).collect()
}

/// Formats names for a message: `a`, `b` and `c`.
fn listed(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

/// Adds the rules of an object that one of its fields requires. `property` is the rendered field.
pub(super) fn of_field(
    field: &Field,
    property: &JSONSchemaProps,
    is_required: bool,
    rules: &mut Vec<ValidationRule>,
) -> Result<(), RenderError> {
    if field.immutable && may_be_unset(property, is_required) {
        join_rule(rules, stays_set(field.name)?);
    }
    for keyword in field.keywords {
        if let Keyword::Requires(names) = keyword {
            for name in *names {
                join_rule(rules, requires(field.name, name)?);
            }
        }
    }
    Ok(())
}

/// Adds rules that the immutable fields of an optional flattened type stay set: in the enclosing object, they are
/// always optional.
pub(super) fn stay_set(
    schema: &Schema,
    props: &mut JSONSchemaProps,
    rules: &mut Vec<ValidationRule>,
) -> Result<(), RenderError> {
    match schema.shape {
        Shape::Newtype(inner) => stay_set(inner, props, rules)?,
        Shape::Object(fields) => {
            for field in fields {
                if field.flatten {
                    stay_set(field.schema, props, rules)?;
                } else if field.immutable {
                    let rule = stays_set(field.name)?;
                    let own = props.x_kubernetes_validations.iter_mut();
                    own.for_each(|own| own.retain(|own| own.rule != rule.rule));
                    join_rule(rules, rule);
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// Checks the fields in `requires`.
pub(super) fn check_required(field: &Field, props: &JSONSchemaProps) -> Result<(), RenderError> {
    for keyword in field.keywords {
        if let Keyword::Requires(names) = keyword {
            can_be_unset(props, field.name)?;
            names.iter().try_for_each(|name| can_be_unset(props, name))?;
        }
    }
    Ok(())
}

fn requires(name: &str, other: &str) -> Result<ValidationRule, RenderError> {
    let text = format!("!{} || {}", has("self", name)?, has("self", other)?);
    Ok(ValidationRule {
        reason: Some(Reason::FieldValueRequired.as_str().to_owned()),
        field_path: Some(path(other)),
        ..rule(text, format!("must be set if `{name}` is set"))
    })
}

/// Returns the rule that a field stays set. It belongs to the enclosing object, because a rule with `oldSelf` on the
/// field is not evaluated when the field is removed.
fn stays_set(name: &str) -> Result<ValidationRule, RenderError> {
    let text = format!("!{} || {}", has("oldSelf", name)?, has("self", name)?);
    Ok(ValidationRule { field_path: Some(path(name)), ..rule(text, "field is immutable once it is set") })
}

/// Returns the rule of an immutable value, with the message of Kubernetes.
pub(super) fn immutable() -> ValidationRule {
    rule(IMMUTABLE, "field is immutable")
}

fn rule(rule: impl Into<String>, message: impl Into<String>) -> ValidationRule {
    ValidationRule { rule: rule.into(), message: Some(message.into()), ..ValidationRule::default() }
}

fn has(of: &str, name: &str) -> Result<String, RenderError> {
    match escaped(name) {
        Some(name) => Ok(format!("has({of}.{name})")),
        None => Err(refused(unnameable_field(name))),
    }
}

fn path(name: &str) -> String {
    if name.contains(['.', '/']) { format!("['{name}']") } else { format!(".{name}") }
}

fn may_be_unset(property: &JSONSchemaProps, is_required: bool) -> bool {
    let is_absent = !is_required && property.default.is_none();
    is_absent || property.nullable == Some(true)
}

/// Checks that a field exists, is visible to rules, and is optional.
fn can_be_unset(props: &JSONSchemaProps, name: &str) -> Result<(), RenderError> {
    let properties = props.properties.as_ref();
    let Some(property) = properties.and_then(|properties| properties.get(name)) else {
        let message = format!("there is no field `{name}`, which a rule refers to");
        return Err(RenderError::new(message));
    };
    let required = props.required.as_ref();
    let is_required = required.is_some_and(|required| required.iter().any(|it| it == name));
    let unset = Optionality {
        is_visible: is_visible_to_rules(property),
        has_default: property.default.is_some(),
        may_be_missing: may_be_unset(property, is_required),
    };
    unset.check(name).map_err(refused)
}

fn refused(message: Message) -> RenderError {
    RenderError::new(message.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{
        crd::render::render_schema,
        schema::{Field, Keyword, ListType, Schema},
    };

    const TEXT: Schema = Schema::string().optional();

    fn rules(schema: &Schema) -> Value {
        json!(render_schema(schema).unwrap().x_kubernetes_validations)
    }

    fn refusal(schema: &Schema) -> String {
        render_schema(schema).unwrap_err().to_string()
    }

    #[test]
    fn which_fields_are_set_together() {
        const FIELDS: &[Field] = &[
            Field::new("in", &TEXT),
            Field::new("a-b", &TEXT),
            Field::new("c", &TEXT).with(&[Keyword::Requires(&["in", "a-b"])]),
        ];
        const SCHEMA: Schema = Schema::object(FIELDS).with(&[
            Keyword::OneOf(&["in", "a-b", "c"]),
            Keyword::AtMostOneOf(&["in", "c"]),
            Keyword::AtLeastOneOf(&["in", "c"]),
        ]);
        assert_eq!(
            rules(&SCHEMA),
            json!([
                {
                    "rule": "!has(self.c) || has(self.__in__)",
                    "message": "must be set if `c` is set",
                    "reason": "FieldValueRequired", "fieldPath": ".in",
                },
                {
                    "rule": "!has(self.c) || has(self.a__dash__b)",
                    "message": "must be set if `c` is set",
                    "reason": "FieldValueRequired", "fieldPath": ".a-b",
                },
                {
                    "rule": "(has(self.__in__) ? 1 : 0) + (has(self.a__dash__b) ? 1 : 0) + (has(self.c) ? 1 : 0) == 1",
                    "message": "exactly one of `in`, `a-b` and `c` must be set",
                },
                {
                    "rule": "(has(self.__in__) ? 1 : 0) + (has(self.c) ? 1 : 0) <= 1",
                    "message": "at most one of `in` and `c` may be set",
                },
                {
                    "rule": "has(self.__in__) || has(self.c)",
                    "message": "at least one of `in` and `c` must be set",
                },
            ])
        );
    }

    #[test]
    fn fields_that_cannot_be_required() {
        const NUMBER: Schema = Schema::integer();
        const ANY: Schema = Schema::any();
        const FIELDS: &[Field] = &[
            Field::new("text", &TEXT),
            Field::new("number", &NUMBER),
            Field::new("any", &ANY).optional(),
            Field::new("1", &TEXT),
            Field::new("default", &TEXT).with(&[Keyword::DefaultLiteral(crate::schema::Literal::Text("a"))]),
        ];
        for (names, expected) in [
            (&["text", "txt"], "no field `txt`"),
            (&["text", "number"], "`number` is required"),
            (&["text", "any"], "`any` can be any value"),
            (&["text", "1"], "cannot refer to the field `1`"),
            (&["text", "default"], "`default` is always set"),
        ] {
            let keywords = vec![Keyword::OneOf(names)].leak();
            let schema = Schema::object(FIELDS).with(keywords);
            assert!(refusal(&schema).contains(expected), "{}", refusal(&schema));
        }
        const REQUIRES: Schema =
            Schema::object(&[Field::new("a", &NUMBER).with(&[Keyword::Requires(&["b"])]), Field::new("b", &TEXT)]);
        assert!(refusal(&REQUIRES).contains("`a` is required"));
    }

    #[test]
    fn values_that_cannot_change() {
        const LIST: Schema = Schema::list(&TEXT).with(&[Keyword::ListType(ListType::Set)]);
        const FIXED: Schema = Schema::integer().immutable();
        const FIELDS: &[Field] = &[
            Field::new("required", &LIST).immutable(),
            Field::new("optional", &TEXT).immutable(),
            Field::new("twice", &FIXED).immutable(),
        ];
        let rendered = json!(render_schema(&Schema::object(FIELDS)).unwrap());
        let immutable = json!([{ "rule": "self == oldSelf", "message": "field is immutable" }]);
        for name in ["required", "optional", "twice"] {
            let property = &rendered["properties"][name];
            assert_eq!(property["x-kubernetes-validations"], immutable, "{name}");
        }
        assert_eq!(
            rendered["x-kubernetes-validations"],
            json!([{
                "rule": "!has(oldSelf.optional) || has(self.optional)",
                "message": "field is immutable once it is set", "fieldPath": ".optional",
            }])
        );
    }

    #[test]
    fn an_immutable_type_is_not_flattened() {
        const FIXED: Schema = Schema::object(&[Field::new("a", &TEXT)]).named("Fixed").immutable();
        const OUTER: Schema = Schema::object(&[Field::flattened(&FIXED)]);
        assert!(refusal(&OUTER).contains("the flattened `Fixed` is immutable as a whole"));
    }
}
