//! The key of tokens, which all servers of a process share, and the documents by which others verify them.

use std::sync::LazyLock;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::header::HOST;
use ring::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};

use super::ISSUER;
use crate::request::Request;

pub(crate) const CONFIGURATION_PATH: &str = "/.well-known/openid-configuration";
pub(crate) const KEYS_PATH: &str = "/openid/v1/jwks";
/// One of the algorithms of keys of kube-apiserver. Its keys are made in microseconds.
const ALGORITHM: &str = "ES256";
/// The bytes of a coordinate of the curve P-256.
const COORDINATE: usize = 32;

static KEY: LazyLock<EcdsaKeyPair> = LazyLock::new(|| {
    let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("the system has random numbers");
    EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("a new key is valid")
});

/// Returns the header of tokens.
pub(super) fn header() -> String {
    json!({ "alg": ALGORITHM, "kid": id() }).to_string()
}

/// Signs the header and the claims of a token.
pub(super) fn sign(text: &str) -> Vec<u8> {
    let signature = KEY.sign(&SystemRandom::new(), text.as_bytes()).expect("the system has random numbers");
    signature.as_ref().to_vec()
}

/// As kube-apiserver, by a digest of the public key.
fn id() -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, KEY.public_key().as_ref()))
}

/// Returns the key as a JSON Web Key (RFC 7517, and RFC 7518 for its members).
pub(crate) fn keys() -> Value {
    // A byte says that both coordinates follow.
    let point = &KEY.public_key().as_ref()[1..];
    let [x, y] = [&point[..COORDINATE], &point[COORDINATE..]].map(|number| URL_SAFE_NO_PAD.encode(number));
    let key = json!({ "use": "sig", "kty": "EC", "kid": id(), "crv": "P-256", "alg": ALGORITHM, "x": x, "y": y });
    json!({ "keys": [key] })
}

/// Returns the document of OpenID Connect that leads to the keys.
pub(crate) fn configuration(request: &Request) -> Value {
    let authority = request.uri.authority().map_or_else(|| request.header(HOST), |authority| authority.as_str());
    let server = if authority.is_empty() { ISSUER.to_owned() } else { format!("http://{authority}") };
    json!({
        "issuer": ISSUER,
        "jwks_uri": format!("{server}{KEYS_PATH}"),
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
    })
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    #[test]
    fn the_published_key_verifies_a_signature() {
        let signature = sign("header.claims");
        let key = &keys()["keys"][0];
        let coordinate = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str().unwrap()).unwrap();
        let point = [vec![4], coordinate("x"), coordinate("y")].concat();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
        assert!(public.verify(b"header.claims", &signature).is_ok());
        assert!(public.verify(b"header.other", &signature).is_err());
        let header: Value = serde_json::from_str(&header()).unwrap();
        assert_eq!((&header["alg"], &header["kid"]), (&key["alg"], &key["kid"]));
    }
}
