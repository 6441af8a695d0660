//! Rendering of keywords.

use crdkit_core::schema::{
    CountBound, Kind, Side,
    api_fields::{FieldType, PROPS},
    patch,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    ExternalDocumentation, JSON, JSONSchemaProps, JSONSchemaPropsOrArray, ValidationRule,
};
use serde_json::Value;

use crate::{
    crd::{
        render::{
            RenderError,
            bounds::{narrow, one_of, without_bounds},
            map, relations,
        },
        structural::{self, narrow_count, replace_summary, structural, to_schemars},
    },
    schema::{Descriptions, Keyword, ListType, Rule, any_keyword},
};

/// Applies keywords to a schema: bounds narrow it, rules are added, and other keywords replace earlier ones.
pub(super) fn apply(
    props: &mut JSONSchemaProps,
    keywords: &[Keyword],
    descriptions: Descriptions,
) -> Result<(), RenderError> {
    for keyword in keywords {
        match keyword {
            Keyword::Extend(members) => {
                let members = members();
                keep(&PROPS, &members)?;
                extend(props, members)?;
            }
            Keyword::Evaluated(members) => match without_bounds(props, members())? {
                Value::Object(rest) if rest.is_empty() => {}
                rest => extend(props, rest)?,
            },
            Keyword::Patch(members) => {
                let members = members();
                keep(&PROPS, &members)?;
                patched(props, members)?;
            }
            Keyword::Transform(transform) => transformed(props, *transform)?,
            Keyword::Enum(values) => one_of(props, values)?,
            Keyword::Items(keywords) => apply_to_items(props, keywords, descriptions)?,
            Keyword::Values(keywords) => map::add_to_values(props, keywords, descriptions)?,
            Keyword::Description(text) => {
                if let Some(text) = descriptions.of(*text) {
                    describe(props, &text);
                }
            }
            Keyword::Default(value) => {
                let value = value().map_err(|error| unwritable("default", &error))?;
                props.default = value.and_then(without_nulls).map(JSON);
            }
            Keyword::DefaultLiteral(literal) => props.default = Some(JSON(literal.to_json())),
            Keyword::Example(value) => {
                let value = value().map_err(|error| unwritable("example", &error))?;
                props.example = Some(JSON(value));
            }
            Keyword::EvaluatedRule(rule) => add_rule(props, rule_of(rule())?),
            Keyword::Rule(rule) => add_rule(props, validation_rule(rule)),
            Keyword::OneOf(names) => {
                let rule = relations::one_of(props, names)?;
                add_rule(props, rule);
            }
            Keyword::AtMostOneOf(names) => {
                let rule = relations::at_most_one_of(props, names)?;
                add_rule(props, rule);
            }
            Keyword::AtLeastOneOf(names) => {
                let rule = relations::at_least_one_of(props, names)?;
                add_rule(props, rule);
            }
            Keyword::EvaluatedSize(sizes) => {
                let (min, max) = sizes();
                set_size(props, min, max)?;
            }
            Keyword::MinSize(min) => set_size(props, Some(*min), None)?,
            Keyword::MaxSize(max) => set_size(props, None, Some(*max))?,
            keyword => set(props, keyword)?,
        }
    }
    Ok(())
}

/// Removes null from a value of any type that becomes an embedded resource. Call this before the keywords are applied.
pub(super) fn refuse_null_as_resource(keywords: &[Keyword], props: &mut JSONSchemaProps) {
    if structural::is_any(props) && any_keyword!(keywords, Keyword::EmbeddedResource) {
        props.nullable = None;
    }
}

fn set(props: &mut JSONSchemaProps, keyword: &Keyword) -> Result<(), RenderError> {
    match *keyword {
        Keyword::Title(text) => props.title = not_empty(text),
        Keyword::Nullable(nullable) => props.nullable = nullable.then_some(true),
        Keyword::ExternalDocs { url, description } => {
            props.external_docs =
                Some(ExternalDocumentation { url: not_empty(url), description: not_empty(description) });
        }
        Keyword::NoFormat => props.format = None,
        Keyword::PreserveUnknownFields => props.x_kubernetes_preserve_unknown_fields = Some(true),
        Keyword::EmbeddedResource => {
            props.x_kubernetes_embedded_resource = Some(true);
            props.type_.get_or_insert_with(|| "object".to_owned());
            map::open(props);
        }
        Keyword::ListType(type_) => {
            props.x_kubernetes_list_type = Some(type_.as_str().to_owned());
            if type_ != ListType::Map {
                props.x_kubernetes_list_map_keys = None; // the item type's own
            }
        }
        Keyword::ListMapKeys(keys) => {
            props.x_kubernetes_list_map_keys = Some(keys.iter().map(|key| (*key).to_owned()).collect());
        }
        Keyword::MapType(type_) => props.x_kubernetes_map_type = Some(type_.as_str().to_owned()),
        bound => narrow(props, &bound)?,
    }
    Ok(())
}

fn not_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Sets the description unless it is empty.
pub(super) fn describe_as(props: &mut JSONSchemaProps, text: &str, descriptions: Descriptions) {
    if !text.is_empty()
        && let Some(text) = descriptions.of(text)
    {
        describe(props, &text);
    }
}

/// Replaces the description, except the list of variants of an enum.
pub(super) fn describe(props: &mut JSONSchemaProps, text: &str) {
    props.description = match props.description.take() {
        None => not_empty(text),
        Some(before) => replace_summary(text, &before),
    };
}

