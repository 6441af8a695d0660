//! Shard selectors, as the API server evaluates them: ranges of the hash of the uid.

use std::ops::Range;

use crdkit_benches::http::Request;

/// The ranges of a request; everything without any.
#[derive(Debug, Default)]
pub(super) struct Selector {
    text: Option<String>,
    ranges: Vec<Range<u128>>,
}

impl Selector {
    pub(super) fn of(request: &Request) -> Self {
        let text = request.value("shardSelector").map(str::to_owned);
        let ranges = text.as_deref().map(ranges).unwrap_or_default();
        Self { text, ranges }
    }

    /// The range of one of several shards of the same size.
    pub(super) fn of_shard(shard: usize, of: usize) -> Self {
        let bound = |shard: usize| ((shard as u128) << 64) / of as u128;
        let range = bound(shard)..bound(shard + 1);
        Self { text: Some(String::new()), ranges: Vec::from([range]) }
    }

    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    pub(super) fn selects(&self, hash: u64) -> bool {
        self.text.is_none() || self.ranges.iter().any(|range| range.contains(&u128::from(hash)))
    }
}

fn ranges(text: &str) -> Vec<Range<u128>> {
    let bound = |quoted: &str| u128::from_str_radix(quoted.trim_start_matches("0x"), 16).expect("a hexadecimal bound");
    let range = |call: &str| {
        let quoted: Vec<&str> = call.split('\'').collect();
        bound(quoted[1])..bound(quoted[3])
    };
    text.split("||").map(range).collect()
}

/// FNV-1a with 64 bits.
pub(super) fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_a_selector() {
        let text = "shardRange(object.metadata.uid, '0x0000000000000000', '0x4000000000000000') || \
                    shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')";
        let selector = Selector { text: Some(text.to_owned()), ranges: ranges(text) };
        let selected = [0, 1 << 62, 3 << 62, u64::MAX].map(|hash| selector.selects(hash));
        assert_eq!(selected, [true, false, true, true]);
    }
}
