//! The memory that decoded JSON takes, from its text.

use memchr::memchr2;

/// A map or a struct: `{"":0}` takes 660 bytes as a `Value`, and a container of a Pod without fields 900.
const OBJECT: usize = 256;
const ARRAY: usize = 64;
/// A string beside its text: its place in a tree, and the allocation.
const TEXT: usize = 48;
/// An element or member of another form.
const ELEMENT: usize = 32;

/// Estimates how much memory JSON takes once it is decoded: within a factor of three for any text, and too much for most objects.
///
/// Text that is no JSON has some size.
pub(crate) fn decoded_size(json: &[u8]) -> usize {
    let mut size = 0;
    let mut rest = json;
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b'{' => size += OBJECT,
            b'[' => size += ARRAY,
            b',' => size += ELEMENT,
            b'"' => {
                let length = string_length(after);
                rest = &after[length..];
                size += TEXT + length;
            }
            _ => {}
        }
    }
    size
}

/// Returns the length of a string with its closing quote.
fn string_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr2(b'"', b'\\', &text[at..]) {
        at += found + 1;
        if text[at - 1] == b'"' {
            return at;
        }
        // The character after a backslash ends nothing.
        at = (at + 1).min(text.len());
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_skipped() {
        assert_eq!(decoded_size(br#""{[,\"{\\""#), TEXT + 9);
        assert_eq!(decoded_size(br#"{"a":"\\","b":[1,2]}"#), OBJECT + 3 * TEXT + 2 + 3 + 2 + 2 * ELEMENT + ARRAY);
        for unfinished in ["\"", "\"\\", "\"abc\\\"", "{\"a", ""] {
            assert!(decoded_size(unfinished.as_bytes()) < 1000);
        }
    }

    #[test]
    fn small_texts_with_large_values_are_large() {
        for element in ["{},", "[[[]]],", "{\"\":0},", "\"\",", "0,"] {
            let text = format!("[{}0]", element.repeat(1000));
            let value = serde_json::from_str::<serde_json::Value>(&text).unwrap();
            let least = value.as_array().unwrap().len() * size_of::<serde_json::Value>();
            assert!(decoded_size(text.as_bytes()) >= least, "{element}");
        }
    }
}
