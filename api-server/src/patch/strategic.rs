//! Strategic merge patches, which merge the lists of built-in kinds by keys.
//!
//! The schema of a kind has the strategy and the key of each list. Patches have directives in members whose names start with a
//! `$`.

use serde_json::{Map, Value};

use self::list::{Kind, List};
use crate::kinds;

mod list;

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList";
const SET_ORDER: &str = "$setElementOrder";

/// A patch that cannot be applied.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MergeError {
    /// A directive is malformed.
    Format(String),
    /// The patch does not fit the object, which the server reports as an internal error.
    Merge(String),
}

impl MergeError {
    fn format(of: &str) -> Self {
        Self::Format(format!("invalid patch format of {of}"))
    }
}

type JsonObject = Map<String, Value>;
type Schema = Option<&'static Value>;

/// Applies a patch to an object of a kind.
pub(super) fn merge(old: &Value, patch: JsonObject, schema: Schema) -> Result<Value, MergeError> {
    merge_map(old.as_object().cloned().unwrap_or_default(), patch, schema).map(Value::Object)
}

fn merge_map(mut original: JsonObject, mut patch: JsonObject, schema: Schema) -> Result<JsonObject, MergeError> {
    match patch.get(DIRECTIVE) {
        Some(directive) if directive == "replace" => {
            patch.remove(DIRECTIVE);
            return Ok(patch);
        }
        Some(directive) if directive == "delete" => return Ok(JsonObject::new()),
        Some(directive) => return Err(unknown_directive(directive, &patch)),
        None => {}
    }
    retain_keys(&mut original, &mut patch)?;
    set_orders(&mut original, &mut patch, schema)?;
    for (name, value) in patch {
        merge_member(&mut original, &name, value, schema)?;
    }
    Ok(original)
}

fn merge_member(original: &mut JsonObject, name: &str, patch: Value, schema: Schema) -> Result<(), MergeError> {
    let (name, is_deletion) = match name.strip_prefix(DELETE_FROM_LIST) {
        Some(rest) => (rest.strip_prefix('/').ok_or_else(|| MergeError::format("primitive list"))?, true),
        None => (name, false),
    };
    if patch.is_null() {
        original.remove(name);
        return Ok(());
    }
    let merged = match (original.remove(name), patch) {
        (Some(Value::Object(original)), Value::Object(patch)) => {
            let field = MemberStrategy::of(schema, name)?;
            Some(match field.strategy {
                "replace" => Value::Object(patch),
                _ => Value::Object(merge_map(original, patch, field.schema)?),
            })
        }
        (Some(Value::Array(original)), Value::Array(patch)) => {
            let field = MemberStrategy::of(schema, name)?;
            Some(Value::Array(if field.strategy == "merge" || is_deletion {
                merge_list(original, patch, &field.list(), is_deletion)?
            } else {
                patch
            }))
        }
        (original, _) if is_deletion => original,
        (_, mut patch) => {
            remove_nulls(&mut patch);
            without_directives(patch)
        }
    };
    if let Some(merged) = merged {
        original.insert(name.to_owned(), merged);
    }
    Ok(())
}

fn merge_list(
    original: Vec<Value>,
    patch: Vec<Value>,
    list: &List<'_>,
    is_deletion: bool,
) -> Result<Vec<Value>, MergeError> {
    let Some(kind) = Kind::of([&original, &patch])? else {
        return Ok(original);
    };
    if kind == Kind::Scalars {
        if is_deletion {
            return Ok(original.into_iter().filter(|item| !patch.contains(item)).collect());
        }
        let mut merged = original.clone();
        merged.extend(patch.iter().filter(|item| !original.contains(item)).cloned());
        return List::scalars().order(merged, &patch, &patch, &original);
    }
    let key =
        list.key.ok_or_else(|| MergeError::Merge("cannot merge lists without merge key for struct".to_owned()))?;
    let (original, patch) = apply_directives(original, patch, list, key)?;
    let mut merged = original.clone();
    for item in &patch {
        list.key_of(item)?;
        match merged.iter_mut().find(|other| list.is_same(other, item)) {
            Some(other) => {
                let (original, patch) = (members(other.take()), members(item.clone()));
                *other = Value::Object(merge_map(original, patch, list.items)?);
            }
            None => merged.push(item.clone()),
        }
    }
    list.order(merged, &patch, &patch, &original)
}

fn members(value: Value) -> JsonObject {
    if let Value::Object(members) = value { members } else { JsonObject::new() }
}

