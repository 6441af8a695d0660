//! The arguments of one command.

use std::{collections::BTreeMap, ffi::OsString};

/// The arguments of a command: values by position, and options with a value.
#[derive(Debug, Default, PartialEq)]
pub struct Arguments {
    /// The values by position.
    pub positional: Vec<OsString>,
    options: BTreeMap<&'static str, Vec<String>>,
    /// Whether `--help` is one of them.
    pub is_help: bool,
}

impl Arguments {
    /// Parses the arguments after a command, of which at most `max` have no option, or returns an error message. The names of
    /// options with a value end with `=`.
    pub fn parse(
        command: &str,
        arguments: impl IntoIterator<Item = OsString>,
        max: usize,
        options: &[&'static str],
    ) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let mut parsed = Self::default();
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy().into_owned();
            if text == "--help" || text == "-h" {
                parsed.is_help = true;
            } else if text.starts_with("--") {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (text.as_str(), None),
                };
                let known = options.iter().find(|option| option.trim_end_matches('=') == name);
                let known = *known.ok_or_else(|| format!("unknown option `{name}` of `{command}`"))?;
                let next = || arguments.next().map(|value| value.to_string_lossy().into_owned());
                let value = if known.ends_with('=') {
                    value.or_else(next).ok_or_else(|| format!("`{name}` requires a value"))?
                } else if value.is_some() {
                    return Err(format!("`{name}` has no value"));
                } else {
                    String::new()
                };
                parsed.options.entry(known.trim_end_matches('=')).or_default().push(value);
            } else if parsed.positional.len() < max {
                parsed.positional.push(argument);
            } else {
                return Err(format!("unexpected argument `{text}` of `{command}`"));
            }
        }
        Ok(parsed)
    }

    /// Returns whether an option is present.
    pub fn has(&self, name: &str) -> bool {
        self.options.contains_key(name)
    }

    /// Returns the last value of an option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.all(name).last().map(String::as_str)
    }

    /// Returns all values of an option.
    pub fn all(&self, name: &str) -> &[String] {
        self.options.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns whether the option `--format` requests JSON instead of text.
    pub fn is_json(&self) -> Result<bool, String> {
        self.choice("--format", &[("text", false), ("json", true)])
    }

    /// Returns the value of an option that is one of several words; the first one by default.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, String> {
        let Some(value) = self.option(name) else {
            return Ok(choices[0].1);
        };
        let found = choices.iter().find(|(word, _)| *word == value);
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let words: Vec<_> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
            format!("`{value}` is not a value of `{name}`: use one of {}", words.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Arguments, String> {
        Arguments::parse("diff", arguments.iter().map(OsString::from), 1, &["--format=", "--quiet"])
    }

    #[test]
    fn options_have_values() {
        for arguments in [&["a", "--format", "json"], &["--format=json", "a", "--help"][..]] {
            let parsed = parse(arguments).unwrap();
            assert_eq!((parsed.positional.len(), parsed.option("--format")), (1, Some("json")));
            assert_eq!(parsed.choice("--format", &[("text", 1), ("json", 2)]), Ok(2));
        }
        let quiet = parse(&["--quiet", "a"]).unwrap();
        assert!(quiet.has("--quiet") && !quiet.has("--format") && quiet.positional.len() == 1);
        assert_eq!(parse(&[]).unwrap().choice("--format", &[("text", 1), ("json", 2)]), Ok(1));
        for (arguments, mistake) in [
            (&["a", "b"][..], "unexpected argument `b` of `diff`"),
            (&["--fromat=json"], "unknown option `--fromat` of `diff`"),
            (&["--format"], "`--format` requires a value"),
            (&["--quiet=yes"], "`--quiet` has no value"),
        ] {
            assert_eq!(parse(arguments).unwrap_err(), mistake);
        }
        let wrong = parse(&["--format=yaml"]).unwrap().choice("--format", &[("text", 1), ("json", 2)]);
        assert_eq!(wrong.unwrap_err(), "`yaml` is not a value of `--format`: use one of `text`, `json`");
    }
}
