//! URLs, with the methods of Go's `url.URL`.

use alloc::{
    borrow::ToOwned,
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::address::address_error;
use crate::{go::quote, literal::url};

/// A URL.
#[derive(Clone, Debug)]
pub(in crate::cel) struct WebAddress {
    pub(in crate::cel::evaluate) scheme: String,
    user: Option<String>,
    /// With the port.
    pub(in crate::cel::evaluate) host: String,
    /// As it is written.
    path: String,
    /// What follows the scheme of a URL without a path, such as `mailto:`.
    opaque: String,
    query: String,
    fragment: String,
}

impl WebAddress {
    /// Parses an absolute URL or a path. The error is the server's.
    pub(in crate::cel::evaluate) fn parse(text: &str) -> Result<Self, String> {
        let described = |text: &str, error: url::UrlError<'_>| {
            let why = match error {
                url::UrlError::Address(address) => address_error(&text_of(&unescaped(address, false))),
                _ => None,
            };
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            format!("URL parse error during conversion from string: parse {}: {error}{why}", quote(text))
        };
        url::parse_request(text).map_err(|error| described(text, error))?;
        let url = url::parse(text).map_err(|error| described(text, error))?;
        let is_opaque = !url.scheme.is_empty() && !url.path.starts_with('/') && url.host.is_empty();
        let (path, opaque) = if is_opaque { ("", url.path) } else { (url.path, "") };
        Ok(Self {
            scheme: url.scheme.to_ascii_lowercase(),
            user: url.user.map(ToOwned::to_owned),
            host: text_of(&unescaped(url.host, false)),
            path: path.to_owned(),
            opaque: opaque.to_owned(),
            query: url.query.to_owned(),
            fragment: url.fragment.to_owned(),
        })
    }

    fn host_and_port(&self) -> (&str, &str) {
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        match self.host.rsplit_once(':') {
            Some((host, port)) if is_port(port) => (host, port),
            _ => (&self.host, ""),
        }
    }

    pub(in crate::cel::evaluate) fn hostname(&self) -> &str {
        let (host, _) = self.host_and_port();
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        inner.unwrap_or(host)
    }

    pub(in crate::cel::evaluate) fn port(&self) -> &str {
        self.host_and_port().1
    }

    /// Returns the path as it is written, or escaped if it has other characters than paths have.
    pub(in crate::cel::evaluate) fn escaped_path(&self) -> String {
        if self.path.bytes().all(is_of_encoded_path) {
            self.path.clone()
        } else {
            escaped(&unescaped(&self.path, false))
        }
    }

    /// Returns the values of the query by their names. Malformed parts are skipped.
    pub(in crate::cel::evaluate) fn query(&self) -> BTreeMap<String, Vec<String>> {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for part in self.query.split('&').filter(|part| !part.is_empty() && !part.contains(';')) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if is_escaped(name) && is_escaped(value) {
                let [name, value] = [name, value].map(|text| text_of(&unescaped(text, true)));
                values.entry(name).or_default().push(value);
            }
        }
        values
    }

    /// Returns the text of the URL.
    pub(in crate::cel::evaluate) fn text(&self) -> String {
        let mut text = String::new();
        if !self.scheme.is_empty() {
            text.push_str(&self.scheme);
            text.push(':');
        }
        text.push_str(&self.opaque);
        if !self.host.is_empty() || self.user.is_some() {
            text.push_str("//");
            if let Some(user) = &self.user {
                text.push_str(user);
                text.push('@');
            }
            text.push_str(&self.host);
        }
        text.push_str(&self.escaped_path());
        if !self.query.is_empty() {
            text.push('?');
            text.push_str(&self.query);
        }
        if !self.fragment.is_empty() {
            text.push('#');
            text.push_str(&self.fragment);
        }
        text
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_string()
}

fn hex(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(at + 1)? * 16 + digit(at + 2)?)
}

/// Whether each `%` is followed by two hexadecimal digits.
fn is_escaped(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, byte)| *byte != b'%' || hex(bytes, at).is_some())
}

fn unescaped(text: &str, is_query: bool) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, hex(bytes, at)) {
            (b'%', Some(value)) => {
                plain.push(value);
                at += 2;
            }
            (b'+', _) if is_query => plain.push(b' '),
            (byte, _) => plain.push(*byte),
        }
        at += 1;
    }
    plain
}

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~')
}

/// Whether a written path can have a byte.
const fn is_of_encoded_path(byte: u8) -> bool {
    is_unreserved(byte)
        || matches!(
            byte,
            b'!' | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
                | b':'
                | b'@'
                | b'['
                | b']'
                | b'%'
                | b'/'
        )
}

fn escaped(path: &[u8]) -> String {
    let mut text = String::new();
    for byte in path {
        match byte {
            b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'@' => text.push(char::from(*byte)),
            byte if is_unreserved(*byte) => text.push(char::from(*byte)),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let url = WebAddress::parse("HTTPS://u:p@[::1]:80/a%20b/\u{e4}?x=1&y=a+b&x=%20&z;=1&w=%zz#f").unwrap();
        assert_eq!((&*url.scheme, &*url.host, url.hostname(), url.port()), ("https", "[::1]:80", "::1", "80"));
        assert_eq!(url.escaped_path(), "/a%20b/%C3%A4");
        let query: Vec<_> = url.query().into_iter().collect();
        let expected = [("x", alloc::vec!["1", " "]), ("y", alloc::vec!["a b"])];
        assert!(
            query.iter().eq(&expected
                .map(|(name, values)| { (name.to_string(), values.into_iter().map(ToString::to_string).collect()) }))
        );
        assert_eq!(WebAddress::parse("/a?b#c").unwrap().text(), "/a?b#c");
        assert_eq!(WebAddress::parse("mailto:a@b").unwrap().text(), "mailto:a@b");
        let error = WebAddress::parse("a b").unwrap_err();
        assert_eq!(error, "URL parse error during conversion from string: parse \"a b\": invalid URI for request");
    }
}
