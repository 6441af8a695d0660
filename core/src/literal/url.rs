//! URLs, as parsed by Go's `net/url`.

use core::{
    fmt,
    net::{Ipv4Addr, Ipv6Addr},
};

use crate::{go::quote, text::floor_char_boundary};

/// A parsed URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url<'a> {
    /// The scheme in its original case; empty if there is none.
    pub scheme: &'a str,
    /// The user information before the `@` of the host.
    pub user: Option<&'a str>,
    /// The host and its port; empty if there is none.
    pub host: &'a str,
    /// The path as it is written, or all that follows the scheme if it does not begin with a slash.
    pub path: &'a str,
    /// The query, after the `?`.
    pub query: &'a str,
    /// The fragment, after the `#`.
    pub fragment: &'a str,
}

/// Why a string is not a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlError<'a> {
    /// It has a control character.
    ControlCharacter,
    /// It is empty.
    Empty,
    /// It begins with a colon.
    NoScheme,
    /// It has neither a scheme nor an absolute path.
    Relative,
    /// It has no scheme, and a colon before the first slash.
    ColonInFirstSegment,
    /// It has a `%` that is not followed by two hexadecimal digits, or an escape that the host cannot have.
    Escape(&'a str),
    /// Its host has an invalid character.
    HostCharacter(&'a str),
    /// Its port is not a number.
    Port(&'a str),
    /// It has text before a `[`.
    Bracket,
    /// It has a `[` without a `]`.
    OpenBracket,
    /// This text in brackets is not an IPv6 address.
    Address(&'a str),
    /// The user information has an invalid character.
    User,
}

impl<'a> UrlError<'a> {
    /// Returns Go's text: its begin, the part that it quotes, and its end.
    pub const fn parts(self) -> (&'static str, Option<&'a str>, &'static str) {
        match self {
            Self::ControlCharacter => ("net/url: invalid control character in URL", None, ""),
            Self::Empty => ("empty url", None, ""),
            Self::NoScheme => ("missing protocol scheme", None, ""),
            Self::Relative => ("invalid URI for request", None, ""),
            Self::ColonInFirstSegment => ("first path segment in URL cannot contain colon", None, ""),
            Self::Escape(part) => ("invalid URL escape ", Some(part), ""),
            Self::HostCharacter(part) => ("invalid character ", Some(part), " in host name"),
            Self::Port(part) => ("invalid port ", Some(part), " after host"),
            Self::Bracket => ("invalid IP-literal", None, ""),
            Self::OpenBracket => ("missing ']' in host", None, ""),
            Self::Address(_) => ("invalid host", None, ""),
            Self::User => ("net/url: invalid userinfo", None, ""),
        }
    }
}

/// Go's text.
impl fmt::Display for UrlError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (begin, part, end) = self.parts();
        f.write_str(begin)?;
        if let Some(part) = part {
            f.write_str(&quote(part))?;
        }
        f.write_str(end)
    }
}

/// Parses a URL, as `url.Parse` does.
///
/// # Errors
///
/// If it is invalid.
pub fn parse(text: &str) -> Result<Url<'_>, UrlError<'_>> {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let url = read(text, false)?;
    unescaped(fragment, UrlPart::Path)?;
    Ok(Url { fragment, ..url })
}

/// Parses the URL of a request, as `url.ParseRequestURI` does: absolute, or an absolute path, without a fragment.
///
/// # Errors
///
/// If it is invalid.
pub fn parse_request(text: &str) -> Result<Url<'_>, UrlError<'_>> {
    read(text, true)
}

/// A part of a URL, by its escaping rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UrlPart {
    Host,
    Zone,
    /// A path, a fragment, or a user.
    Path,
}

fn read(text: &str, is_request: bool) -> Result<Url<'_>, UrlError<'_>> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        return Err(UrlError::ControlCharacter);
    }
    if text.is_empty() && is_request {
        return Err(UrlError::Empty);
    }
    let mut url = Url { scheme: "", user: None, host: "", path: "", query: "", fragment: "" };
    if text == "*" {
        url.path = text;
        return Ok(url);
    }
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.query = query;
    url.path = rest;
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Ok(url);
        }
        if is_request {
            return Err(UrlError::Relative);
        }
        let segment = rest.split('/').next().unwrap_or_default();
        if segment.contains(':') {
            return Err(UrlError::ColonInFirstSegment);
        }
    }
    let may_have_host = !scheme.is_empty() || !is_request && !rest.starts_with("///");
    let mut path = rest;
    if let Some(authority) = rest.strip_prefix("//").filter(|_| may_have_host) {
        let end = authority.find('/').unwrap_or(authority.len());
        let (authority, behind) = authority.split_at(end);
        path = behind;
        (url.user, url.host) = read_authority(scheme, authority)?;
    }
    unescaped(path, UrlPart::Path)?;
    url.path = path;
    Ok(url)
}

fn split_scheme(text: &str) -> Result<(&str, &str), UrlError<'_>> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err(UrlError::NoScheme),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

type Authority<'a> = (Option<&'a str>, &'a str);

fn read_authority<'a>(scheme: &str, text: &'a str) -> Result<Authority<'a>, UrlError<'a>> {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, text),
    };
    check_host(scheme, host)?;
    if let Some(user) = user {
        if !user.bytes().all(is_of_user) {
            return Err(UrlError::User);
        }
        let (name, password) = user.split_once(':').unwrap_or((user, ""));
        unescaped(name, UrlPart::Path)?;
        unescaped(password, UrlPart::Path)?;
    }
    Ok((user, host))
}

