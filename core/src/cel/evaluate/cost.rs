//! The cost of evaluating an expression on a value, as the server's runtime counts it.
//!
//! Constants cost nothing, an attribute and each of its selections cost one, and a call costs what cel-go's libraries, the API
//! server's `CallCost` or else cel-go's `costCall` return, in this order.

use super::{
    error::{Evaluated, Stop},
    value::Value,
};
use crate::{
    cel::cost::{AUTHORIZATION, CHARACTER, LIST, REGEX, REQUIREMENT, scaled},
    json::Json,
};

/// The cost of creating a map.
pub(super) const MAP: u64 = 30;
/// The cost of creating a message.
pub(super) const MESSAGE: u64 = 40;

/// The cost of a call and of the list that it creates.
const LIST_CALL: u64 = LIST + 1;

/// How a call costs, depending on its arguments and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallCost {
    One,
    Check,
    Selector,
    Equality,
    Comparison,
    Concatenation,
    /// Reading the argument with this index.
    Read(usize),
    ReadTwice,
    Traversal,
    Matching,
    Containing,
    InList,
    JoinedTwice,
    ContainsIp {
        is_text: bool,
    },
    ContainsCidr {
        is_text: bool,
    },
    Validate,
    Sets(u64),
    ListOfResult,
    ListOfInput,
    ListOfDepth,
    /// Comparing the items of the argument with this index with each other.
    SelfCompare(usize),
}

impl CallCost {
    /// Returns the cost of a function; `overload` is empty if there are several.
    pub(super) fn of(function: &str, overload: &str) -> Self {
        let of_library = Self::of_extension(overload).or_else(|| Self::of_server(function, overload));
        of_library.unwrap_or(match overload {
            "starts_with_string" | "ends_with_string" => Self::Read(1),
            "string_to_bytes" | "bytes_to_string" | "strings_quote" | "string_format" => Self::Read(0),
            "in_list" => Self::InList,
            "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes" => Self::Comparison,
            "add_string" | "add_bytes" => Self::Concatenation,
            "matches" | "matches_string" => Self::Matching,
            "contains_string" => Self::Containing,
            _ => Self::One,
        })
    }

    /// The cost of cel-go's libraries of lists and sets.
    fn of_extension(overload: &str) -> Option<Self> {
        Some(match overload {
            "list_sets_contains_list" | "list_sets_intersects_list" => Self::Sets(1),
            "list_sets_equivalent_list" => Self::Sets(2),
            "list_reverse" | "list_slice" | "lists_range" => Self::ListOfResult,
            "list_flatten" => Self::ListOfInput,
            "list_flatten_int" => Self::ListOfDepth,
            "list_distinct" => Self::SelfCompare(0),
            name if name.starts_with("list_") && name.ends_with("_sort") => Self::SelfCompare(0),
            name if name.ends_with("_sortByAssociatedKeys") => Self::SelfCompare(1),
            _ => return None,
        })
    }

    fn of_server(function: &str, overload: &str) -> Option<Self> {
        Some(match function {
            "check" => Self::Check,
            "fieldSelector" | "labelSelector" => Self::Selector,
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => Self::Traversal,
            "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "jsonpatch.escapeKey" => Self::Read(0),
            "replace" | "split" | "ip.isCanonical" => Self::ReadTwice,
            "join" => Self::JoinedTwice,
            "find" | "findAll" => Self::Matching,
            "ip" if overload == "cidr_ip" => Self::One,
            "ip" | "cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver" => Self::Read(0),
            "containsIP" => Self::ContainsIp { is_text: overload == "cidr_contains_ip_string" },
            "containsCIDR" => Self::ContainsCidr { is_text: overload == "cidr_contains_cidr_string" },
            "validate" => Self::Validate,
            _ => return None,
        })
    }

    /// Whether the cost is only known after the call.
    pub(super) const fn depends_on_result(self) -> bool {
        matches!(self, Self::ListOfResult | Self::JoinedTwice)
    }

    /// Returns the index of the argument that the server takes unchecked for a list or an integer: cel-go's library of lists.
    pub(super) const fn unchecked(self) -> Option<usize> {
        match self {
            Self::SelfCompare(at) => Some(at),
            Self::ListOfDepth => Some(1),
            _ => None,
        }
    }

    /// Returns the panic of the server on the unchecked argument; `None` is an error.
    pub(super) fn panic(self, arg: Option<&Value<'_>>) -> Option<Stop> {
        match (self, arg) {
            (Self::SelfCompare(_), Some(list)) if list.is_list() => None,
            (Self::SelfCompare(_), arg) => Some(Stop::not_a_list(arg)),
            (Self::ListOfDepth, Some(Value::Int(_))) => None,
            (Self::ListOfDepth, arg) => Some(Stop::not_an_int(arg)),
            _ => None,
        }
    }

