//! Colors of a terminal.

/// Whether text has colors.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    colors: bool,
}

impl Style {
    /// Text without colors.
    pub const PLAIN: Self = Self { colors: false };

    /// Colors for a terminal, unless the environment variable `NO_COLOR` is set.
    pub(super) fn of_terminal(is_terminal: bool) -> Self {
        let is_off = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { colors: is_terminal && !is_off }
    }

    /// Makes a text bold.
    pub fn bold(self, text: &str) -> String {
        self.sequence("1", text)
    }

    /// Makes a text less visible.
    pub fn dim(self, text: &str) -> String {
        self.sequence("2", text)
    }

    /// Colors a text by a severity.
    pub(super) fn severity(self, severity: &str, text: &str) -> String {
        let code = match severity {
            "breaking" | "error" => "31",
            "risky" | "warning" => "33",
            "compatible" => "32",
            _ => "2",
        };
        self.sequence(code, text)
    }

    fn sequence(self, code: &str, text: &str) -> String {
        if self.colors { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_have_colors() {
        assert_eq!(Style { colors: true }.severity("breaking", "a"), "\x1b[31ma\x1b[0m");
        assert_eq!(Style::PLAIN.bold("a"), "a");
        assert_eq!(Style::of_terminal(false).dim("a"), "a");
    }
}
