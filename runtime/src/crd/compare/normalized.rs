//! Schemas in one form: without what the API server ignores, or fills in itself.

use crdkit_core::schema::{CountBound, Side};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSON, JSONSchemaProps as Props, ValidationRule,
};

use crate::crd::crd_accessors::{count, count_mut, for_each_subschema, normalize_numbers};

/// Returns the schema in the form in which two schemas that the server treats alike are equal.
pub(super) fn normalized(schema: &Props) -> Props {
    let mut normal = schema.clone();
    normalize_numbers(&mut normal);
    normalize(&mut normal);
    normal
}

fn normalize(schema: &mut Props) {
    drop_implied(schema);
    drop_empty(schema);
    schema.x_kubernetes_validations.iter_mut().flatten().for_each(normalize_rule);
    let branches = [&mut schema.all_of, &mut schema.any_of, &mut schema.one_of].into_iter().flatten().flatten();
    branches.chain(schema.not.as_deref_mut()).for_each(normalize_branch);
    for_each_subschema(schema, &mut normalize);
}

/// Drops keywords with the value that the server assumes without them.
fn drop_implied(schema: &mut Props) {
    for flag in [
        &mut schema.exclusive_maximum,
        &mut schema.exclusive_minimum,
        &mut schema.nullable,
        &mut schema.unique_items,
        &mut schema.x_kubernetes_embedded_resource,
        &mut schema.x_kubernetes_int_or_string,
        &mut schema.x_kubernetes_preserve_unknown_fields,
    ] {
        *flag = flag.filter(|is_set| *is_set);
    }
    for bound in CountBound::ALL.iter().filter(|bound| bound.side() == Side::Min) {
        *count_mut(schema, *bound) = count(schema, *bound).filter(|count| *count != 0);
    }
    schema.x_kubernetes_list_type.take_if(|type_| type_ == "atomic");
    schema.x_kubernetes_map_type.take_if(|type_| type_ == "granular");
}

/// Drops texts and lists without content, which the server's types omit.
fn drop_empty(schema: &mut Props) {
    for text in [
        &mut schema.description,
        &mut schema.format,
        &mut schema.pattern,
        &mut schema.title,
        &mut schema.type_,
        &mut schema.x_kubernetes_list_type,
        &mut schema.x_kubernetes_map_type,
    ] {
        text.take_if(|text| text.is_empty());
    }
    for branches in [&mut schema.all_of, &mut schema.any_of, &mut schema.one_of] {
        branches.take_if(|branches| branches.is_empty());
    }
    for names in [&mut schema.required, &mut schema.x_kubernetes_list_map_keys] {
        names.take_if(|names| names.is_empty());
    }
    schema.enum_.take_if(|values| values.is_empty());
    schema.properties.take_if(|properties| properties.is_empty());
    schema.x_kubernetes_validations.take_if(|rules| rules.is_empty());
}

fn normalize_rule(rule: &mut ValidationRule) {
    rule.rule = rule.rule.trim().to_owned();
    rule.optional_old_self = rule.optional_old_self.filter(|is_set| *is_set);
    rule.reason.take_if(|reason| reason == "FieldValueInvalid");
    for text in [&mut rule.field_path, &mut rule.message, &mut rule.message_expression, &mut rule.reason] {
        text.take_if(|text| text.is_empty());
    }
}

/// Drops documentation and sorts lists without an order, since branches are compared as a whole.
fn normalize_branch(schema: &mut Props) {
    (schema.description, schema.title, schema.example, schema.external_docs) = (None, None, None, None);
    if let Some(required) = &mut schema.required {
        required.sort_unstable();
        required.dedup();
    }
    if let Some(values) = &mut schema.enum_ {
        values.sort_by_cached_key(|JSON(value)| value.to_string());
    }
    for_each_subschema(schema, &mut normalize_branch);
}
