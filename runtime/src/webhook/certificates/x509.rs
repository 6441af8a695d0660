//! The parts of X.509 certificates that rustls does not return.

use std::time::SystemTime;

use k8s_openapi::jiff::Timestamp;
use rustls::pki_types::{CertificateDer, pem::PemObject};

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// The version of a certificate: an explicit tag.
const VERSION: u8 = 0xa0;
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];

/// A certificate. Its signature is not verified.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Certificate {
    pub(super) der: CertificateDer<'static>,
    pub(super) not_before: SystemTime,
    pub(super) not_after: SystemTime,
    pub(super) common_name: Option<String>,
    /// The SubjectPublicKeyInfo in DER.
    pub(super) public_key: Vec<u8>,
}

impl Certificate {
    /// Returns `None` if this is no certificate.
    pub(super) fn parse(der: CertificateDer<'static>) -> Option<Self> {
        let whole = Elements(&der).expect(SEQUENCE)?;
        let mut fields = Elements(Elements(whole.content).expect(SEQUENCE)?.content);
        if fields.0.first() == Some(&VERSION) {
            fields.next()?;
        }
        // The serial number, the algorithm of the signature, and the issuer.
        let _ = (fields.next()?, fields.expect(SEQUENCE)?, fields.expect(SEQUENCE)?);
        let mut validity = Elements(fields.expect(SEQUENCE)?.content);
        let (not_before, not_after) = (time(&validity.next()?)?, time(&validity.next()?)?);
        let common_name = common_name(fields.expect(SEQUENCE)?.content);
        let public_key = fields.expect(SEQUENCE)?.whole.to_vec();
        Some(Self { der, not_before, not_after, common_name, public_key })
    }

    /// Reads all certificates in PEM. `None` if a part is no certificate.
    pub(super) fn all_from_pem(text: &[u8]) -> Option<Vec<Self>> {
        CertificateDer::pem_slice_iter(text).map(|der| Self::parse(der.ok()?)).collect()
    }

    pub(super) fn to_pem(&self) -> String {
        pem::encode_config(&pem::Pem::new("CERTIFICATE", self.der.to_vec()), LINE_FEEDS)
    }

    pub(super) fn is_valid_at(&self, now: SystemTime) -> bool {
        (self.not_before..self.not_after).contains(&now)
    }
}

/// The same text on all systems.
const LINE_FEEDS: pem::EncodeConfig = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);

/// A sequence of elements in DER.
struct Elements<'a>(&'a [u8]);

struct Element<'a> {
    tag: u8,
    content: &'a [u8],
    /// With its tag and its length.
    whole: &'a [u8],
}

impl<'a> Elements<'a> {
    fn next(&mut self) -> Option<Element<'a>> {
        let (&[tag, first], rest) = self.0.split_first_chunk()?;
        let (length, header) = match first {
            0..=0x7f => (usize::from(first), 2),
            0x81..=0x84 => {
                let count = usize::from(first & 0x7f);
                let bytes = rest.get(..count)?.iter();
                (bytes.fold(0, |length, byte| (length << 8) | usize::from(*byte)), 2 + count)
            }
            _ => return None,
        };
        let (whole, others) = self.0.split_at_checked(header.checked_add(length)?)?;
        self.0 = others;
        Some(Element { tag, content: &whole[header..], whole })
    }

    fn expect(&mut self, tag: u8) -> Option<Element<'a>> {
        self.next().filter(|element| element.tag == tag)
    }
}

fn common_name(names: &[u8]) -> Option<String> {
    let mut names = Elements(names);
    while let Some(set) = names.expect(SET) {
        let mut attribute = Elements(Elements(set.content).expect(SEQUENCE)?.content);
        if attribute.expect(OBJECT_IDENTIFIER)?.content == COMMON_NAME {
            return String::from_utf8(attribute.next()?.content.to_vec()).ok();
        }
    }
    None
}

