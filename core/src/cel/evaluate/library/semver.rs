//! Semantic versions, with the errors of the module `blang/semver`.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::cmp::Ordering;

use crate::go::quote;

/// A semantic version.
#[derive(Clone, Debug)]
pub(in crate::cel) struct Semver {
    pub(in crate::cel::evaluate) numbers: [u64; 3],
    prerelease: Vec<Identifier>,
}

/// A part of a prerelease. A number is less than a word.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Word(String),
}

impl Semver {
    /// Parses a version. The error is the server's.
    pub(in crate::cel::evaluate) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".into());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let &[major, minor, rest] = parts.as_slice() else {
            return Err("No Major.Minor.Patch elements found".into());
        };
        let major = number(major, "major", "Major")?;
        let minor = number(minor, "minor", "Minor")?;
        let (rest, build) = split(rest, '+');
        let (patch, prerelease) = split(rest, '-');
        let patch = number(patch, "patch", "Patch")?;
        let prerelease = prerelease.into_iter().flat_map(|text| text.split('.')).map(identifier);
        let prerelease: Vec<_> = prerelease.collect::<Result<_, _>>()?;
        for part in build.into_iter().flat_map(|text| text.split('.')) {
            if part.is_empty() {
                return Err("Build meta data is empty".into());
            }
            if !part.bytes().all(is_of_word) {
                return Err(format!("Invalid character(s) found in build meta data {}", quote(part)));
            }
        }
        Ok(Self { numbers: [major, minor, patch], prerelease })
    }

    /// Parses a version that may start with `v`, may lack the last numbers and may have leading zeros.
    pub(in crate::cel::evaluate) fn parse_tolerant(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err("short version cannot contain PreRelease/Build meta data".into());
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }

    pub(in crate::cel::evaluate) fn order(&self, other: &Self) -> Ordering {
        let by_numbers = self.numbers.cmp(&other.numbers);
        by_numbers.then_with(|| match (self.prerelease.is_empty(), other.prerelease.is_empty()) {
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => self.prerelease.cmp(&other.prerelease),
        })
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn without_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_string();
    }
    let rest = part.trim_start_matches('0');
    if rest.starts_with(|first: char| first.is_ascii_digit()) { rest.to_string() } else { format!("0{rest}") }
}

fn has_leading_zeros(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn number(text: &str, name: &str, capitalized: &str) -> Result<u64, String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("Invalid character(s) found in {name} number {}", quote(text)));
    }
    if has_leading_zeros(text) {
        return Err(format!("{capitalized} number must not contain leading zeroes {}", quote(text)));
    }
    parsed(text)
}

/// Parses digits, with the error of Go's `strconv`.
fn parsed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let why = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {why}", quote(text))
    })
}

const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".into());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        if has_leading_zeros(text) {
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {}", quote(text)));
        }
        return parsed(text).map(Identifier::Number);
    }
    if !text.bytes().all(is_of_word) {
        return Err(format!("Invalid character(s) found in prerelease {}", quote(text)));
    }
    Ok(Identifier::Word(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order() {
        let versions = ["1.0.0-1", "1.0.0-2", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0", "1.2.0", "2.0.0"];
        for pair in versions.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|text| Semver::parse(text).unwrap());
            assert_eq!(one.order(&other), Ordering::Less, "{pair:?}");
        }
        let build = Semver::parse("1.0.0+a.1").unwrap();
        assert_eq!(build.order(&Semver::parse("1.0.0").unwrap()), Ordering::Equal);
        assert_eq!(Semver::parse_tolerant("v01.2").unwrap().numbers, [1, 2, 0]);
    }

    #[test]
    fn mistakes() {
        for (text, message) in [
            ("", "Version string empty"),
            ("1.2", "No Major.Minor.Patch elements found"),
            ("a.1.1", "Invalid character(s) found in major number \"a\""),
            ("1.01.1", "Minor number must not contain leading zeroes \"01\""),
            ("1..1", "strconv.ParseUint: parsing \"\": invalid syntax"),
            ("1.1.1-", "Prerelease is empty"),
            ("1.1.1-a_", "Invalid character(s) found in prerelease \"a_\""),
            ("1.1.1+", "Build meta data is empty"),
        ] {
            assert_eq!(Semver::parse(text).unwrap_err(), message);
        }
        assert!(Semver::parse_tolerant("1-a").is_err());
    }
}
