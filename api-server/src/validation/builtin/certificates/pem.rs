//! Blocks of PEM, as Go's `encoding/pem` finds them.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::request::Der;

/// A block.
pub(super) struct Block {
    pub(super) type_: String,
    has_headers: bool,
    pub(super) bytes: Vec<u8>,
}

/// Returns the bytes of a field, which JSON has in base64.
pub(super) fn bytes(value: &Value) -> Vec<u8> {
    value.as_str().and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default()
}

/// Returns the next block of a text, and what follows it. What is no block is skipped.
pub(super) fn next(text: &str) -> Option<(Block, &str)> {
    const BEGIN: &str = "-----BEGIN ";
    let mut rest = text;
    loop {
        let start = if rest.starts_with(BEGIN) { 0 } else { rest.find(&format!("\n{BEGIN}"))? + 1 };
        rest = &rest[start + BEGIN.len()..];
        if let Some(found) = block(rest) {
            return Some(found);
        }
    }
}

/// Reads a block after `-----BEGIN `.
fn block(text: &str) -> Option<(Block, &str)> {
    let (line, mut rest) = text.split_once('\n')?;
    let type_ = line.trim_end().strip_suffix("-----")?;
    let mut has_headers = false;
    while let Some((_, after)) = rest.split_once('\n').filter(|(line, _)| line.contains(": ")) {
        (has_headers, rest) = (true, after);
    }
    let (body, rest) = rest.split_once(&format!("-----END {type_}-----"))?;
    let digits: String = body.chars().filter(|it| !it.is_ascii_whitespace()).collect();
    let block = Block { type_: type_.to_owned(), has_headers, bytes: STANDARD.decode(digits).ok()? };
    Some((block, rest))
}

/// `validateCertificate`, without the contents of certificates.
pub(super) fn check_certificates(value: &Value) -> Result<(), String> {
    let data = bytes(value);
    let text = String::from_utf8_lossy(&data);
    if text.is_empty() {
        return Ok(());
    }
    let (mut rest, mut count) = (&*text, 0);
    while let Some((block, after)) = next(rest) {
        if block.type_ != "CERTIFICATE" {
            let found = crdkit_core::go::quote(&block.type_);
            return Err(format!("only CERTIFICATE PEM blocks are allowed, found {found}"));
        }
        if block.has_headers {
            return Err("no PEM block headers are permitted".to_owned());
        }
        if block.bytes.is_empty() {
            return Err("found CERTIFICATE PEM block containing 0 certificates".to_owned());
        }
        if Der::new(&block.bytes).sequence().is_err() {
            return Err("x509: malformed certificate".to_owned());
        }
        (rest, count) = (after, count + 1);
    }
    if count == 0 { Err("must contain at least one CERTIFICATE PEM block".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(text: &str) -> Result<(), String> {
        check_certificates(&json!(STANDARD.encode(text)))
    }

    #[test]
    fn blocks_are_found_between_other_text() {
        let (block, rest) = next("x\n-----BEGIN A B-----\nAQ\nI=\n-----END A B-----\nrest").unwrap();
        assert_eq!((block.type_.as_str(), &block.bytes[..], rest), ("A B", &[1, 2][..], "\nrest"));
        assert!(next("-----BEGIN A-----\nAQI=\n-----END B-----\n").is_none());
        assert!(next("-----BEGIN A-----\n?\n-----END A-----\n").is_none());
    }

    #[test]
    fn certificates_are_blocks_of_their_type() {
        let block = |type_: &str, body: &str| format!("-----BEGIN {type_}-----\n{body}\n-----END {type_}-----\n");
        assert_eq!(checked(""), Ok(()));
        assert_eq!(checked(&block("CERTIFICATE", "MAA=").repeat(2)), Ok(()));
        for (text, expected) in [
            ("none".to_owned(), "must contain at least one CERTIFICATE PEM block"),
            (block("KEY", "MAA="), "only CERTIFICATE PEM blocks are allowed, found \"KEY\""),
            (block("CERTIFICATE", "a: b\n\nMAA="), "no PEM block headers are permitted"),
            (block("CERTIFICATE", "MAU="), "x509: malformed certificate"),
        ] {
            assert_eq!(checked(&text), Err(expected.to_owned()));
        }
    }
}
