use std::sync::Arc;

use rustls::crypto::CryptoProvider;

/// Returns the cryptography that the program installed, or that of the features.
pub(super) fn provider() -> Result<Arc<CryptoProvider>, rustls::Error> {
    if let Some(provider) = CryptoProvider::get_default() {
        return Ok(provider.clone());
    }
    #[cfg(feature = "aws-lc-rs")]
    return Ok(Arc::new(rustls::crypto::aws_lc_rs::default_provider()));
    #[cfg(all(feature = "ring", not(feature = "aws-lc-rs")))]
    return Ok(Arc::new(rustls::crypto::ring::default_provider()));
    #[cfg(not(any(feature = "ring", feature = "aws-lc-rs")))]
    Err(rustls::Error::General("no provider of cryptography: enable the feature `ring` or `aws-lc-rs`".to_owned()))
}
