//! The tables of Go's package `unicode`, read from `unicode.txt`, which `api-server/control-plane/oracles` generates:
//!
//! ```text
//! cd api-server/control-plane && go run ./oracles unicode > ../../core/src/go/unicode.txt
//! ```

use alloc::vec::Vec;

const TABLES: &str = include_str!("unicode.txt");

/// The greatest code point.
pub(crate) const MAX: u32 = 0x10_FFFF;

/// The first and the last code point of a range.
pub(crate) type Range = (u32, u32);

/// Returns the code points of a general category; `None` if the category does not exist.
pub(crate) fn category(name: &str) -> Option<Vec<Range>> {
    match name {
        "LC" => Some(union(&["Ll", "Lt", "Lu"])),
        "Cn" => Some(complement(&all_of(""))),
        "C" => Some(complement(&union(&["L", "M", "N", "P", "S", "Z"]))),
        "L" | "M" | "N" | "P" | "S" | "Z" => Some(all_of(name)),
        leaf => table("category ", leaf),
    }
}

/// Returns the code points of a script.
pub(crate) fn script(name: &str) -> Option<Vec<Range>> {
    table("script ", name)
}

/// Returns the category with an alias, which has no underscores and only its first letter in upper case.
pub(crate) fn alias(name: &str) -> Option<&'static str> {
    entry("alias ", name)
}

/// Whether a character is a letter.
pub(crate) fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || !c.is_ascii() && contains(&all_of("L"), c)
}

/// Whether a character is a symbol.
pub(crate) fn is_symbol(c: char) -> bool {
    contains(&all_of("S"), c)
}

/// Whether one of the sorted ranges contains a character.
pub(crate) fn contains(ranges: &[Range], c: char) -> bool {
    let code = u32::from(c);
    let at = ranges.partition_point(|(_, hi)| *hi < code);
    ranges.get(at).is_some_and(|(lo, _)| *lo <= code)
}

/// Returns the sorted code points of all categories whose names have one of these prefixes.
pub(crate) fn union(prefixes: &[&str]) -> Vec<Range> {
    prefixes.iter().copied().map(all_of).fold(Vec::new(), join)
}

/// Whether a character is in a category whose name has one of these prefixes.
pub(crate) fn has(prefixes: &[&str], character: char) -> bool {
    let code = u32::from(character);
    let ranges = union(prefixes);
    ranges.iter().any(|(lo, hi)| (*lo..=*hi).contains(&code))
}

fn all_of(prefix: &str) -> Vec<Range> {
    let categories = TABLES.lines().filter_map(|line| {
        let (name, runs) = line.strip_prefix("category ")?.split_once(' ')?;
        name.starts_with(prefix).then(|| ranges(runs))
    });
    categories.fold(Vec::new(), join)
}

fn join(mut all: Vec<Range>, more: Vec<Range>) -> Vec<Range> {
    all.extend(more);
    all.sort_unstable();
    let mut joined: Vec<Range> = Vec::with_capacity(all.len());
    for (lo, hi) in all {
        match joined.last_mut() {
            Some(last) if lo <= last.1 + 1 => last.1 = hi.max(last.1),
            _ => joined.push((lo, hi)),
        }
    }
    joined
}

fn complement(sorted: &[Range]) -> Vec<Range> {
    let mut left = Vec::new();
    let mut next = 0;
    for &(lo, hi) in sorted {
        if next < lo {
            left.push((next, lo - 1));
        }
        next = hi + 1;
    }
    if next <= MAX {
        left.push((next, MAX));
    }
    left
}

fn table(kind: &str, name: &str) -> Option<Vec<Range>> {
    entry(kind, name).map(ranges)
}

/// Returns the value of an entry.
fn entry(kind: &str, name: &str) -> Option<&'static str> {
    TABLES.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(name)?.strip_prefix(' '))
}

fn ranges(runs: &str) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    let mut reader = Reader(runs.as_bytes(), 0);
    let mut end = 0;
    while let Some((gap, count, stride)) = reader.run() {
        let lo = end + gap;
        let (step, length, times) = match stride {
            1 => (0, count, 1),
            _ => (stride, 1, count),
        };
        for at in 0..times {
            let lo = lo + at * step;
            end = lo + length;
            match ranges.last_mut() {
                Some(last) if last.1 + 1 == lo => last.1 = end - 1,
                _ => ranges.push((lo, end - 1)),
            }
        }
    }
    ranges
}

