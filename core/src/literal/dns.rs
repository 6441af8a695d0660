//! DNS names, and the names that Kubernetes derives from them.

use alloc::string::String;

mod wording;

pub use wording::{
    KIND, LABEL_1035, LABEL_1123, LABEL_1123_WITH_DOTS, LABEL_VALUE, SUBDOMAIN, Wording, label_1123_messages,
};

/// The maximum length of a label.
pub const MAX_LABEL: usize = 63;
/// The maximum length of a subdomain.
pub const MAX_SUBDOMAIN: usize = 253;

/// Why a name is invalid. The server reports an error for each flag that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameError {
    /// It is longer than allowed.
    pub is_too_long: bool,
    /// It does not match the pattern.
    pub is_malformed: bool,
}

/// Why a qualified name is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QualifiedNameError {
    /// It has more than one slash.
    Slashes,
    /// It has one or two parts, at least one of which is invalid.
    Parts {
        /// The error of the prefix.
        prefix: Option<NamePartError>,
        /// The error of the name.
        name: Option<NamePartError>,
    },
}

/// Why a part of a qualified name is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamePartError {
    /// It is empty.
    Empty,
    /// It is invalid otherwise.
    Other(NameError),
}

/// Validates a label of RFC 1035: `[a-z]([-a-z0-9]*[a-z0-9])?`, at most 63 bytes.
///
/// # Errors
///
/// If it is invalid.
pub const fn label_1035(text: &str) -> Result<(), NameError> {
    let bytes = text.as_bytes();
    let starts = !bytes.is_empty() && bytes[0].is_ascii_lowercase();
    into_result(bytes.len() > MAX_LABEL, !starts || !is_part(bytes, 0, bytes.len()))
}

/// Validates a label of RFC 1123: `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, at most 63 bytes.
///
/// # Errors
///
/// If it is invalid.
pub const fn label_1123(text: &str) -> Result<(), NameError> {
    let bytes = text.as_bytes();
    into_result(bytes.len() > MAX_LABEL, !is_part(bytes, 0, bytes.len()))
}

/// Validates a subdomain of RFC 1123: labels of any length, separated by dots, at most 253 bytes.
///
/// # Errors
///
/// If it is invalid.
pub const fn subdomain(text: &str) -> Result<(), NameError> {
    let bytes = text.as_bytes();
    into_result(bytes.len() > MAX_SUBDOMAIN, !is_subdomain(bytes, 0, bytes.len()))
}

/// Validates a kind: a label of RFC 1035 after conversion to lower case.
///
/// The conversion follows Unicode: the Kelvin sign becomes `k`, and the dotted `İ` becomes `i`.
///
/// # Errors
///
/// If it is invalid.
pub const fn kind(text: &str) -> Result<(), NameError> {
    let bytes = text.as_bytes();
    let (mut at, mut length) = (0, 0);
    let mut last = b'-';
    let mut is_malformed = false;
    while at < bytes.len() {
        let (width, read) = lower(bytes, at);
        is_malformed |= match read {
            b'a'..=b'z' => false,
            b'0'..=b'9' | b'-' => length == 0,
            _ => true,
        };
        last = read;
        at += width;
        length += 1;
    }
    into_result(length > MAX_LABEL, is_malformed || last == b'-')
}

/// Returns the width of a character, and its lower case if that is ASCII. Other characters are processed byte by byte.
const fn lower(bytes: &[u8], at: usize) -> (usize, u8) {
    if at + 1 < bytes.len() && bytes[at] == 0xC4 && bytes[at + 1] == 0xB0 {
        return (2, b'i');
    }
    if at + 2 < bytes.len() && bytes[at] == 0xE2 && bytes[at + 1] == 0x84 && bytes[at + 2] == 0xAA {
        return (3, b'k');
    }
    (1, bytes[at].to_ascii_lowercase())
}

/// Validates the value of a label: empty, or at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
///
/// # Errors
///
/// If it is invalid.
pub const fn label_value(text: &str) -> Result<(), NameError> {
    let bytes = text.as_bytes();
    into_result(bytes.len() > MAX_LABEL, !bytes.is_empty() && !is_name(bytes, 0))
}

/// Validates a qualified name: `name`, or `prefix/name` with a prefix that is a subdomain.
///
/// # Errors
///
/// If it is invalid.
pub const fn qualified_name(text: &str) -> Result<(), QualifiedNameError> {
    let bytes = text.as_bytes();
    let (mut slashes, mut slash) = (0, 0);
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'/' {
            slashes += 1;
            slash = at;
        }
        at += 1;
    }
    let (prefix, start) = match slashes {
        0 => (None, 0),
        1 if slash == 0 => (Some(NamePartError::Empty), 1),
        1 => {
            let is_malformed = !is_subdomain(bytes, 0, slash);
            let error = name_part_error(slash > MAX_SUBDOMAIN, is_malformed);
            (error, slash + 1)
        }
        _ => return Err(QualifiedNameError::Slashes),
    };
    let length = bytes.len() - start;
    let name = match length {
        0 => Some(NamePartError::Empty),
        _ => name_part_error(length > MAX_LABEL, !is_name(bytes, start)),
    };
    match (prefix, name) {
        (None, None) => Ok(()),
        (prefix, name) => Err(QualifiedNameError::Parts { prefix, name }),
    }
}

/// Validates the key of an annotation: a qualified name after conversion to lower case.
///
/// # Errors
///
/// If it is invalid.
pub fn annotation_key(text: &str) -> Result<(), QualifiedNameError> {
    qualified_name(&to_lower(text))
}

