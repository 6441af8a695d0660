//! String operations for const evaluation.

/// Whether two strings are equal.
pub const fn equal(a: &str, b: &str) -> bool {
    equal_bytes(a.as_bytes(), b.as_bytes())
}

/// Whether two byte strings are equal.
pub const fn equal_bytes(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Whether a list contains a string.
pub const fn contains(words: &[&str], word: &str) -> bool {
    let mut at = 0;
    while at < words.len() {
        if equal(words[at], word) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns the last character boundary at or before `end`, like `str::floor_char_boundary` of newer compilers.
pub const fn floor_char_boundary(text: &str, end: usize) -> usize {
    let mut end = if end < text.len() { end } else { text.len() };
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}
