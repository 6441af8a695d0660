//! Addresses of hosts and networks. The server accepts leading zeros in some of them for compatibility.

use core::net::Ipv6Addr;

/// Whether a string is an IPv4 address, possibly with leading zeros or mapped to IPv6.
pub(super) fn is_ipv4(text: &str) -> bool {
    match text.find(['.', ':']).map(|at| text.as_bytes()[at]) {
        Some(b'.') => ipv4(text),
        Some(_) => text.contains('.') && ipv6(text),
        None => false,
    }
}

/// Whether a string is an IPv6 address.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// Whether a string is a CIDR.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else {
        return false;
    };
    let bits = match () {
        () if ipv4(address) => 32,
        () if ipv6(address) => 128,
        () => return false,
    };
    decimal(length).is_some_and(|(value, rest)| rest.is_empty() && value <= bits)
}

fn ipv4(text: &str) -> bool {
    let mut rest = text;
    for at in 0..4 {
        if at > 0 {
            match rest.strip_prefix('.') {
                Some(after) => rest = after,
                None => return false,
            }
        }
        match decimal(rest) {
            Some((value, after)) if value <= 255 => rest = after,
            _ => return false,
        }
    }
    rest.is_empty()
}

/// Splits a leading number off a string.
fn decimal(text: &str) -> Option<(u32, &str)> {
    /// `big` in Go's `net/parse.go`.
    const LIMIT: u32 = 0xFF_FFFF;
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() {
        return None;
    }
    let mut value = 0;
    for digit in digits.bytes() {
        value = value * 10 + u32::from(digit - b'0');
        if value >= LIMIT {
            return None;
        }
    }
    Some((value, rest))
}

fn ipv6(text: &str) -> bool {
    const GROUPS: usize = 8;
    let mut groups = 0;
    let mut is_shortened = false;
    let mut rest = text;
    if let Some(after) = rest.strip_prefix("::") {
        is_shortened = true;
        rest = after;
        if rest.is_empty() {
            return true;
        }
    }
    while groups < GROUPS {
        let end = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if !is_group(&rest[..end]) {
            return false;
        }
        let after = &rest[end..];
        if after.starts_with('.') {
            let fits = groups + 2 == GROUPS || is_shortened && groups + 2 < GROUPS;
            if !fits || !ipv4(rest) {
                return false;
            }
            groups += 2;
            rest = "";
            break;
        }
        groups += 1;
        rest = after;
        if rest.is_empty() {
            break;
        }
        match rest.strip_prefix(':') {
            Some(after) if !after.is_empty() => rest = after,
            _ => return false,
        }
        if let Some(after) = rest.strip_prefix(':') {
            if is_shortened {
                return false;
            }
            is_shortened = true;
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    rest.is_empty() && (groups < GROUPS) == is_shortened
}

/// Whether these are hexadecimal digits of 16 bits, after any number of zeros.
fn is_group(digits: &str) -> bool {
    !digits.is_empty() && digits.trim_start_matches('0').len() <= 4
}

/// Whether a string is a hardware address of 6, 8 or 20 bytes.
pub(super) fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    let separator = |at: usize| bytes.get(at).copied();
    if bytes.len() < 12 {
        return false;
    }
    let (width, separator) = match (separator(2), separator(4)) {
        (Some(it @ (b':' | b'-')), _) => (2, Some(it)),
        (_, Some(b'.')) => (4, Some(b'.')),
        _ => (bytes.len(), None),
    };
    let groups = bytes.len().div_ceil(width + usize::from(separator.is_some()));
    let digits = groups * width;
    let is_right = |(at, byte): (usize, &u8)| match separator {
        Some(separator) if at % (width + 1) == width => *byte == separator,
        _ => byte.is_ascii_hexdigit(),
    };
    bytes.len() == digits + separator.map_or(0, |_| groups - 1)
        && matches!(digits, 12 | 16 | 40)
        && bytes.iter().enumerate().all(is_right)
}
