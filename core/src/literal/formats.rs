//! Formats: the ones that the server supports for each type, and their validation.
//!
//! The server ignores hyphens in the name of a string format. It ignores an unsupported format when it validates objects, and
//! returns a warning when the definition is created.

use crate::text::{contains, equal};

mod addresses;
mod codes;
mod email;
mod hostname;
mod times;

use super::url;

pub(crate) use times::{go_duration, is_date, is_go_duration, lenient_duration};

/// A format of strings that the server supports.
#[derive(Clone, Copy, Debug)]
pub struct StringFormat {
    /// The name, as Kubernetes documents it.
    pub name: &'static str,
    check: fn(&str) -> bool,
}

/// The formats of strings, by name.
pub const STRING_FORMATS: &[StringFormat] = &[
    text("bsonobjectid", codes::is_object_id),
    text("byte", codes::is_base64),
    text("cidr", addresses::is_cidr),
    text("creditcard", codes::is_credit_card),
    text("date", times::is_date),
    text("date-time", times::is_date_time),
    text("duration", times::is_duration),
    text("email", email::is_email),
    text("hexcolor", codes::is_hex_color),
    text("hostname", hostname::is_hostname),
    text("ipv4", addresses::is_ipv4),
    text("ipv6", addresses::is_ipv6),
    text("isbn", codes::is_isbn),
    text("isbn10", codes::is_isbn10),
    text("isbn13", codes::is_isbn13),
    text("k8s-long-name", hostname::is_long_name),
    text("k8s-short-name", hostname::is_short_name),
    text("mac", addresses::is_mac),
    text("password", |_| true),
    text("rgbcolor", codes::is_rgb_color),
    text("ssn", codes::is_ssn),
    text("uri", |text| url::parse_request(text).is_ok()),
    text("uuid", codes::is_uuid),
    text("uuid3", codes::is_uuid3),
    text("uuid4", codes::is_uuid4),
    text("uuid5", codes::is_uuid5),
];

/// The formats of integers.
pub const INTEGER_FORMATS: &[&str] = &["int32", "int64"];

/// The formats of numbers.
pub const NUMBER_FORMATS: &[&str] = &["double", "float"];

const fn text(name: &'static str, check: fn(&str) -> bool) -> StringFormat {
    StringFormat { name, check }
}

impl StringFormat {
    /// Whether a string has the format.
    pub fn accepts(&self, text: &str) -> bool {
        (self.check)(text)
    }
}

/// Returns the string format with this name, regardless of hyphens.
pub const fn string_format(name: &str) -> Option<&'static StringFormat> {
    let mut at = 0;
    while at < STRING_FORMATS.len() {
        if equal_without_hyphens(STRING_FORMATS[at].name, name) {
            return Some(&STRING_FORMATS[at]);
        }
        at += 1;
    }
    None
}

/// Whether the server supports a format for values of this type. String formats also apply to values without a type and to
/// `x-kubernetes-int-or-string`; pass an empty type for both.
pub const fn is_known(type_: &str, name: &str) -> bool {
    if equal(type_, "integer") {
        return contains(INTEGER_FORMATS, name);
    }
    if equal(type_, "number") {
        return contains(NUMBER_FORMATS, name);
    }
    (type_.is_empty() || equal(type_, "string")) && string_format(name).is_some()
}

const fn equal_without_hyphens(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let (mut at, mut other_at) = (0, 0);
    loop {
        at = skip_hyphens(one, at);
        other_at = skip_hyphens(other, other_at);
        match (at < one.len(), other_at < other.len()) {
            (false, false) => return true,
            (true, true) if one[at] == other[other_at] => {}
            _ => return false,
        }
        at += 1;
        other_at += 1;
    }
}

