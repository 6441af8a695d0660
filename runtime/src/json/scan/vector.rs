//! Comparisons of 16 bytes at a time: one bit per byte, the lowest bit for the first byte.
//!
//! Every x86-64 processor has the instructions of SSE2. Without the client, and on other processors, eight bytes are compared in
//! an integer.

#[cfg(all(feature = "client", target_arch = "x86_64"))]
pub(super) use sse2::Bytes;
#[cfg(not(all(feature = "client", target_arch = "x86_64")))]
pub(super) use words::Bytes;

pub(super) const WIDTH: usize = 16;

#[cfg(all(feature = "client", target_arch = "x86_64"))]
mod sse2 {
    // Not `wide`, which is built on it: that takes 3 s of processor time to compile, and this 0.2 s.
    use safe_arch::{
        cmp_eq_mask_i8_m128i, load_unaligned_m128i, m128i, min_u8_m128i, move_mask_i8_m128i, set_splat_i8_m128i,
    };

    use super::WIDTH;

    #[derive(Clone, Copy)]
    pub(in super::super) struct Bytes(m128i);

    impl Bytes {
        #[inline]
        pub(in super::super) fn new(bytes: &[u8; WIDTH]) -> Self {
            Self(load_unaligned_m128i(bytes))
        }

        /// Sets bits in each byte.
        #[inline]
        pub(in super::super) fn with(self, bits: u8) -> Self {
            Self(self.0 | splat(bits))
        }

        /// Finds the bytes that equal `byte`.
        #[inline]
        pub(in super::super) fn equal(self, byte: u8) -> u16 {
            mask(cmp_eq_mask_i8_m128i(self.0, splat(byte)))
        }

        /// Finds the bytes up to `max`.
        #[inline]
        pub(in super::super) fn at_most(self, max: u8) -> u16 {
            mask(cmp_eq_mask_i8_m128i(min_u8_m128i(self.0, splat(max)), self.0))
        }
    }

    #[inline]
    fn splat(byte: u8) -> m128i {
        set_splat_i8_m128i(byte.cast_signed())
    }

    #[inline]
    fn mask(equal: m128i) -> u16 {
        move_mask_i8_m128i(equal) as u16
    }
}

#[cfg(any(test, not(all(feature = "client", target_arch = "x86_64"))))]
mod words {
    use super::WIDTH;

    const LOWEST: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGHEST: u64 = u64::from_le_bytes([0x80; 8]);

    #[derive(Clone, Copy)]
    pub(in super::super) struct Bytes([u64; 2]);

    impl Bytes {
        #[inline]
        pub(in super::super) fn new(bytes: &[u8; WIDTH]) -> Self {
            let whole = u128::from_le_bytes(*bytes);
            Self([whole as u64, (whole >> 64) as u64])
        }

        /// Sets bits in each byte.
        #[cfg(any(test, feature = "client"))]
        #[inline]
        pub(in super::super) fn with(self, bits: u8) -> Self {
            Self(self.0.map(|word| word | splat(bits)))
        }

        /// Finds the bytes that equal `byte`.
        #[inline]
        pub(in super::super) fn equal(self, byte: u8) -> u16 {
            mask(self.0.map(|word| at_least_one(word ^ splat(byte)) ^ HIGHEST))
        }

        /// Finds the bytes up to `max`, which is below 128.
        #[inline]
        pub(in super::super) fn at_most(self, max: u8) -> u16 {
            // The sum of the low seven bits carries into the highest one above `max`, and a byte from 128 has it already.
            let above = |word: u64| (((word & !HIGHEST) + splat(0x7f - max)) | word) & HIGHEST;
            mask(self.0.map(|word| above(word) ^ HIGHEST))
        }
    }

    /// Returns the highest bit of each byte that is not zero.
    #[inline]
    fn at_least_one(word: u64) -> u64 {
        (((word & !HIGHEST) + !HIGHEST) | word) & HIGHEST
    }

    #[inline]
    fn splat(byte: u8) -> u64 {
        LOWEST * u64::from(byte)
    }

    /// Moves the highest bits of all bytes next to each other.
    #[inline]
    fn mask(words: [u64; 2]) -> u16 {
        // Adds the eight bits, each shifted to its place in the highest byte.
        let [low, high] = words.map(|word| (word >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56);
        (low | (high << 8)) as u16
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(bytes: &[u8; WIDTH], found: impl Fn(u8) -> bool) -> u16 {
        bytes.iter().enumerate().map(|(at, byte)| u16::from(found(*byte)) << at).sum()
    }

    proptest! {
        #[test]
        fn comparisons_find_the_same_as_byte_by_byte(
            bytes: [u8; WIDTH],
            alike in prop::collection::vec((0..WIDTH, -1..=1_i8), 0..WIDTH),
            byte: u8,
            max in 0..0x80_u8,
        ) {
            let mut bytes = bytes;
            for (at, difference) in alike {
                bytes[at] = byte.wrapping_add_signed(difference);
            }
            let equal = naive(&bytes, |it| it == byte);
            prop_assert_eq!((Bytes::new(&bytes).equal(byte), words::Bytes::new(&bytes).equal(byte)), (equal, equal));
            let at_most = naive(&bytes, |it| it <= max);
            prop_assert_eq!((Bytes::new(&bytes).at_most(max), words::Bytes::new(&bytes).at_most(max)), (at_most, at_most));
            let with = naive(&bytes, |it| it | 0x20 == byte);
            let found = (Bytes::new(&bytes).with(0x20).equal(byte), words::Bytes::new(&bytes).with(0x20).equal(byte));
            prop_assert_eq!(found, (with, with));
        }
    }
}
