//! Printable characters, as defined by Go's `unicode.IsPrint`.

use alloc::vec::Vec;

use super::unicode;

/// Returns the first character that is not printable and its byte index, if there is one. The only printable space is the
/// ASCII one.
pub fn first_unprintable(text: &str) -> Option<(usize, char)> {
    if let Some(at) = text.bytes().position(|byte| !(b' '..=b'~').contains(&byte)) {
        let table = Printable::new();
        let mut rest = text[at..].char_indices();
        return rest
            .find(|(_, character)| !table.contains(*character))
            .map(|(after, character)| (at + after, character));
    }
    None
}

/// The set of printable characters: letters, marks, numbers, punctuation, symbols and the ASCII space.
#[derive(Clone, Debug)]
pub struct Printable(Vec<(u32, u32)>);

impl Printable {
    /// Reads the table, which takes some time.
    pub fn new() -> Self {
        Self(unicode::union(&["L", "M", "N", "P", "S"]))
    }

    /// Whether the character is printable.
    pub fn contains(&self, character: char) -> bool {
        character == ' ' || unicode::contains(&self.0, character)
    }
}

impl Default for Printable {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::first_unprintable;

    #[test]
    fn the_first_one() {
        for (text, expected) in [
            ("", None),
            ("plain text~", None),
            ("größer ☃", None),
            ("a\tb", Some(1)),
            ("é\u{a0}", Some(2)),
            ("soft\u{ad}hyphen", Some(4)),
            ("a\u{7f}", Some(1)),
            ("\u{fffd}", None),
        ] {
            assert_eq!(first_unprintable(text).map(|it| it.0), expected, "{text:?}");
        }
    }
}
