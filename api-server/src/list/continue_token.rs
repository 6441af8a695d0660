//! The tokens for the next page of a list, in the form of the server, which clients treat as opaque.

use base64::{DecodeError, Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use crate::{decode, store::Key};

const VERSION: &str = "meta.k8s.io/v1";
/// The revision of a token whose rest of the list is that of the current objects.
const CURRENT: i64 = -1;

/// The position after a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Continue {
    /// The revision of the list; `None` for that of the current objects.
    pub(super) revision: Option<u64>,
    /// The last object of the page.
    pub(super) last: Key,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Token {
    #[serde(rename = "v")]
    version: String,
    #[serde(rename = "rv")]
    revision: i64,
    /// The path of the first object of the next page below that of the collection.
    start: String,
}

impl Continue {
    /// Returns the token of a list of one namespace, or of all objects.
    pub(super) fn encode(&self, namespace: Option<&str>) -> String {
        let Key { namespace: of_object, name } = &self.last;
        let start = match namespace {
            None if !of_object.is_empty() => format!("/{of_object}/{name}\0"),
            _ => format!("/{name}\0"),
        };
        let revision = self.revision.map_or(CURRENT, |it| i64::try_from(it).unwrap_or(i64::MAX));
        let token = Token { version: VERSION.to_owned(), revision, start };
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&token).expect("a token is JSON"))
    }

    /// Parses a token. The error is that of the server.
    pub(super) fn decode(token: &str, namespace: Option<&str>) -> Result<Self, String> {
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|error| {
            let at = match error {
                DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol { offset: at, .. } => at,
                // Go reports the start of the last group of four characters.
                DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => token.len() / 4 * 4,
            };
            format!("illegal base64 data at input byte {at}")
        })?;
        let value = decode::parse(&bytes, "application/json")?.object;
        let token = Token::deserialize(value).map_err(|error| error.to_string())?;
        if token.version != VERSION {
            return Err(format!("server does not recognize this encoded version {}", token.version));
        }
        if token.revision == 0 {
            return Err(format!("incorrect encoded start resourceVersion (version {VERSION})"));
        }
        if token.start.is_empty() {
            return Err(format!("encoded start key empty (version {VERSION})"));
        }
        let path = token.start.trim_start_matches('/').trim_end_matches('\0');
        let (of_path, name) = path.split_once('/').unwrap_or(("", path));
        let namespace = namespace.unwrap_or(of_path);
        Ok(Self { revision: token.revision.try_into().ok(), last: Key::new(namespace, name) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_back() {
        for (namespace, of_object) in [(None, "prod"), (Some("prod"), "prod"), (None, "")] {
            for revision in [Some(7), None] {
                let token = Continue { revision, last: Key::new(of_object, "web") };
                assert_eq!(Continue::decode(&token.encode(namespace), namespace), Ok(token));
            }
        }
    }

    #[test]
    fn a_token_is_that_of_the_server() {
        let token = Continue { revision: Some(243), last: Key::new("", "default") };
        let expected = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjQzLCJzdGFydCI6Ii9kZWZhdWx0XHUwMDAwIn0";
        assert_eq!(token.encode(None), expected);
    }

    #[test]
    fn other_texts_are_refused() {
        for (token, expected) in [
            ("!!", "illegal base64 data at input byte 0"),
            ("abcde", "illegal base64 data at input byte 4"),
            ("abcd", "invalid character 'i' looking for beginning of value"),
            ("eyJhIjoxfQ", "server does not recognize this encoded version "),
            ("eyJ2IjoieCJ9", "server does not recognize this encoded version x"),
        ] {
            assert_eq!(Continue::decode(token, None).unwrap_err(), expected, "{token}");
        }
    }
}
