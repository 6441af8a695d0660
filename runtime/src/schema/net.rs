//! Schemas of addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use super::Keyword::{Format, Pattern};
use super::std_types::schemas;
use super::{KubeSchema, Schema, Tagging, Variant};

/// The parts of patterns, as macros because `concat!` takes literals.
#[rustfmt::skip]
macro_rules! part {
    (octet) => { "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])" };
    (v4) => { concat!("(", part!(octet), "[.]){3}", part!(octet)) };
    // Any text of these characters: a short pattern cannot match IPv6 addresses exactly.
    (v6) => { r"\[[0-9A-Fa-f:.]+(%[0-9]+)?\]" };
    (port) => { "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0)" };
}

schemas! {
    IpAddr => Schema::one_of(Tagging::Untagged, &[
        Variant::new("V4").with(&Ipv4Addr::SCHEMA),
        Variant::new("V6").with(&Ipv6Addr::SCHEMA),
    ]);
    // The server's format `ipv4` accepts `::ffff:127.0.0.1`.
    Ipv4Addr => Schema::string().with(&[Format("ipv4"), Pattern("^[0-9.]+$")]);
    Ipv6Addr => Schema::string().with(&[Format("ipv6")]);
    // The server has no format for these.
    SocketAddr => Schema::string().with(&[Pattern(concat!("^(", part!(v4), "|", part!(v6), "):", part!(port), "$"))]);
    SocketAddrV4 => Schema::string().with(&[Pattern(concat!("^", part!(v4), ":", part!(port), "$"))]);
    SocketAddrV6 => Schema::string().with(&[Pattern(concat!("^", part!(v6), ":", part!(port), "$"))]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::accepts::{assert_accepts_serialized, assert_roundtrips};
    use super::*;
    use crate::crd::render::render_schema;

    #[test]
    fn schemas_accept_what_serde_writes_and_reads() {
        assert_accepts_serialized(IpAddr::from([127, 0, 0, 1]));
        assert_accepts_serialized(Ipv4Addr::LOCALHOST);
        assert_accepts_serialized(Ipv6Addr::LOCALHOST);
        assert_roundtrips::<SocketAddr>(json!("127.0.0.1:80"));
        assert_roundtrips::<SocketAddr>(json!("[::1%3]:0"));
        assert_roundtrips::<SocketAddrV4>(json!("255.249.199.0:65535"));
        assert_roundtrips::<SocketAddrV6>(json!("[::ffff:1.2.3.4]:59999"));
    }

    #[test]
    fn an_address_has_one_of_two_formats() {
        let expected = json!({
            "type": "string",
            "anyOf": [{ "format": "ipv4", "pattern": "^[0-9.]+$" }, { "format": "ipv6" }],
        });
        assert_eq!(json!(render_schema(&IpAddr::SCHEMA).unwrap()), expected);
    }
}
