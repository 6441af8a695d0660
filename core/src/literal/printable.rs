//! Printable text, as Go's `unicode.IsPrint` has it.

use alloc::vec::Vec;

use super::unicode;

/// The first character that is not printable, and where it stands, in bytes; none if all are. Of spaces, only the ASCII one is.
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

/// The characters that are printable: letters, marks, numbers, punctuation, symbols and the ASCII space.
#[derive(Clone, Debug)]
pub struct Printable(Vec<(u32, u32)>);

impl Printable {
    /// The table, which takes a moment to read.
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
