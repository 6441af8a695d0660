//! Finds the end of an object or a list, 64 bytes at a time.

use super::vector::{Bytes, WIDTH};

const BYTES: usize = 64;

/// The positions of significant bytes in a block: one bit per byte, the lowest bit for the first byte.
struct Block {
    quotes: u64,
    backslashes: u64,
    opens: u64,
    closes: u64,
}

impl Block {
    #[inline]
    fn new(bytes: &[u8; BYTES]) -> Self {
        let mut block = Self { quotes: 0, backslashes: 0, opens: 0, closes: 0 };
        let (parts, _) = bytes.as_chunks::<WIDTH>();
        for (part, shift) in parts.iter().zip([0, 16, 32, 48]) {
            let part = Bytes::new(part);
            // With this bit set, a bracket equals a brace.
            let braces = part.with(0x20);
            block.quotes |= u64::from(part.equal(b'"')) << shift;
            block.backslashes |= u64::from(part.equal(b'\\')) << shift;
            block.opens |= u64::from(braces.equal(b'{')) << shift;
            block.closes |= u64::from(braces.equal(b'}')) << shift;
        }
        block
    }

    /// Creates the last block of a text, padded with spaces.
    #[cold]
    fn padded(rest: &[u8]) -> Self {
        let mut bytes = [b' '; BYTES];
        bytes[..rest.len()].copy_from_slice(rest);
        Self::new(&bytes)
    }
}

/// The state that is carried from block to block.
#[derive(Default)]
struct ScanState {
    /// All ones if the block starts inside a string.
    in_string: u64,
    /// One if the first byte of the block is escaped.
    escaped: u64,
    depth: u32,
}

impl ScanState {
    /// Returns the position at which the depth reaches zero.
    #[inline]
    fn close(&mut self, block: &Block) -> Option<u32> {
        let quotes = block.quotes & !self.escaped(block.backslashes);
        let in_string = prefix_xor(quotes) ^ self.in_string;
        self.in_string = ((in_string as i64) >> 63) as u64;
        let (opens, closes) = (block.opens & !in_string, block.closes & !in_string);
        let (opened, closed) = (opens.count_ones(), closes.count_ones());
        if self.depth <= closed
            && let Some(end) = closing_position(self.depth, opens, closes)
        {
            return Some(end);
        }
        self.depth = self.depth + opened - closed;
        None
    }

    /// Returns the bytes that a backslash escapes.
    #[inline]
    fn escaped(&mut self, backslashes: u64) -> u64 {
        if backslashes | self.escaped == 0 {
            return 0;
        }
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        // The first backslash of a run escapes the next byte; the subtraction carries that to the end of the run.
        let begins = backslashes & !self.escaped;
        let rows = ((begins << 1) | ODD).wrapping_sub(begins) ^ ODD;
        let escaped = rows ^ (backslashes | self.escaped);
        self.escaped = (rows & backslashes) >> 63;
        escaped
    }
}

/// Returns the position at which closing bytes outnumber opening bytes by `depth`.
fn closing_position(mut depth: u32, opens: u64, closes: u64) -> Option<u32> {
    let mut both = opens | closes;
    while both != 0 {
        let lowest = both & both.wrapping_neg();
        if opens & lowest != 0 {
            depth += 1;
        } else if depth == 1 {
            return Some(lowest.trailing_zeros());
        } else {
            depth -= 1;
        }
        both ^= lowest;
    }
    None
}

/// Each bit of the result is the parity of the bits up to it.
#[inline]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// Returns the end of the object or list that starts at `start`. Only strings in it are examined, nothing else is
/// validated.
pub(super) fn container_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut state = ScanState::default();
    let mut at = start;
    let (blocks, rest) = bytes[start..].as_chunks::<BYTES>();
    for block in blocks {
        if let Some(end) = state.close(&Block::new(block)) {
            return Some(at + end as usize + 1);
        }
        at += BYTES;
    }
    let end = state.close(&Block::padded(rest))?;
    Some(at + end as usize + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reference implementation, byte by byte.
    fn naive_end(text: &[u8]) -> Option<usize> {
        let (mut depth, mut in_string, mut escaped) = (0, false, false);
        for (at, byte) in text.iter().enumerate() {
            let plain = !std::mem::take(&mut escaped);
            match byte {
                b'\\' => escaped = plain,
                b'"' if plain => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    #[test]
    fn end_is_found_at_any_position() {
        for inner in 0..200 {
            for filling in ["a", "\\\\", "\\\"", "{", "]"] {
                let text = format!("{{\"{}\"}}}}", filling.repeat(inner));
                assert_eq!(container_end(text.as_bytes(), 0), Some(text.len() - 1));
            }
            let nested = format!("{}{}}}", "[".repeat(inner + 1), "]".repeat(inner + 1));
            assert_eq!(container_end(nested.as_bytes(), 0), Some(2 * inner + 2));
            assert_eq!(container_end(&nested.as_bytes()[..=2 * inner], 0), None);
        }
    }

    proptest! {
        #[test]
        fn block_boundaries_do_not_matter(text in r#"[{\[][{}\[\]a"\\ ]{0,300}"#) {
            prop_assert_eq!(container_end(text.as_bytes(), 0), naive_end(text.as_bytes()));
        }
    }
}