    /// Returns the cost of a call with these arguments and this result. An error counts as null.
    pub(super) fn amount(self, args: &[Value<'_>], result: &Value<'_>) -> u64 {
        let size = |at: usize| args.get(at).map_or(0, actual_size);
        let read = |at: usize| scaled(size(at), CHARACTER);
        // Here the server does not look into optional values.
        let input = args.first().and_then(Value::size).map_or(1, |size| size as u64);
        match self {
            Self::One => 1,
            Self::Check => AUTHORIZATION,
            Self::Selector => {
                let requirements = scaled(scaled(size(1), 0.5), REQUIREMENT);
                LIST.saturating_add(read(1)).saturating_add(requirements)
            }
            Self::Equality if args.first().is_some_and(is_of_library) => 1,
            Self::Equality | Self::Comparison => scaled(size(0).min(size(1)), CHARACTER),
            Self::Concatenation => scaled(size(0).saturating_add(size(1)), CHARACTER),
            Self::Read(at) => read(at),
            Self::ReadTwice => scaled(size(0), 2.0 * CHARACTER),
            Self::Traversal => args.first().map_or(0, traversal),
            Self::Matching => matching(size(0), scaled(size(1), REGEX)),
            Self::Containing => read(0).saturating_mul(read(1)),
            Self::InList => size(1),
            Self::JoinedTwice => scaled(actual_size(result), 2.0 * CHARACTER),
            Self::ContainsIp { is_text } => {
                let compared = scaled(size(0).saturating_mul(2), CHARACTER);
                compared.saturating_add(if is_text { read(1) } else { 0 })
            }
            Self::ContainsCidr { is_text } => {
                let compared = scaled(size(0).saturating_mul(2), CHARACTER).saturating_add(read(0)).saturating_add(1);
                compared.saturating_add(if is_text { read(1) } else { 0 })
            }
            Self::Validate => match args.first() {
                Some(Value::Library(value)) => matching(size(1), scaled(value.regex_size(), REGEX)),
                _ => 1,
            },
            Self::Sets(factor) => size(0).saturating_mul(size(1)).saturating_mul(factor).saturating_add(1),
            Self::ListOfResult => actual_size(result).saturating_add(LIST_CALL),
            Self::ListOfInput => input.saturating_add(LIST_CALL),
            Self::ListOfDepth => depth_cost(input, args.get(1)).saturating_add(LIST_CALL),
            Self::SelfCompare(at) => self_compare(size(at), args.get(at)).saturating_add(LIST_CALL),
        }
    }
}

/// The cost of matching a regular expression of a cost on a text of a size.
fn matching(text: u64, regex: u64) -> u64 {
    scaled(text.saturating_add(1), CHARACTER).saturating_mul(regex)
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // as the server calculates
fn depth_cost(size: u64, depth: Option<&Value<'_>>) -> u64 {
    let depth = match depth {
        Some(Value::Int(depth)) if *depth >= 0 => *depth as f64,
        _ => 1.0,
    };
    (size as f64 * depth) as u64
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // as the server calculates
fn self_compare(size: u64, list: Option<&Value<'_>>) -> u64 {
    let first = list.and_then(|list| list.each(false)?.next()).map(|[first, _]| first);
    let factor = match first {
        Some(Ok(Value::Text(_) | Value::Bytes(_))) => 2.0 + CHARACTER,
        _ => 2.0,
    };
    (size.saturating_mul(size) as f64 * factor) as u64
}

const fn is_of_library(value: &Value<'_>) -> bool {
    matches!(value, Value::Library(_))
}

/// Returns the number of characters, bytes, items or entries; one for other values.
fn actual_size(value: &Value<'_>) -> u64 {
    match value {
        Value::Optional(Some(value)) => actual_size(value),
        value => value.size().map_or(1, |size| size as u64),
    }
}

/// The cost of reading a value and all nested ones.
fn traversal(value: &Value<'_>) -> u64 {
    let of = |part: Evaluated<'_>| part.map_or(1, |part| traversal(&part));
    match value {
        Value::Data(json, declared) if declared.type_.is_dyn() => of_json(json),
        Value::Text(text) => read(text.len()),
        Value::Bytes(bytes) => read(bytes.len()),
        value => match value.each(value.is_map()) {
            Some(items) => {
                let mut count = 0;
                let cost = items.fold(0, |cost: u64, [item, other]| {
                    count += 1;
                    let other = if value.is_map() { of(other) } else { 0 };
                    cost.saturating_add(of(item)).saturating_add(other)
                });
                // The key of a field that the schema does not name is nil for the server, and its value an error.
                let unknown = value.count().unwrap_or(0).saturating_sub(count) as u64;
                cost.saturating_add(unknown.saturating_mul(2))
            }
            None => 1,
        },
    }
}

fn of_json(json: &Json<'_>) -> u64 {
    match json {
        Json::String(text) => read(text.len()),
        Json::Array(items) => items.iter().map(of_json).fold(0, u64::saturating_add),
        Json::Object(members) => {
            let each = members.iter().map(|(name, value)| read(name.len()).saturating_add(of_json(value)));
            each.fold(0, u64::saturating_add)
        }
        _ => 1,
    }
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // as the server calculates
fn read(length: usize) -> u64 {
    (length as f64 * CHARACTER) as u64
}
