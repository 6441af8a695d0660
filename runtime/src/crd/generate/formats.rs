//! The string formats that the server validates.

/// Properties of a format.
pub struct Format {
    /// Valid values.
    pub samples: &'static [&'static str],
    /// Whether the samples cover all forms of the format.
    #[cfg_attr(not(any(feature = "testing", test, doc)), expect(dead_code))] // for round trips
    pub(crate) is_covered: bool,
}

/// Returns the format with this name; `None` if the server does not validate it.
pub fn format(name: &str) -> Option<Format> {
    let (samples, is_covered): (&[&str], bool) = match name.replace('-', "").as_str() {
        "datetime" => (&["2030-01-31T12:00:00Z", "1999-12-31T23:59:59.125Z", "2020-02-29T00:00:00+01:00"], true),
        "date" => (&["2030-01-31", "2020-02-29", "1970-01-01"], true),
        "ipv4" => (&["127.0.0.1", "10.20.30.40", "0.0.0.0"], true),
        "ipv6" => (&["::1", "2001:db8::a"], true),
        "byte" => (&["AAECAw==", "YQ==", "YWJj"], true),
        "uuid" | "uuid4" => (&["67e55044-10b1-426f-9247-bb680e5fe0c8"], false),
        "uuid3" => (&["a987fbc9-4bed-3078-8f07-9141ba07c9f3"], false),
        "uuid5" => (&["987fbc97-4bed-5078-9f07-9141ba07c9f3"], false),
        "uri" => (&["https://example.com/a?b=c", "http://localhost:80/"], false),
        "email" => (&["a@example.com"], false),
        "hostname" => (&["a.example.com", "localhost"], false),
        "cidr" => (&["10.0.0.0/8", "2001:db8::/32"], false),
        "mac" => (&["01:02:03:04:05:06"], false),
        "duration" => (&["1h30m", "2s"], false),
        "bsonobjectid" => (&["507f1f77bcf86cd799439011"], false),
        "isbn" | "isbn10" => (&["0321751043"], false),
        "isbn13" => (&["9780321751041"], false),
        "creditcard" => (&["4111111111111111"], false),
        "ssn" => (&["111-11-1111"], false),
        "hexcolor" => (&["#ffffff"], false),
        "rgbcolor" => (&["rgb(100,100,100)"], false),
        "password" => (&["secret", ""], true),
        "k8sshortname" => (&["a-b", "localhost"], false),
        "k8slongname" => (&["a.b-c", "localhost"], false),
        _ => return None,
    };
    Some(Format { samples, is_covered })
}

#[cfg(test)]
mod tests {
    use crdkit_core::literal::formats::STRING_FORMATS;

    use super::*;

    #[test]
    fn samples_have_their_format() {
        for known in STRING_FORMATS {
            let format = format(known.name).expect(known.name);
            let is_good = format.samples.iter().all(|sample| known.accepts(sample));
            assert!(is_good && !format.samples.is_empty(), "{}", known.name);
        }
        assert!(format("uint8").is_none());
    }
}