/// Reads a time, as `491231235959Z` or `20491231235959Z`. Times after the last timestamp are that.
fn time(element: &Element<'_>) -> Option<SystemTime> {
    let text = std::str::from_utf8(element.content).ok()?.strip_suffix('Z')?;
    let century = match element.tag {
        UTC_TIME if text.len() == 12 => {
            if text < "50" {
                "20"
            } else {
                "19"
            }
        }
        GENERALIZED_TIME if text.len() == 14 => "",
        _ => return None,
    };
    let digits = format!("{century}{text}");
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let [year, month, day, hour, minute, second] =
        [0..4, 4..6, 6..8, 8..10, 10..12, 12..14].map(|range| &digits[range]);
    let timestamp = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z").parse();
    match timestamp {
        Ok(timestamp) => Some(Timestamp::into(timestamp)),
        Err(_) if year == "9999" => Some(Timestamp::MAX.into()),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Valid from 2020 to 2120, of the name `crdkit unit tests`.
    pub(in crate::webhook::certificates) const CERTIFICATE: &[u8] = b"\
-----BEGIN CERTIFICATE-----
MIIBhzCCAS6gAwIBAgIUKAW1UA4Ochvw8DZZ/g52JBnplz4wCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWY3Jka2l0IHRlc3RzIGF1dGhvcml0eTAgFw0yMDAxMDEwMDAw
MDBaGA8yMTIwMDEwMTAwMDAwMFowITEfMB0GA1UEAwwWY3Jka2l0IHRlc3RzIGF1
dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHfGGQvZBNgZfc1PXkib
8tXgp0pIqNQ7AL+nePEox/oPe9y6KunXRXuocqfBhbk7jaIbfYUBLX9vd6TURQxk
/7mjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQW
BBRpoUgeHST0wTTKF7ER3QyqdzUucjAKBggqhkjOPQQDAgNHADBEAiA/8Dc0t2er
sjSD5rlkeZQSjW+S2vahKB/QSvB2f27qEgIgbOaemFFo+OxwSzkX1A+ew2dih4n4
RksQRkMEDBHCdPg=
-----END CERTIFICATE-----
";

    fn certificate() -> Certificate {
        Certificate::all_from_pem(CERTIFICATE).unwrap().remove(0)
    }

    #[test]
    fn certificates_are_read() {
        let certificate = certificate();
        assert_eq!(certificate.common_name.as_deref(), Some("crdkit tests authority"));
        let at = |text: &str| SystemTime::from(text.parse::<Timestamp>().unwrap());
        assert_eq!(certificate.not_before, at("2020-01-01T00:00:00Z"));
        assert_eq!(certificate.not_after, at("2120-01-01T00:00:00Z"));
        assert!(certificate.is_valid_at(certificate.not_before));
        assert!(!certificate.is_valid_at(certificate.not_after));
        assert!(!certificate.is_valid_at(certificate.not_before - Duration::from_secs(1)));
        // A key of the curve P-256.
        assert_eq!(certificate.public_key.len(), 91);
        assert_eq!(certificate.to_pem().as_bytes(), CERTIFICATE);
    }

    #[test]
    fn damaged_certificates_are_none() {
        let der = certificate().der.to_vec();
        for end in 0..der.len() {
            assert_eq!(Certificate::parse(der[..end].to_vec().into()), None, "{end}");
        }
        // Any byte may differ: this must not panic.
        for at in 0..der.len() {
            for bits in [0x01, 0x80, 0xff] {
                let mut changed = der.clone();
                changed[at] ^= bits;
                let _ = Certificate::parse(changed.into());
            }
        }
        assert_eq!(Certificate::all_from_pem(b"text"), Some(Vec::new()));
    }

    #[test]
    fn times_have_two_forms() {
        let time = |tag, text: &str| time(&Element { tag, content: text.as_bytes(), whole: &[] });
        let at = |text: &str| Some(SystemTime::from(text.parse::<Timestamp>().unwrap()));
        assert_eq!(time(UTC_TIME, "491231235959Z"), at("2049-12-31T23:59:59Z"));
        assert_eq!(time(UTC_TIME, "500101000000Z"), at("1950-01-01T00:00:00Z"));
        assert_eq!(time(GENERALIZED_TIME, "20500101000000Z"), at("2050-01-01T00:00:00Z"));
        assert_eq!(time(GENERALIZED_TIME, "99991231235959Z"), Some(Timestamp::MAX.into()));
        for text in ["", "Z", "4912312359Z", "49123123595Z", "491331235959Z", "49123123595ßZ", "491231235959"] {
            assert_eq!(time(UTC_TIME, text), None, "{text}");
        }
    }
}