/// Converts a string to lower case as Go does: each character becomes one character.
pub fn to_lower(text: &str) -> String {
    let lower = |c: char| match c {
        '\u{130}' => 'i',
        _ => c.to_lowercase().next().unwrap_or(c),
    };
    text.chars().map(lower).collect()
}

const fn name_part_error(is_too_long: bool, is_malformed: bool) -> Option<NamePartError> {
    match into_result(is_too_long, is_malformed) {
        Ok(()) => None,
        Err(error) => Some(NamePartError::Other(error)),
    }
}

const fn into_result(is_too_long: bool, is_malformed: bool) -> Result<(), NameError> {
    if is_too_long || is_malformed {
        return Err(NameError { is_too_long, is_malformed });
    }
    Ok(())
}

/// `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
const fn is_part(bytes: &[u8], start: usize, end: usize) -> bool {
    if start >= end || bytes[start] == b'-' || bytes[end - 1] == b'-' {
        return false;
    }
    let mut at = start;
    while at < end {
        if !matches!(bytes[at], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_subdomain(bytes: &[u8], start: usize, end: usize) -> bool {
    let mut before = b'.';
    let mut at = start;
    while at < end {
        let byte = bytes[at];
        let is_inner = match byte {
            b'a'..=b'z' | b'0'..=b'9' => true,
            b'-' => before != b'.',
            b'.' => before != b'.' && before != b'-',
            _ => false,
        };
        if !is_inner {
            return false;
        }
        before = byte;
        at += 1;
    }
    before != b'.' && before != b'-'
}

/// `([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]`
const fn is_name(bytes: &[u8], start: usize) -> bool {
    let end = bytes.len();
    if start >= end || !bytes[start].is_ascii_alphanumeric() || !bytes[end - 1].is_ascii_alphanumeric() {
        return false;
    }
    let mut at = start;
    while at < end {
        if !matches!(bytes[at], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.') {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Result<(), NameError> = into_result(true, false);
    const BAD: Result<(), NameError> = into_result(false, true);
    const BOTH: Result<(), NameError> = into_result(true, true);

    #[test]
    fn labels() {
        for valid in ["v1", "v1alpha1", "foo", "a-b", "a--b", "a", &"a".repeat(63)] {
            assert_eq!(label_1035(valid), Ok(()), "{valid}");
        }
        for invalid in ["", "V1", "1v", "v1.0", "v1_1", "v-", "-v", "a b", "ä", "a\n"] {
            assert_eq!(label_1035(invalid), BAD, "{invalid}");
        }
        assert_eq!(label_1035(&"a".repeat(64)), LONG);
        assert_eq!(label_1035(&"A".repeat(64)), BOTH);
        assert_eq!(label_1123("1v"), Ok(()));
        assert_eq!(label_1123("1-"), BAD);
    }

    #[test]
    fn subdomains() {
        for valid in ["example.com", "a.b", "1a.2b", "x-y.z", "nodot"] {
            assert_eq!(subdomain(valid), Ok(()), "{valid}");
        }
        let invalid = ["", "Example.com", "a_b.c", "a..b", ".a", "a.", "-a.b", "a.b-", "a.-b", "a-.b"];
        for invalid in invalid {
            assert_eq!(subdomain(invalid), BAD, "{invalid}");
        }
        assert_eq!(subdomain(&"a".repeat(253)), Ok(()));
        assert_eq!(subdomain(&"a".repeat(254)), LONG);
    }

    #[test]
    fn kinds() {
        let valid = ["Y", "VirtualMachine", "My-Foo", "Foo2", "\u{212a}ind", "\u{130}p"];
        for valid in valid {
            assert_eq!(kind(valid), Ok(()), "{valid}");
        }
        for invalid in ["", "My_Foo", "2Foo", "Foo Bar", "Föö", "-a", "a-", "\u{212b}"] {
            assert_eq!(kind(invalid), BAD, "{invalid}");
        }
        assert_eq!(kind(&"\u{212a}".repeat(63)), Ok(()));
        assert_eq!(kind(&"A".repeat(64)), LONG);
    }

    #[test]
    fn qualified_names() {
        for valid in ["app", "example.com/app", "a_b.c-d", "1/A"] {
            assert_eq!(qualified_name(valid), Ok(()), "{valid}");
        }
        for invalid in ["", "a b", "/a", "a/", "a/b/c", "Example.com/app", "-a", "a./b"] {
            assert!(qualified_name(invalid).is_err(), "{invalid}");
        }
        for valid in ["Example.com/app", "EXAMPLE.com/\u{130}\u{212a}"] {
            assert_eq!(annotation_key(valid), Ok(()), "{valid}");
        }
        assert!(annotation_key("Ä").is_err());
        let both = QualifiedNameError::Parts { prefix: Some(NamePartError::Empty), name: Some(NamePartError::Empty) };
        assert_eq!(qualified_name("/"), Err(both));
    }

    #[test]
    fn label_values() {
        for valid in ["", "a", "A.b_c-d", &"a".repeat(63)] {
            assert_eq!(label_value(valid), Ok(()), "{valid}");
        }
        for invalid in ["-a", "a.", "b c", "ä"] {
            assert_eq!(label_value(invalid), BAD, "{invalid}");
        }
        assert_eq!(label_value(&"a".repeat(64)), LONG);
    }
}
