//! Texts in logs.

use std::fmt;

/// Displays a text on one line, for logs: line breaks and the following indentation become a space.
pub(crate) struct OneLine<T>(pub(crate) T);

impl<T: fmt::Display> fmt::Display for OneLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        if let Some(first) = lines.next() {
            write!(f, "{}", Printable(first))?;
        }
        lines.try_for_each(|line| write!(f, " {}", Printable(line)))
    }
}

/// Displays a text with escaped control characters.
struct Printable<'a>(&'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .chars()
            .try_for_each(|c| if c.is_control() { write!(f, "{}", c.escape_default()) } else { write!(f, "{c}") })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_are_logged_on_one_line() {
        let text = "cannot list pods: no; this rule would allow it:\n# in a ClusterRole\n- apiGroups: [\"\"]\n  verbs: [\"list\"]\u{1b}";
        let line = "cannot list pods: no; this rule would allow it: # in a ClusterRole - apiGroups: [\"\"] verbs: [\"list\"]\\u{1b}";
        assert_eq!(OneLine(text).to_string(), line);
        assert_eq!(OneLine("a\r\n\n b").to_string(), "a b");
    }

    proptest! {
        #[test]
        fn any_text_is_on_one_line(text in "(?s).{0,60}") {
            prop_assert!(!OneLine(&text).to_string().contains('\n'));
        }
    }
}
