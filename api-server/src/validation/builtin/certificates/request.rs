//! PKCS#10, the form of requests of certificates, as Go's `crypto/x509` reads it.

use serde_json::Value;

use super::pem;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const ATTRIBUTES: u8 = 0xa0;
/// The length of a length that is not a byte itself has this bit.
const LONG: u8 = 0x80;

/// A request that was read.
#[cfg_attr(not(feature = "signed-tokens"), expect(dead_code, reason = "the signature is not verified"))]
struct Request<'a> {
    /// What is signed.
    content: &'a [u8],
    /// The algorithm of the key, with its parameters.
    key_algorithm: &'a [u8],
    key: &'a [u8],
    algorithm: &'a [u8],
    signature: &'a [u8],
}

/// `validateCSR`.
pub(super) fn check(value: &Value) -> Result<(), String> {
    let data = pem::bytes(value);
    let text = String::from_utf8_lossy(&data);
    let block = pem::next(&text).map(|(block, _)| block).filter(|block| block.type_ == "CERTIFICATE REQUEST");
    let block = block.ok_or("PEM block type must be CERTIFICATE REQUEST")?;
    let request = Request::parse(&block.bytes)?;
    request.verify()
}

impl<'a> Request<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let mut outer = Der::new(bytes);
        let mut request = outer.sequence()?;
        if !outer.bytes.is_empty() {
            return Err("asn1: syntax error: trailing data".to_owned());
        }
        let whole = request.bytes;
        let mut to_be_signed = request.sequence()?;
        let content = &whole[..whole.len() - request.bytes.len()];
        to_be_signed.element(INTEGER)?;
        to_be_signed.any()?;
        let mut key_info = to_be_signed.sequence()?;
        to_be_signed.element(ATTRIBUTES)?;
        let (key_algorithm, key) = (key_info.sequence()?.bytes, key_info.bits()?);
        let (algorithm, signature) = (request.sequence()?.bytes, request.bits()?);
        Ok(Self { content, key_algorithm, key, algorithm, signature })
    }

    #[cfg(not(feature = "signed-tokens"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the feature has a body that needs both")]
    fn verify(&self) -> Result<(), String> {
        Ok(())
    }

    /// Verifies the signature, if its algorithm is one of the usual ones.
    #[cfg(feature = "signed-tokens")]
    fn verify(&self) -> Result<(), String> {
        use ring::signature::{
            ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA384_ASN1, ECDSA_P384_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ED25519,
            RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
            RSA_PKCS1_2048_8192_SHA384, UnparsedPublicKey, VerificationAlgorithm,
        };

        // Object identifiers, as DER has them.
        const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
        const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
        const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
        const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
        const EDWARDS: &[u8] = &[0x2b, 0x65, 0x70];

        let id = Der::new(self.algorithm).any()?.1;
        let mut key = Der::new(self.key_algorithm);
        key.any()?;
        let curve = key.any().map_or(&[][..], |(_, curve)| curve);
        let number = |prefix: &[u8]| id.strip_prefix(prefix).and_then(|rest| rest.first().copied());
        let (algorithm, problem): (&'static dyn VerificationAlgorithm, _) = if let Some(number) = number(RSA) {
            let algorithm: &'static dyn VerificationAlgorithm = match number {
                11 => &RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
                12 => &RSA_PKCS1_2048_8192_SHA384,
                13 => &RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
                _ => return Ok(()),
            };
            (algorithm, "crypto/rsa: verification error")
        } else if let Some(number) = number(ECDSA) {
            let algorithm: &'static dyn VerificationAlgorithm = match (number, curve) {
                (2, P256) => &ECDSA_P256_SHA256_ASN1,
                (3, P256) => &ECDSA_P256_SHA384_ASN1,
                (2, P384) => &ECDSA_P384_SHA256_ASN1,
                (3, P384) => &ECDSA_P384_SHA384_ASN1,
                _ => return Ok(()),
            };
            (algorithm, "x509: ECDSA verification failure")
        } else if id == EDWARDS {
            (&ED25519, "x509: Ed25519 verification failure")
        } else {
            return Ok(());
        };
        let key = UnparsedPublicKey::new(algorithm, self.key);
        key.verify(self.content, self.signature).map_err(|_| problem.to_owned())
    }
}

