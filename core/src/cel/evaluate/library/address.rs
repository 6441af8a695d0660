//! IP addresses and networks, with the errors of Go's `net/netip`.

use alloc::{format, string::String};
use core::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use crate::go::quote;

/// An IP address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) struct Ip(pub(in crate::cel::evaluate) IpAddr);

/// A network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cel) struct Cidr {
    pub(in crate::cel::evaluate) address: IpAddr,
    pub(in crate::cel::evaluate) bits: u8,
}

impl Ip {
    /// Parses an address. The error is the server's.
    pub(in crate::cel::evaluate) fn parse(text: &str) -> Result<Self, String> {
        let (address, zone) = parsed(text).map_err(|error| {
            format!("IP Address {} parse error during conversion from string: {error}", quote(text))
        })?;
        if zone.is_some() {
            return Err(format!("IP address {} with zone value is not allowed", quote(text)));
        }
        not_mapped(address, text)?;
        Ok(Self(address))
    }

    pub(in crate::cel::evaluate) const fn size(&self) -> usize {
        match self.0 {
            IpAddr::V4(_) => 4,
            IpAddr::V6(_) => 16,
        }
    }

    pub(in crate::cel::evaluate) const fn is_link_local_unicast(&self) -> bool {
        match self.0 {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
        }
    }

    pub(in crate::cel::evaluate) const fn is_link_local_multicast(&self) -> bool {
        match self.0 {
            IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
            IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
        }
    }

    pub(in crate::cel::evaluate) const fn is_global_unicast(&self) -> bool {
        let is_broadcast = matches!(self.0, IpAddr::V4(Ipv4Addr::BROADCAST));
        !(is_broadcast
            || self.0.is_unspecified()
            || self.0.is_loopback()
            || self.0.is_multicast()
            || self.is_link_local_unicast())
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Cidr {
    /// Parses a network. The error is the server's.
    pub(in crate::cel::evaluate) fn parse(text: &str) -> Result<Self, String> {
        const CONTEXT: &str = "network address parse error during conversion from string";
        let cidr = Self::parsed(text)
            .map_err(|error| format!("{CONTEXT}: {CONTEXT}: netip.ParsePrefix({}): {error}", quote(text)))?;
        not_mapped(cidr.address, text).map_err(|error| format!("{CONTEXT}: {error}"))?;
        Ok(cidr)
    }

    fn parsed(text: &str) -> Result<Self, String> {
        let (address, length) = text.rsplit_once('/').ok_or("no '/'")?;
        let (address, zone) = parsed(address)?;
        if zone.is_some() {
            return Err("IPv6 zones cannot be present in a prefix".into());
        }
        let wrong = || format!("bad bits after slash: {}", quote(length));
        if length.len() > 1 && !length.starts_with(|first: char| ('1'..='9').contains(&first)) {
            return Err(wrong());
        }
        let bits: i64 = length.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        match u8::try_from(bits) {
            Ok(bits) if bits <= most => Ok(Self { address, bits }),
            _ => Err("prefix length out of range".into()),
        }
    }

    pub(in crate::cel::evaluate) fn size(&self) -> usize {
        usize::from(self.bits.div_ceil(8))
    }

    /// Returns the bits of an address that a network of this length has.
    fn network(address: IpAddr, bits: u8) -> IpAddr {
        match address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        }
    }

    pub(in crate::cel::evaluate) fn masked(&self) -> Self {
        Self { address: Self::network(self.address, self.bits), bits: self.bits }
    }

    pub(in crate::cel::evaluate) fn contains(&self, ip: &Ip) -> bool {
        self.address.is_ipv4() == ip.0.is_ipv4()
            && Self::network(self.address, self.bits) == Self::network(ip.0, self.bits)
    }

    pub(in crate::cel::evaluate) fn contains_network(&self, other: &Self) -> bool {
        self.bits <= other.bits && self.contains(&Ip(other.address))
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

fn not_mapped(address: IpAddr, text: &str) -> Result<(), String> {
    match address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_some() => {
            Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)))
        }
        _ => Ok(()),
    }
}

/// Returns Go's error for a text that is no address.
pub(super) fn address_error(text: &str) -> Option<String> {
    parsed(text).err()
}

/// Parses an address and its zone. The error is Go's.
fn parsed(text: &str) -> Result<(IpAddr, Option<&str>), String> {
    let described = |(message, at): AddressError<'_>| {
        let at = if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) };
        format!("ParseAddr({}): {message}{at}", quote(text))
    };
    match text.find(['.', ':', '%']).map(|at| text.as_bytes()[at]) {
        Some(b'.') => {
            let octets = ipv4(text).map_err(described)?;
            Ok((IpAddr::V4(octets.into()), None))
        }
        Some(b':') => {
            let (address, zone) = match text.split_once('%') {
                Some((_, "")) => return Err(described(("zone must be a non-empty string", ""))),
                Some((address, zone)) => (address, Some(zone)),
                None => (text, None),
            };
            let octets = ipv6(address).map_err(described)?;
            Ok((IpAddr::V6(octets.into()), zone))
        }
        Some(_) => Err(described(("missing IPv6 address", ""))),
        None => Err(described(("unable to parse IP", ""))),
    }
}