const fn is_of_user(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'.'
                | b'_'
                | b':'
                | b'~'
                | b'!'
                | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
                | b'%'
                | b'@'
        )
}

fn check_host<'a>(scheme: &str, host: &'a str) -> Result<(), UrlError<'a>> {
    match host.rfind('[') {
        Some(0) => {
            let close = host.rfind(']').ok_or(UrlError::OpenBracket)?;
            check_port(&host[close + 1..])?;
            return check_address(&host[1..close]);
        }
        Some(_) => return Err(UrlError::Bracket),
        None => {}
    }
    // HTTP does not have lists of hosts with ports.
    let is_strict = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let colon = if is_strict { host.find(':') } else { host.rfind(':') };
    if let Some(colon) = colon {
        check_port(&host[colon..])?;
    }
    unescaped(host, UrlPart::Host)
}

fn check_port(text: &str) -> Result<(), UrlError<'_>> {
    match text.strip_prefix(':') {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(()),
        None if text.is_empty() => Ok(()),
        _ => Err(UrlError::Port(text)),
    }
}

/// Checks the text in brackets: an IPv6 address, and an optional zone after `%25`.
fn check_address(text: &str) -> Result<(), UrlError<'_>> {
    let (address, zone) = match text.find("%25") {
        Some(at) => (&text[..at], Some(&text[at..])),
        None => (text, None),
    };
    unescaped(address, UrlPart::Host)?;
    if let Some(zone) = zone {
        unescaped(zone, UrlPart::Zone)?;
    }
    // An address has no characters outside of ASCII, escaped or not.
    let is_address = !address.contains('%') && address.parse::<Ipv6Addr>().is_ok();
    match zone {
        None if text.parse::<Ipv4Addr>().is_ok() => Err(UrlError::Bracket),
        Some("%25") => Err(UrlError::Address(text)),
        _ if is_address => Ok(()),
        _ => Err(UrlError::Address(text)),
    }
}

/// Checks that a part can be unescaped.
fn unescaped(text: &str, part: UrlPart) -> Result<(), UrlError<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'%' {
            let Some(value) = escaped(bytes, at) else {
                return Err(UrlError::Escape(up_to(text, at, 3)));
            };
            let is_needless = match part {
                UrlPart::Host => value < 0x80 && value != b'%',
                UrlPart::Zone => value != b'%' && value != b' ' && !is_of_host(value),
                UrlPart::Path => false,
            };
            if is_needless {
                return Err(UrlError::Escape(up_to(text, at, 3)));
            }
            at += 3;
            continue;
        }
        if part != UrlPart::Path && byte < 0x80 && !is_of_host(byte) {
            return Err(UrlError::HostCharacter(&text[at..=at]));
        }
        at += 1;
    }
    Ok(())
}

/// Returns the escaped byte at an index.
fn escaped(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| {
        let digit = char::from(*bytes.get(at)?).to_digit(16)?;
        u8::try_from(digit).ok()
    };
    Some(digit(at + 1)? * 16 + digit(at + 2)?)
}

/// Returns at most this number of bytes, up to a character boundary.
fn up_to(text: &str, at: usize, bytes: usize) -> &str {
    &text[at..floor_char_boundary(text, at + bytes)]
}

const fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_'
                | b'.'
                | b'~'
                | b'!'
                | b'"'
                | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b':'
                | b';'
                | b'<'
                | b'='
                | b'>'
                | b'['
                | b']'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let url = parse("HTTPS://u:p@example.com:443/a%20b?c=d#e").unwrap();
        let expected = Url {
            scheme: "HTTPS",
            user: Some("u:p"),
            host: "example.com:443",
            path: "/a%20b",
            query: "c=d",
            fragment: "e",
        };
        assert_eq!(url, expected);
        for valid in ["", "*", "a", "/", "///a", "mailto:x", "https://[fe80::1%25en0]:1", "a://b:1:2"] {
            assert!(parse(valid).is_ok(), "{valid}");
        }
    }

    #[test]
    fn what_is_no_url() {
        for (text, error) in [
            ("a\nb", UrlError::ControlCharacter),
            (":a", UrlError::NoScheme),
            ("1a:b", UrlError::ColonInFirstSegment),
            ("https://a:b", UrlError::Port(":b")),
            ("https://a:1:2", UrlError::Port(":1:2")),
            ("https://a b", UrlError::HostCharacter(" ")),
            ("https://a%20b", UrlError::Escape("%20")),
            ("https://a/%zz", UrlError::Escape("%zz")),
            ("https://a/#%", UrlError::Escape("%")),
            ("https://x[::1]", UrlError::Bracket),
            ("https://[::1", UrlError::OpenBracket),
            ("https://[1.2.3.4]", UrlError::Bracket),
            ("https://[a]", UrlError::Address("a")),
            ("https://[::1%25]", UrlError::Address("::1%25")),
            ("https://a b@c", UrlError::User),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn requests() {
        assert_eq!(parse_request(""), Err(UrlError::Empty));
        assert_eq!(parse_request("a"), Err(UrlError::Relative));
        assert_eq!(parse_request("https:///pull/1").unwrap().host, "");
        assert_eq!(parse_request("//host/a").unwrap().host, "");
        assert_eq!(parse_request("a://b").unwrap().host, "b");
    }
}
