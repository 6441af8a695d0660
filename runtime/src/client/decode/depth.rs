//! Nesting depth and object count of JSON.

use super::Failure;
use crate::{
    client::{error::JsonError, limits::MAX_DEPTH},
    json::outside_strings::outside_strings,
};

/// Checks that a text is not nested deeper than allowed. The maximum of serde_json is left to serde_json.
pub(crate) fn check(json: &str, allowed: usize) -> Result<(), Failure> {
    if allowed < MAX_DEPTH && is_deeper(json, allowed) { Err(JsonError::too_deep(allowed).into()) } else { Ok(()) }
}

/// Returns whether objects and lists in a text are nested deeper than `than`.
pub(super) fn is_deeper(json: &str, than: usize) -> bool {
    let mut depth = 0_usize;
    for (_, byte) in outside_strings(json) {
        match byte {
            b'{' | b'[' if depth == than => return true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Returns whether a text has more than `than` objects.
pub(crate) fn has_more_objects(json: &str, than: usize) -> bool {
    let objects = outside_strings(json).filter(|(_, byte)| *byte == b'{');
    objects.take(than.saturating_add(1)).count() > than
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn objects_and_lists_count_but_texts_do_not() {
        for (json, depth) in [
            ("3", 0),
            ("{}", 1),
            (r#"{"a":[],"b":[],"[[[":"{{{"}"#, 2),
            (r#"[{"a\"[{":"\\"},[{}]]"#, 3),
            (r#"["\\",["\\\"["]]"#, 2),
        ] {
            serde_json::from_str::<Value>(json).unwrap();
            assert!(!is_deeper(json, depth), "{json}");
            assert!(depth == 0 || is_deeper(json, depth - 1), "{json}");
        }
        for cut_off in ["\"", r#"{"a\"#, "]]["] {
            assert!(!is_deeper(cut_off, 1), "{cut_off}");
        }
    }

    #[test]
    fn depth_equals_that_of_serde_json() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [1, MAX_DEPTH, MAX_DEPTH + 1] {
            let error = serde_json::from_str::<Value>(&nested(depth)).err();
            let allowed = error.and_then(|error| JsonError::from(error).allowed_depth());
            assert_eq!(allowed, (depth > MAX_DEPTH).then_some(MAX_DEPTH));
            assert_eq!(is_deeper(&nested(depth), MAX_DEPTH), depth > MAX_DEPTH);
        }
    }
}
