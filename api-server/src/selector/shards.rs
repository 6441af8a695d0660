//! Shard selectors: ranges of the hashes of a field.

use crdkit::__internal::fnv_hash as hash;
use serde_json::Value;

/// A parsed shard selector, such as `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')`.
#[derive(Debug, Default)]
pub(crate) struct ShardSelector {
    field: &'static str,
    ranges: Vec<(String, String)>,
}

/// Parses the parameter `shardSelector`. The error is the message of a response with the status 500.
pub(crate) fn parse(text: &str) -> Result<Option<ShardSelector>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let mut selector = ShardSelector::default();
    for call in text.split("||") {
        let (field, start, end) = parse_call(call).map_err(|error| format!("invalid shard selector: {error}"))?;
        if !selector.ranges.is_empty() && selector.field != field {
            return Err(format!(
                "invalid shard selector: all shard ranges must use the same field, got {:?} and {field:?}",
                selector.field
            ));
        }
        selector.field = field;
        selector.ranges.push((start, end));
    }
    Ok(Some(selector))
}

impl ShardSelector {
    pub(crate) fn matches(&self, object: &Value) -> bool {
        let field = self.field.rsplit('.').next().unwrap_or_default();
        let value = object["metadata"].get(field).and_then(Value::as_str).unwrap_or_default();
        let hash = format!("{:#018x}", hash(value));
        self.ranges.iter().any(|(start, end)| !is_less(&hash, start) && is_less(&hash, end))
    }

    /// Returns the selector as the server writes it.
    pub(crate) fn text(&self) -> String {
        let ranges = self.ranges.iter().map(|(start, end)| format!("shardRange({}, '{start}', '{end}')", self.field));
        ranges.collect::<Vec<_>>().join(" || ")
    }
}

fn parse_call(call: &str) -> Result<(&'static str, String, String), String> {
    let call = call.trim();
    let arguments: Vec<_> = call
        .strip_prefix("shardRange(")
        .and_then(|rest| rest.strip_suffix(')'))
        .ok_or_else(|| format!("expected shardRange() call or || operator, got {call:?}"))?
        .split(',')
        .map(str::trim)
        .collect();
    let [field, start, end] = arguments[..] else {
        return Err(format!("shardRange() requires exactly 3 arguments, got {}", arguments.len()));
    };
    const FIELDS: [&str; 2] = ["object.metadata.uid", "object.metadata.namespace"];
    let field = FIELDS.into_iter().find(|known| *known == field).ok_or_else(|| {
        format!("unsupported field path {field:?}; supported: object.metadata.uid, object.metadata.namespace")
    })?;
    let (start, end) = (parse_hash(start, "hexStart")?, parse_hash(end, "hexEnd")?);
    if is_less(&start, &end) {
        Ok((field, start, end))
    } else {
        Err(format!("shard range start {start} must be less than end {end}"))
    }
}

fn parse_hash(literal: &str, name: &str) -> Result<String, String> {
    let quoted = |quote| literal.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    let text = quoted('\'').or_else(|| quoted('"')).ok_or_else(|| format!("{name} must be a string literal"))?;
    let digits = text.strip_prefix("0x").ok_or_else(|| format!("{name} must have '0x' prefix, got {text:?}"))?;
    if let Some(other) = digits.chars().find(|it| !matches!(it, '0'..='9' | 'a'..='f')) {
        return Err(format!("{name}: invalid hex character {:?} in {text:?}", other.to_string()));
    }
    match digits.len() {
        0 => Err(format!("{name}: hex value is required after '0x'")),
        16 => Ok(text.to_owned()),
        17 if text == "0x10000000000000000" => Ok(text.to_owned()),
        17 => Err(format!("{name}: 17-digit hex value must be '0x10000000000000000' (2^64), got {text:?}")),
        length @ 18.. => Err(format!("{name}: hex value too long ({length} chars, max 17): {digits:?}")),
        _ => Err(format!(
            "{name} must be a 0x-prefixed 16-digit hex value, got {text:?} (did you mean {:?}?)",
            format!("0x{digits:0>16}")
        )),
    }
}

/// Whether a hash is less than another one. They have prefixes and, but for the last end, the same length.
fn is_less(one: &str, other: &str) -> bool {
    (one.len(), one) < (other.len(), other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_selected_by_the_hash_of_their_uid() {
        let text = "shardRange( object.metadata.uid , \"0x8000000000000000\" ,'0xb000000000000000')||shardRange(object.metadata.uid,'0xf000000000000000','0x10000000000000000')";
        let selector = parse(text).unwrap().unwrap();
        let matches = |uid: &str| selector.matches(&json!({ "metadata": { "uid": uid } }));
        // Their hashes begin with `a`, `8` and `c`.
        assert_eq!(["a", "foobar", ""].map(matches), [true, true, false]);
        assert_eq!(
            selector.text(),
            "shardRange(object.metadata.uid, '0x8000000000000000', '0xb000000000000000') || \
             shardRange(object.metadata.uid, '0xf000000000000000', '0x10000000000000000')"
        );
    }

    #[test]
    fn malformed_selectors_are_refused() {
        let range = |start: &str, end: &str| format!("shardRange(object.metadata.uid, {start}, {end})");
        let uid = range("'0x0000000000000000'", "'0x8000000000000000'");
        for (text, part) in [
            (range("'0x0'", "'0x8000000000000000'"), "did you mean \"0x0000000000000000\""),
            (range("0", "8"), "hexStart must be a string literal"),
            (range("'0x8000000000000000'", "'0x8000000000000000'"), "must be less than end"),
            (range("'0x0000000000000000'", "'0x20000000000000000'"), "17-digit hex value"),
            (uid.replace("uid", "name"), "unsupported field path \"object.metadata.name\""),
            (format!("{uid} || {}", uid.replace("uid", "namespace")), "must use the same field"),
            (format!("{uid} && {uid}"), "arguments"),
            ("everything".to_owned(), "expected shardRange() call"),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.starts_with("invalid shard selector: ") && error.contains(part), "{error}");
        }
    }
}