const fn skip_hyphens(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at] == b'-' {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["date-time", "datetime", "-d-a-tetime", "k8s-short-name"] {
            assert!(string_format(name).is_some(), "{name}");
        }
        for name in ["", "-", "date-times", "ip", "uint8", "Date"] {
            assert!(string_format(name).is_none(), "{name}");
        }
    }

    #[test]
    fn formats_of_types() {
        const KNOWN: bool = is_known("string", "email");
        const { assert!(KNOWN) };
        for (type_, name, expected) in [
            ("", "email", true),
            ("integer", "int32", true),
            ("integer", "int-32", false),
            ("number", "int32", false),
            ("number", "float", true),
            ("string", "int32", false),
            ("object", "email", false),
        ] {
            assert_eq!(is_known(type_, name), expected, "{type_} {name}");
        }
    }

    #[track_caller]
    fn check(name: &str, accepted: &[&str], refused: &[&str]) {
        let format = string_format(name).unwrap();
        for text in accepted {
            assert!(format.accepts(text), "{name} {text:?}");
        }
        for text in refused {
            assert!(!format.accepts(text), "{name} {text:?}");
        }
    }

    #[test]
    fn addresses() {
        check(
            "ipv4",
            &["10.0.0.1", "01.2.3.4", "::ffff:1.2.3.4", "000001.2.3.4"],
            &["", "1.2.3", "1.2.3.256", "::1", "1.2.3.4.", "a.b.c.d"],
        );
        check(
            "ipv6",
            &["::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::"],
            &["", "10.0.0.1", "::ffff:01.2.3.4", "1::2::3", "fe80::1%eth0", "12345::"],
        );
        check(
            "cidr",
            &["10.0.0.0/8", "01.0.0.0/08", "::/128", "1.2.3.4/32"],
            &["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "/8", "1.2.3.4/8 "],
        );
        check(
            "mac",
            &["01:23:45:67:89:ab", "0123.4567.89ab", "01-23-45-67-89-AB", "0123456789ab"],
            &["", "01:23:45:67:89", "01:23-45:67:89:ab", "0123.4567.89ag"],
        );
    }

    #[test]
    fn codes() {
        check("bsonobjectid", &["507f1f77bcf86cd799439011"], &["", "507f1f77bcf86cd79943901g"]);
        check("byte", &["YQ==", "YWJj", "YWI="], &["", "a", "YQ=", "YQ==YQ==", "a_-="]);
        check("creditcard", &["4111 1111-1111x1111", "340000000000009"], &["", "4111111111111112"]);
        check("hexcolor", &["#fff", "FFAA00"], &["", "#ffff", "fff "]);
        check("rgbcolor", &["rgb( 0,\t255 ,10)"], &["rgb(00,1,1)", "rgb(256,1,1)", "RGB(1,1,1)"]);
        check("isbn10", &["0-321-75104-3", "080442957X"], &["0321751044", "X80442957X"]);
        check("isbn13", &["978 0 321 75104 1"], &["9780321751042"]);
        check("isbn", &["0321751043", "9780321751041"], &[""]);
        check("ssn", &["111-11-1111", "111 11-1111"], &["111111111", "111-111-111"]);
        let uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        check("uuid", &[uuid, "67E5504410B1426F9247BB680E5FE0C8"], &["", "67e55044"]);
        check("uuid4", &[uuid], &["67e55044-10b1-426f-c247-bb680e5fe0c8"]);
        check("uuid3", &["a987fbc9-4bed-3078-cf07-9141ba07c9f3"], &[uuid]);
        check("uuid5", &["987fbc97-4bed-5078-9f07-9141ba07c9f3"], &[uuid]);
    }

    #[test]
    fn times() {
        check(
            "date",
            &["2020-02-29", "0000-02-29"],
            &["", "2021-02-29", "2021-13-01", "21-01-01", "2021-01-00", "2021-01-01 "],
        );
        check(
            "date-time",
            &["2030-01-31T12:00:00Z", "2030-01-31t12:00:00,5z", "2030-01-31T12:00:00+99:99", "2030-01-31T12:00:00ZT"],
            &["2030-01-31", "2030-01-31T24:00:00Z", "2030-01-31T12:00:00", "2030-01-31T12:00:00\n1Z"],
        );
        check(
            "duration",
            &["1h30m", "-1.5s", "0", "PT1H", "1 day", "2 weeks", "3µs", "xx 1ns xx", "1.h"],
            &["", "1", "PT", "99999999999999999999h", "1x"],
        );
    }

    #[test]
    fn names_of_hosts_and_mailboxes() {
        check("hostname", &["a", "a-b", "a.example.com", "☃.com"], &["", "-a", "a_b", "a.b-", "1.2"]);
        check("k8s-short-name", &["a", "1-a"], &["", "A", "a.", "a-"]);
        check("k8s-long-name", &["a.b-c"], &["a..b", "a.-b"]);
        check(
            "email",
            &["a@b", "A <a@b>", "\"a b\"@c", "a@[::1]", "a@b (c)", "=?utf-8?q?x?= <a@b>"],
            &["", "a", "a@", "@b", "a@b c", "a@[1]", "=?x?q?x?= <a@b>", "a@b (=\\?x?q?\r?=)", "g: a@b, c@d;"],
        );
        check(
            "uri",
            &["http://a/b", "/a", "*", "mailto:a@b", "http://[::1]:80/", "a:", "http://"],
            &["", "a", "http://a b/", "http://a:b/", "/%zz", "a:///%", "http://[1.2.3.4]/", "a\n"],
        );
    }
}