/// The message, and the text at which it occurs.
type AddressError<'a> = (&'static str, &'a str);

fn ipv4(text: &str) -> Result<[u8; 4], AddressError<'_>> {
    let mut octets = [0; 4];
    let (mut value, mut position, mut digits) = (0_u32, 0, 0);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(("IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(("IPv4 field has value >255", ""));
                }
            }
            b'.' => {
                if at == 0 || at == bytes.len() - 1 || bytes[at - 1] == b'.' {
                    return Err(("IPv4 field must have at least one digit", &text[at..]));
                }
                if position == 3 {
                    return Err(("IPv4 address too long", ""));
                }
                octets[position] = u8::try_from(value).unwrap_or(0);
                position += 1;
                (value, digits) = (0, 0);
            }
            _ => return Err(("unexpected character", text.get(at..).unwrap_or_default())),
        }
    }
    if position < 3 {
        return Err(("IPv4 address too short", ""));
    }
    octets[3] = u8::try_from(value).unwrap_or(0);
    Ok(octets)
}

fn ipv6(text: &str) -> Result<[u8; 16], AddressError<'_>> {
    let mut octets = [0; 16];
    let mut ellipsis = None;
    let mut rest = text;
    if let Some(after) = text.strip_prefix("::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok(octets);
        }
    }
    let mut at = 0;
    while at < 16 {
        let end = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if end > 4 {
            return Err(("each group must have 4 or less digits", rest));
        }
        if end == 0 {
            return Err(("each colon-separated field must have at least one digit", rest));
        }
        if rest[end..].starts_with('.') {
            if ellipsis.is_none() && at != 12 {
                return Err(("embedded IPv4 address must replace the final 2 fields of the address", rest));
            }
            if at + 4 > 16 {
                return Err(("too many hex fields to fit an embedded IPv4 at the end of the address", rest));
            }
            octets[at..at + 4].copy_from_slice(&ipv4(rest)?);
            rest = "";
            at += 4;
            break;
        }
        let value = u16::from_str_radix(&rest[..end], 16).unwrap_or(0);
        octets[at..at + 2].copy_from_slice(&value.to_be_bytes());
        at += 2;
        rest = &rest[end..];
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return Err(("unexpected character, want colon", rest));
        };
        if after.is_empty() {
            return Err(("colon must be followed by more characters", rest));
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err(("multiple :: in address", rest));
            }
            ellipsis = Some(at);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(("trailing garbage after address", rest));
    }
    match ellipsis {
        None if at < 16 => Err(("address string too short", "")),
        Some(_) if at == 16 => Err(("the :: must expand to at least one field of zeros", "")),
        Some(start) => {
            octets.copy_within(start..at, 16 - (at - start));
            octets[start..16 - (at - start)].fill(0);
            Ok(octets)
        }
        None => Ok(octets),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn addresses() {
        for text in ["1.2.3.4", "::", "::1", "1::", "fe80::1:2", "2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8"] {
            assert_eq!(Ip::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Ip::parse("64:ff9b::1.2.3.4").unwrap().to_string(), "64:ff9b::102:304");
        for (text, message) in [
            ("1.2.3", "IPv4 address too short"),
            ("01.2.3.4", "IPv4 field has octet with leading zero"),
            ("1.2.3.256", "IPv4 field has value >255"),
            ("1..2.3", "IPv4 field must have at least one digit (at \".2.3\")"),
            ("a", "unable to parse IP"),
            ("1:2", "address string too short"),
            ("1::2::3", "multiple :: in address (at \":3\")"),
            ("12345::", "each group must have 4 or less digits (at \"12345::\")"),
            ("1:2:3:4:5:6:7:8:9", "trailing garbage after address (at \"9\")"),
        ] {
            assert!(Ip::parse(text).unwrap_err().ends_with(message), "{text}: {:?}", Ip::parse(text));
        }
    }

    #[test]
    fn networks() {
        let network = Cidr::parse("10.1.2.3/8").unwrap();
        assert_eq!(network.masked().to_string(), "10.0.0.0/8");
        assert!(network.contains(&Ip::parse("10.9.9.9").unwrap()) && !network.contains(&Ip::parse("::1").unwrap()));
        assert!(network.contains_network(&Cidr::parse("10.0.0.0/16").unwrap()));
        assert!(!Cidr::parse("10.0.0.0/16").unwrap().contains_network(&network));
        assert!(Cidr::parse("::/0").unwrap().contains(&Ip::parse("ff::").unwrap()));
        for text in ["1.2.3.4", "1.2.3.4/33", "1.2.3.4/08", "1.2.3.4/-1", "fe80::%a/8", "::ffff:1.2.3.4/8"] {
            assert!(Cidr::parse(text).is_err(), "{text}");
        }
    }
}