fn unwritable(keyword: &str, error: &serde_json::Error) -> RenderError {
    RenderError::new(format!("the {keyword} cannot be written as JSON: {error}"))
}

/// Removes null members of a default: the server rejects them unless they are nullable.
fn without_nulls(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Object(members) => Some(Value::Object(
            members.into_iter().filter_map(|(key, value)| Some((key, without_nulls(value)?))).collect(),
        )),
        Value::Array(items) => {
            Some(Value::Array(items.into_iter().map(|item| without_nulls(item).unwrap_or(Value::Null)).collect()))
        }
        value => Some(value),
    }
}

fn set_size(props: &mut JSONSchemaProps, min: Option<i64>, max: Option<i64>) -> Result<(), RenderError> {
    let kind = match props.type_.as_deref() {
        Some("string") => Kind::String,
        Some("array") => Kind::List,
        Some("object") => Kind::Object,
        _ if props.x_kubernetes_int_or_string == Some(true) => Kind::String,
        other => {
            return Err(RenderError::new(format!(
                "`length` applies to strings, lists, maps and objects, but the value is {}",
                other.unwrap_or("of any type")
            )));
        }
    };
    for (side, count) in [(Side::Min, min), (Side::Max, max)] {
        if let Some(bound) = CountBound::at(side, kind) {
            narrow_count(props, bound, count);
        }
    }
    Ok(())
}

fn apply_to_items(
    props: &mut JSONSchemaProps,
    keywords: &[Keyword],
    descriptions: Descriptions,
) -> Result<(), RenderError> {
    match &mut props.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => {
            refuse_null_as_resource(keywords, items);
            apply(items, keywords, descriptions).map_err(|error| error.below("[]"))
        }
        _ => Err(RenderError::new("`items` and `inner` apply to lists, but the value is not a list")),
    }
}

/// Checks that a patch contains only known keywords.
fn keep(form: &'static FieldType, members: &Value) -> Result<(), RenderError> {
    match members {
        Value::Object(members) => {
            members.iter().try_for_each(|(key, value)| keep(patch::member(form, key).map_err(RenderError::new)?, value))
        }
        Value::Array(items) => items.iter().try_for_each(|it| keep(patch::item(form), it)),
        _ => Ok(()),
    }
}

/// Adds evaluated members to the schema in the form of schemars.
fn extend(props: &mut JSONSchemaProps, members: Value) -> Result<(), RenderError> {
    let mut schema = to_schemars(std::mem::take(props)).to_value();
    if let (Value::Object(schema), Value::Object(members)) = (&mut schema, members) {
        let list_type = members.get("x-kubernetes-list-type");
        if list_type.is_some_and(|type_| type_ != ListType::Map.as_str()) {
            schema.remove("x-kubernetes-list-map-keys");
        }
        schema.extend(members);
    }
    *props = structural(schema)?;
    Ok(())
}

fn patched(props: &mut JSONSchemaProps, patch: Value) -> Result<(), RenderError> {
    let mut schema = to_schemars(std::mem::take(props)).to_value();
    merge(&mut schema, patch);
    *props = structural(schema)?;
    Ok(())
}

/// Applies a JSON merge patch (RFC 7396). In lists it keeps nulls, such as those of `enum`, other than what the API server does.
fn merge(target: &mut Value, patch: Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (name, member) in patch {
                match member {
                    Value::Null => drop(target.remove(&name)),
                    member => merge(target.entry(name).or_insert(Value::Null), member),
                }
            }
        }
        (target, Value::Object(patch)) => {
            *target = Value::Object(serde_json::Map::new());
            merge(target, Value::Object(patch));
        }
        (target, patch) => *target = patch,
    }
}

fn transformed(props: &mut JSONSchemaProps, transform: fn(&mut schemars::Schema)) -> Result<(), RenderError> {
    let mut schema = to_schemars(std::mem::take(props));
    transform(&mut schema);
    *props = structural(schema.to_value())?;
    Ok(())
}

/// Adds the rule of an immutable value.
pub(super) fn add_immutable_rule(props: &mut JSONSchemaProps) {
    add_rule(props, relations::immutable());
}

fn add_rule(props: &mut JSONSchemaProps, rule: ValidationRule) {
    join_rule(props.x_kubernetes_validations.get_or_insert_default(), rule);
}

/// Adds a rule unless an equal one exists: the expression is the list map key in server-side apply.
pub(super) fn join_rule(rules: &mut Vec<ValidationRule>, rule: ValidationRule) {
    let is_same = |other: &ValidationRule| other.rule == rule.rule && other.optional_old_self == rule.optional_old_self;
    if !rules.iter().any(is_same) {
        rules.push(rule);
    }
}

fn rule_of(value: Value) -> Result<ValidationRule, RenderError> {
    serde_json::from_value(value)
        .map_err(|error| RenderError::new(format!("the expression is not a validation rule: {error}")))
}

fn validation_rule(rule: &Rule) -> ValidationRule {
    let owned = |text: Option<&str>| text.map(ToOwned::to_owned);
    ValidationRule {
        rule: rule.rule.to_owned(),
        message: owned(rule.message),
        message_expression: owned(rule.message_expression),
        reason: owned(rule.reason.map(|reason| reason.as_str())),
        field_path: owned(rule.field_path),
        optional_old_self: rule.optional_old_self,
    }
}
