/// Returns the bytes of a JSON text that are outside of strings, each with its index. The text may be truncated.
pub(crate) fn outside_strings(json: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut bytes = json.bytes().enumerate();
    std::iter::from_fn(move || {
        loop {
            match bytes.next()? {
                (_, b'"') => pass_string(&mut bytes),
                outside => return Some(outside),
            }
        }
    })
}

/// Skips a string and its closing quote.
fn pass_string(bytes: &mut impl Iterator<Item = (usize, u8)>) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_skipped() {
        let outside = |json| outside_strings(json).collect::<Vec<_>>();
        assert_eq!(outside(r#"{"a\"{":1}"#), [(0, b'{'), (7, b':'), (8, b'1'), (9, b'}')]);
        assert_eq!(outside(r#"["\\",2"#), [(0, b'['), (5, b','), (6, b'2')]);
        for cut_off in ["", "\"", r#""a\"#, r#""a\""#] {
            assert_eq!(outside(cut_off), [], "{cut_off}");
        }
    }
}
