//! The formats of strings that the server looks at.

use super::pattern::Pattern;

/// Whether a text has a format.
type Check = fn(&str) -> bool;

/// What is known about a format.
pub(super) struct Format {
    /// Values that it accepts.
    pub(super) samples: &'static [&'static str],
    /// Whether a text has it; none if only the samples are known to.
    pub(super) check: Option<Check>,
}

/// The format of this name; none if the server does not look at it.
pub(super) fn format(name: &str) -> Option<Format> {
    let (samples, check): (&[&str], Option<Check>) = match name.replace('-', "").as_str() {
        "datetime" => (
            &[
                "2030-01-31T12:00:00Z",
                "1999-12-31T23:59:59.125Z",
                "2020-02-29T00:00:00+01:00",
            ],
            Some(is_date_time),
        ),
        "date" => (&["2030-01-31", "2020-02-29", "1970-01-01"], Some(is_date)),
        "ipv4" => (
            &["127.0.0.1", "10.20.30.40", "0.0.0.0"],
            Some(|it| it.parse::<std::net::Ipv4Addr>().is_ok()),
        ),
        "ipv6" => (
            &["::1", "2001:db8::a"],
            Some(|it| it.parse::<std::net::Ipv6Addr>().is_ok()),
        ),
        "byte" => (&["AAECAw==", "YQ==", "YWJj"], Some(is_base64)),
        "uuid" | "uuid4" => (&["67e55044-10b1-426f-9247-bb680e5fe0c8"], None),
        "uuid3" => (&["a987fbc9-4bed-3078-8f07-9141ba07c9f3"], None),
        "uuid5" => (&["987fbc97-4bed-5078-9f07-9141ba07c9f3"], None),
        "uri" => (&["https://example.com/a?b=c", "http://localhost:80/"], None),
        "email" => (&["a@example.com"], None),
        "hostname" => (&["a.example.com", "localhost"], None),
        "cidr" => (&["10.0.0.0/8", "2001:db8::/32"], None),
        "mac" => (&["01:02:03:04:05:06"], None),
        "duration" => (&["1h30m", "2s"], None),
        "bsonobjectid" => (&["507f1f77bcf86cd799439011"], None),
        "isbn" | "isbn10" => (&["0321751043"], None),
        "isbn13" => (&["9780321751041"], None),
        "creditcard" => (&["4111111111111111"], None),
        "ssn" => (&["111-11-1111"], None),
        "hexcolor" => (&["#ffffff"], None),
        "rgbcolor" => (&["rgb(100,100,100)"], None),
        "password" => (&["secret", ""], Some(|_| true)),
        "k8sshortname" => (&["a-b", "localhost"], None),
        "k8slongname" => (&["a.b-c", "localhost"], None),
        _ => return None,
    };
    Some(Format { samples, check })
}

fn matches(pattern: &str, text: &str) -> bool {
    Pattern::parse(pattern).is_some_and(|pattern| pattern.is_match(text))
}

fn is_base64(text: &str) -> bool {
    matches(
        "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$",
        text,
    )
}

fn is_date(text: &str) -> bool {
    if !matches(r"^\d{4}-\d{2}-\d{2}$", text) {
        return false;
    }
    let part = |range: std::ops::Range<usize>| {
        text.get(range)
            .and_then(|digits| digits.parse::<u32>().ok())
            .unwrap_or(0)
    };
    let (year, month, day) = (part(0..4), part(5..7), part(8..10));
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.split_once('t').is_some_and(|(date, time)| {
        is_date(date)
            && matches(
                r"^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(.\d+)?(z|[+-]\d{2}:\d{2})$",
                time,
            )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_their_format() {
        for name in ["date-time", "date", "ipv4", "ipv6", "byte", "password"] {
            let format = format(name).unwrap();
            let check = format.check.unwrap();
            assert!(format.samples.iter().all(|sample| check(sample)), "{name}");
        }
    }

    #[test]
    fn what_has_no_format() {
        for (name, text) in [
            ("date-time", "2030-01-31T12:00:00"),
            ("date-time", "2030-01-31T24:00:00Z"),
            ("date-time", "2030-01-31"),
            ("date", "2021-02-29"),
            ("date", "2021-13-01"),
            ("date", "21-01-01"),
            ("ipv4", "::1"),
            ("ipv6", "10.0.0.1"),
            ("byte", "a"),
            ("byte", ""),
        ] {
            assert!(!format(name).unwrap().check.unwrap()(text), "{name} {text}");
        }
        assert!(format("uint8").is_none());
    }
}