/// Applies the directives of items, and returns the list and the patch without them.
fn apply_directives(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    list: &List<'_>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), MergeError> {
    let mut others = Vec::new();
    let mut is_replaced = false;
    for item in patch {
        match item.get(DIRECTIVE).map(|directive| directive.as_str().unwrap_or_default()) {
            None => others.push(item),
            Some("delete") if item.get(key).is_some() => original.retain(|other| !list.is_same(other, &item)),
            Some("delete") => return Err(list.no_key(&item)),
            Some("replace") => is_replaced = true,
            Some("merge") => {
                return Err(MergeError::Merge("merging lists cannot yet be specified in the patch".to_owned()));
            }
            Some(_) => return Err(unknown_directive(&item[DIRECTIVE], &members(item.clone()))),
        }
    }
    Ok(if is_replaced { (others, Vec::new()) } else { (original, others) })
}

/// Drops the members that a patch does not retain.
fn retain_keys(original: &mut JsonObject, patch: &mut JsonObject) -> Result<(), MergeError> {
    let Some(retained) = patch.remove(RETAIN_KEYS) else {
        return Ok(());
    };
    let invalid = || MergeError::format("retainKeys");
    let retained = retained.as_array().ok_or_else(invalid)?;
    let is_retained = |name: &String| retained.iter().any(|other| other == name.as_str());
    let is_member = |name: &str| !name.starts_with(DELETE_FROM_LIST) && !name.starts_with(SET_ORDER);
    if patch.iter().any(|(name, value)| !value.is_null() && is_member(name) && !is_retained(name)) {
        return Err(invalid());
    }
    original.retain(|name, _| is_retained(name));
    Ok(())
}

/// Merges the lists whose order a patch sets.
fn set_orders(original: &mut JsonObject, patch: &mut JsonObject, schema: Schema) -> Result<(), MergeError> {
    let directives: Vec<_> = patch.keys().filter(|name| name.starts_with(SET_ORDER)).cloned().collect();
    for directive in directives {
        let invalid = || MergeError::format("setElementOrder list");
        let Some(Value::Array(order)) = patch.remove(&directive) else {
            return Err(invalid());
        };
        let name = directive.strip_prefix(SET_ORDER).and_then(|rest| rest.strip_prefix('/')).ok_or_else(invalid)?;
        let field = MemberStrategy::of(schema, name)?;
        let list = field.list();
        let old = original.get(name).map(array).transpose()?;
        let patched = patch.remove(name).map(|value| array(&value)).transpose()?;
        list.check_order(patched.as_deref().unwrap_or_default(), &order)?;
        let merged = match (old.clone(), patched) {
            (None, None) => continue,
            (Some(old), None) => old,
            (None, Some(patched)) => patched.into_iter().filter_map(without_directives).collect(),
            (Some(old), Some(patched)) if field.strategy == "merge" => merge_list(old, patched, &list, false)?,
            (Some(_), Some(patched)) => patched,
        };
        let merged = list.order(merged, &order, &order, &old.unwrap_or_default())?;
        original.insert(name.to_owned(), merged.into());
    }
    Ok(())
}

fn array(value: &Value) -> Result<Vec<Value>, MergeError> {
    let not_an_array = || MergeError::Merge("expected a []interface {}, but received another type".to_owned());
    value.as_array().cloned().ok_or_else(not_an_array)
}

fn unknown_directive(directive: &Value, patch: &JsonObject) -> MergeError {
    let directive = directive.as_str().unwrap_or_default();
    MergeError::Merge(format!("unknown patch type: {directive} in map: {}", Value::Object(patch.clone())))
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// Returns a value of a patch without the maps that have a directive; `None` for such a map.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) if members.contains_key(DIRECTIVE) => None,
        Value::Object(members) => {
            let kept = members.into_iter().filter_map(|(name, value)| Some((name, without_directives(value)?)));
            Some(kept.collect::<JsonObject>().into())
        }
        Value::Array(items) => Some(items.into_iter().filter_map(without_directives).collect()),
        other => Some(other),
    }
}

/// How a member is merged.
struct MemberStrategy {
    /// The strategy besides `retainKeys`; empty if there is none.
    strategy: &'static str,
    key: Option<&'static str>,
    schema: Schema,
}

impl MemberStrategy {
    fn of(schema: Schema, name: &str) -> Result<Self, MergeError> {
        let Some(schema) = schema else {
            return Ok(Self { strategy: "", key: None, schema: None });
        };
        let schema = kinds::resolve(schema);
        let field = match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Null) if schema["properties"].is_object() => {
                let message = format!("unable to find api field in struct for the json field {name:?}");
                return Err(MergeError::Merge(message));
            }
            (Value::Null, values) => values,
            (field, _) => field,
        };
        let strategies = field["x-kubernetes-patch-strategy"].as_str().unwrap_or_default().split(',');
        let strategy = strategies.into_iter().find(|strategy| *strategy != "retainKeys");
        Ok(Self {
            strategy: strategy.unwrap_or_default(),
            key: field["x-kubernetes-patch-merge-key"].as_str(),
            schema: Some(field),
        })
    }

    /// Returns how the items of a list are merged.
    fn list(&self) -> List<'static> {
        List { key: self.key, items: self.schema.map(|schema| &schema["items"]) }
    }
}

#[cfg(test)]
mod tests;