/// The elements of a value in DER.
pub(super) struct Der<'a> {
    bytes: &'a [u8],
}

impl<'a> Der<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Returns the elements of the next element, which is a sequence.
    pub(super) fn sequence(&mut self) -> Result<Self, String> {
        self.element(SEQUENCE).map(Self::new)
    }

    /// Returns the bytes of the next element, which are whole.
    fn bits(&mut self) -> Result<&'a [u8], String> {
        let bits = self.element(BIT_STRING)?;
        bits.split_first()
            .map(|(_, bytes)| bytes)
            .ok_or_else(|| "asn1: syntax error: zero length BIT STRING".to_owned())
    }

    fn element(&mut self, tag: u8) -> Result<&'a [u8], String> {
        // Go adds the types that it expects.
        match self.any()? {
            (found, content) if found == tag => Ok(content),
            _ => Err("asn1: structure error: tags don't match".to_owned()),
        }
    }

    /// Returns the tag and the content of the next element.
    fn any(&mut self) -> Result<(u8, &'a [u8]), String> {
        let truncated = || "asn1: syntax error: data truncated".to_owned();
        let (&tag, rest) = self.bytes.split_first().ok_or("asn1: syntax error: sequence truncated")?;
        let (&first, mut rest) = rest.split_first().ok_or("asn1: syntax error: truncated tag or length")?;
        let mut length = usize::from(first);
        if first & LONG != 0 {
            let count = usize::from(first & !LONG);
            let (digits, after) = rest.split_at_checked(count).ok_or("asn1: syntax error: truncated tag or length")?;
            if count > size_of::<u32>() {
                return Err("asn1: structure error: length too large".to_owned());
            }
            length = digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit));
            rest = after;
        }
        let (content, rest) = rest.split_at_checked(length).ok_or_else(truncated)?;
        self.bytes = rest;
        Ok((tag, content))
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use serde_json::json;

    use super::*;

    /// A request with the name `kubectl`, and a key on the curve P-256.
    const REQUEST: &str = include_str!("request.pem");

    fn checked(text: &str) -> Result<(), String> {
        check(&json!(STANDARD.encode(text)))
    }

    fn of_bytes(bytes: &[u8]) -> Result<(), String> {
        let body = STANDARD.encode(bytes);
        checked(&format!("-----BEGIN CERTIFICATE REQUEST-----\n{body}\n-----END CERTIFICATE REQUEST-----\n"))
    }

    #[test]
    fn requests_are_read() {
        assert_eq!(checked(REQUEST), Ok(()));
        assert_eq!(check(&Value::Null), Err("PEM block type must be CERTIFICATE REQUEST".to_owned()));
        assert!(checked(&REQUEST.replace("CERTIFICATE REQUEST", "CERTIFICATE")).is_err());
        let (block, _) = pem::next(REQUEST).unwrap();
        for end in 1..block.bytes.len() {
            assert!(of_bytes(&block.bytes[..end]).unwrap_err().starts_with("asn1: syntax error: "), "{end}");
        }
        assert_eq!(of_bytes(&[&block.bytes[..], &[0]].concat()), Err("asn1: syntax error: trailing data".to_owned()));
        assert_eq!(of_bytes(&[2, 1, 0]), Err("asn1: structure error: tags don't match".to_owned()));
        assert_eq!(
            of_bytes(&[SEQUENCE, 0x85, 1, 1, 1, 1, 1]),
            Err("asn1: structure error: length too large".to_owned())
        );
    }

    #[cfg(feature = "signed-tokens")]
    #[test]
    fn signatures_are_verified() {
        let (mut block, _) = pem::next(REQUEST).unwrap();
        // A letter of the name.
        let at = block.bytes.windows(7).position(|bytes| bytes == b"kubectl").unwrap();
        block.bytes[at] = b'K';
        assert_eq!(of_bytes(&block.bytes), Err("x509: ECDSA verification failure".to_owned()));
    }
}