/// Returns the next code point in the cycle of case variants, as Go's `unicode.SimpleFold`; the code point itself if there is no
/// other.
pub(crate) fn simple_fold(code: u32) -> u32 {
    let around = FOLDS.iter().take_while(|fold| fold.lo <= code);
    let mut found = around.filter(|fold| fold.has(code));
    found.next().map_or(code, |fold| fold.next(code))
}

/// Calls `visit` for each code point of a range that has case variants.
pub(crate) fn folded_within((lo, hi): Range, mut visit: impl FnMut(u32)) {
    for fold in FOLDS.iter().take_while(|fold| fold.lo <= hi) {
        let mut code = fold.lo;
        while code <= fold.hi.min(hi) {
            if code >= lo {
                visit(code);
            }
            code += fold.stride;
        }
    }
}

/// A run of code points with the same distance to the next case variant.
#[derive(Clone, Copy)]
struct Fold {
    lo: u32,
    hi: u32,
    stride: u32,
    distance: i32,
}

impl Fold {
    const fn has(self, code: u32) -> bool {
        self.lo <= code && code <= self.hi && (code - self.lo).is_multiple_of(self.stride)
    }

    const fn next(self, code: u32) -> u32 {
        code.wrapping_add_signed(self.distance)
    }
}

static FOLDS: [Fold; count_folds()] = read_folds();

const FOLD_LINE: &[u8] = {
    let tables = TABLES.as_bytes();
    let mut at = tables.len() - 1;
    while tables[at - 1] != b'\n' {
        at -= 1;
    }
    tables.split_at(at + "fold".len()).1
};

const fn count_folds() -> usize {
    let (mut count, mut at) = (0, 0);
    while at < FOLD_LINE.len() {
        count += (FOLD_LINE[at] == b' ') as usize;
        at += 1;
    }
    count
}

const fn read_folds<const N: usize>() -> [Fold; N] {
    let none = Fold { lo: 0, hi: 0, stride: 1, distance: 0 };
    let mut folds = [none; N];
    let mut reader = Reader(FOLD_LINE, 0);
    let (mut at, mut start) = (0, 0);
    while let Some((gap, count, stride)) = reader.run() {
        start += gap;
        folds[at] = Fold { lo: start, hi: start + (count - 1) * stride, stride, distance: reader.distance() };
        at += 1;
    }
    folds
}

/// Reads runs, `gap:count/stride`.
struct Reader<'a>(&'a [u8], usize);

impl Reader<'_> {
    /// Returns the gap, the count and the stride.
    const fn run(&mut self) -> Option<(u32, u32, u32)> {
        self.take(b' ');
        if self.1 >= self.0.len() || self.0[self.1] == b'\n' {
            return None;
        }
        let gap = self.number();
        let count = if self.take(b':') { self.number() } else { 1 };
        let stride = if self.take(b'/') { self.number() } else { 1 };
        Some((gap, count, stride))
    }

    const fn distance(&mut self) -> i32 {
        let sign = if self.take(b'-') { -1 } else { 1 };
        self.take(b'+');
        sign * self.number().cast_signed()
    }

    const fn take(&mut self, byte: u8) -> bool {
        let there = self.1 < self.0.len() && self.0[self.1] == byte;
        self.1 += there as usize;
        there
    }

    const fn number(&mut self) -> u32 {
        let mut number = 0;
        while self.1 < self.0.len()
            && let Some(digit) = (self.0[self.1] as char).to_digit(16)
        {
            number = number * 16 + digit;
            self.1 += 1;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles() {
        for circle in [&['k', '\u{212A}', 'K'][..], &['1'], &['δ', 'Δ'], &['Ǆ', 'ǅ', 'ǆ']] {
            for (at, code) in circle.iter().enumerate() {
                let next = circle[(at + 1) % circle.len()];
                assert_eq!(simple_fold(u32::from(*code)), u32::from(next), "{code}");
            }
        }
        let mut seen = Vec::new();
        folded_within((0x40, 0x43), |code| seen.push(code));
        assert_eq!(seen, [0x41, 0x42, 0x43]);
    }

    #[test]
    fn tables() {
        assert_eq!(category("Cc"), Some([(0, 0x1F), (0x7F, 0x9F)].into()));
        assert_eq!(category("Xx"), None);
        assert_eq!(script("Old_Italic"), None);
        assert_eq!(alias("Letternumber"), Some("Nl"));
        let letters = category("L").unwrap_or_default();
        assert_eq!(letters[..2], [(0x41, 0x5A), (0x61, 0x7A)]);
    }
}
