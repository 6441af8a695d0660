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
    let (mut a, mut b) = (a, b);
    // Each step costs in const evaluation, so most steps take four bytes.
    loop {
        match (a, b) {
            ([a0, a1, a2, a3, rest_of_a @ ..], [b0, b1, b2, b3, rest_of_b @ ..]) => {
                if *a0 != *b0 || *a1 != *b1 || *a2 != *b2 || *a3 != *b3 {
                    return false;
                }
                (a, b) = (rest_of_a, rest_of_b);
            }
            ([a0, rest_of_a @ ..], [b0, rest_of_b @ ..]) => {
                if *a0 != *b0 {
                    return false;
                }
                (a, b) = (rest_of_a, rest_of_b);
            }
            _ => return true,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_all_bytes_in_common() {
        let text = "a text of 18 bytes";
        for end in 0..text.len() {
            assert!(equal(&text[..end], &text[..end]));
            assert!(!equal(&text[..end], text));
            let other = [&text[..end], "?", &text[end + 1..]].concat();
            assert!(!equal(text, &other), "{other}");
        }
    }
}
