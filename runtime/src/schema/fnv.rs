//! The hash of shards, and of names in const evaluation.

/// Returns the hash of a text: FNV-1a with 64 bits, as in apimachinery's package `sharding`.
pub const fn hash(text: &str) -> u64 {
    // FNV-1a with 64 bits.
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let bytes = text.as_bytes();
    let mut hash = OFFSET;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(PRIME);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of Go's `hash/fnv`.
    #[test]
    fn hashes_are_those_of_go() {
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
