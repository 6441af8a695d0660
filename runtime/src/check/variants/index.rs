//! The names in all variants of an enum, so that each variant is compared with few others: an enum of a thousand variants has
//! half a million pairs.

use std::mem::swap;

use crate::schema::{
    Schema, Shape, Tagging, Variant,
    fnv::hash,
    walk::{
        Kind, equal, kind, strip_newtypes,
        variants::{Name, form, name as names},
    },
};

/// The variants of an enum, and the `N` names in their data.
#[derive(Clone, Copy)]
pub struct Index<const N: usize> {
    /// Sorted by the hash of the name and the variant.
    entries: [Entry; N],
    /// The first variant of each form.
    pub(super) firsts: Firsts,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    name: &'static str,
    variant: usize,
}

impl Entry {
    const BLANK: Self = Self { hash: 0, name: "", variant: 0 };
}

/// Returns the number of names in the data of all variants.
pub const fn count(schema: &'static Schema) -> usize {
    let mut count = 0;
    if let Shape::OneOf(tagging, variants) = strip_newtypes(schema).shape {
        let mut at = 0;
        while at < variants.len() {
            if let Some(data) = compared(tagging, &variants[at]) {
                count += count_names(data);
            }
            at += 1;
        }
    }
    count
}

const fn count_names(part: &'static Schema) -> usize {
    let mut count = 0;
    let mut at = 0;
    while let Some(name) = names(strip_newtypes(part), at) {
        match name {
            Name::Of(_) => count += 1,
            Name::In(part) => count += count_names(part),
            Name::Nothing => {}
        }
        at += 1;
    }
    count
}

/// The data of a variant, if its fields share a schema with those of other variants.
pub(super) const fn compared(tagging: Tagging, variant: &Variant) -> Option<&'static Schema> {
    match (variant.tagging(tagging), variant.content) {
        (Tagging::External, _) | (_, None) => None,
        (_, Some(content)) => match kind(content) {
            Kind::Object | Kind::Map => Some(content),
            _ => None,
        },
    }
}

impl<const N: usize> Index<N> {
    /// Returns the index of an enum with `N` names.
    pub const fn of(schema: &'static Schema) -> Self {
        let mut index = Self { entries: [Entry::BLANK; N], firsts: Firsts::NONE };
        let mut length = 0;
        if let Shape::OneOf(tagging, variants) = strip_newtypes(schema).shape {
            let mut at = 0;
            while at < variants.len() {
                index.firsts.add(tagging, &variants[at], at);
                if let Some(data) = compared(tagging, &variants[at]) {
                    length = index.add(data, at, length);
                }
                at += 1;
            }
        }
        index.entries = sorted(index.entries);
        index
    }

    const fn add(&mut self, part: &'static Schema, variant: usize, mut length: usize) -> usize {
        let mut at = 0;
        while let Some(name) = names(strip_newtypes(part), at) {
            match name {
                Name::Of(name) => {
                    self.entries[length] = Entry { hash: hash(name), name, variant };
                    length += 1;
                }
                Name::In(part) => length = self.add(part, variant, length),
                Name::Nothing => {}
            }
            at += 1;
        }
        length
    }

    /// Returns the first and the last variant before another one that have a name.
    pub(super) const fn holders(&self, name: &str, before: usize) -> Option<[usize; 2]> {
        let hash = hash(name);
        let (start, end) = (self.position(hash, 0), self.position(hash, before));
        if start == end || !equal(self.entries[start].name, name) {
            return None;
        }
        Some([self.entries[start].variant, self.entries[end - 1].variant])
    }

    /// Returns the number of entries with a smaller hash, or the same one and an earlier variant.
    const fn position(&self, hash: u64, variant: usize) -> usize {
        let (mut low, mut high) = (0, N);
        while low < high {
            let middle = usize::midpoint(low, high);
            let entry = &self.entries[middle];
            if entry.hash < hash || entry.hash == hash && entry.variant < variant {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Sorts entries by their hashes, and keeps the order of those with equal ones.
const fn sorted<const N: usize>(mut entries: [Entry; N]) -> [Entry; N] {
    let mut merged = entries;
    let mut width = 1;
    while width < N {
        let mut start = 0;
        while start < N {
            merge(&entries, &mut merged, start, width);
            start += 2 * width;
        }
        swap(&mut entries, &mut merged);
        width *= 2;
    }
    entries
}

/// Merges two sorted runs of `width` entries.
const fn merge<const N: usize>(from: &[Entry; N], into: &mut [Entry; N], start: usize, width: usize) {
    let middle = if start + width < N { start + width } else { N };
    let end = if middle + width < N { middle + width } else { N };
    let (mut one, mut other, mut at) = (start, middle, start);
    while at < end {
        if one < middle && (other == end || from[one].hash <= from[other].hash) {
            into[at] = from[one];
            one += 1;
        } else {
            into[at] = from[other];
            other += 1;
        }
        at += 1;
    }
}

/// How a variant shares its schema with others.
#[derive(Clone, Copy)]
struct Form {
    has_data: bool,
    /// Whether the data is beside a tag, in a field of its own.
    is_adjacent: bool,
    is_untagged: bool,
    /// The kind of the data, or that of the variant without data; opaque if it is null.
    kind: Kind,
}

impl Form {
    const fn of(tagging: Tagging, variant: &Variant) -> Self {
        let own = variant.tagging(tagging);
        Self {
            has_data: variant.content.is_some(),
            is_adjacent: matches!(own, Tagging::Adjacent { .. }),
            is_untagged: matches!(own, Tagging::Untagged),
            kind: match (variant.content, form(tagging, variant)) {
                (Some(content), _) => kind(content),
                (None, Some(kind)) => kind,
                (None, None) => Kind::Opaque,
            },
        }
    }

    const fn is(&self, other: &Self) -> bool {
        self.has_data == other.has_data
            && self.is_adjacent == other.is_adjacent
            && self.is_untagged == other.is_untagged
            && self.kind.is(other.kind)
    }
}

/// The first variant of each form.
#[derive(Clone, Copy)]
pub(super) struct Firsts {
    found: [Option<(Form, usize)>; Self::CAPACITY],
}

impl Firsts {
    /// With and without data, tagged and untagged, and the number of kinds; an enum has one tagging, so not all occur.
    const CAPACITY: usize = 2 * 2 * 9;

    const NONE: Self = Self { found: [None; Self::CAPACITY] };

    const fn add(&mut self, tagging: Tagging, variant: &Variant, at: usize) {
        let form = Form::of(tagging, variant);
        let mut slot = 0;
        while let Some((known, _)) = &self.found[slot] {
            if known.is(&form) {
                return;
            }
            slot += 1;
        }
        self.found[slot] = Some((form, at));
    }

    /// Returns one of these variants, in the order of the enum; none after the last one before `before`.
    pub(super) const fn get(&self, slot: usize, before: usize) -> Option<usize> {
        if slot == Self::CAPACITY {
            return None;
        }
        match self.found[slot] {
            Some((_, at)) if at < before => Some(at),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Field, KubeSchema};

    const FIELDS: &[Field] = &[Field::new("a", <u8>::SCHEMA_REF), Field::new("b", <u8>::SCHEMA_REF)];
    const BOTH: Schema = Schema::object(FIELDS);
    const LAST: Schema = Schema::object(&[Field::flattened(&BOTH), Field::new("c", <u8>::SCHEMA_REF)]);
    const ALL: Schema = Schema::one_of(
        Tagging::Internal("type"),
        &[
            Variant::new("None"),
            Variant::new("Both").with(&BOTH),
            Variant::new("Text").with(<String>::SCHEMA_REF),
            Variant::new("Also").with(&BOTH),
            Variant::new("Last").with(&LAST),
        ],
    );
    const INDEX: Index<{ count(&ALL) }> = Index::of(&ALL);

    #[test]
    fn variants_that_have_a_name() {
        for (name, before, expected) in [
            ("a", 5, Some([1, 4])),
            ("b", 4, Some([1, 3])),
            ("b", 3, Some([1, 1])),
            ("b", 1, None),
            ("c", 5, Some([4, 4])),
            ("c", 4, None),
            ("d", 5, None),
        ] {
            assert_eq!(INDEX.holders(name, before), expected, "{name} before {before}");
        }
    }

    #[test]
    fn first_variants_of_each_form() {
        let before = |before| (0..).map_while(move |slot| INDEX.firsts.get(slot, before)).collect::<Vec<_>>();
        assert_eq!(before(5), [0, 1, 2]);
        assert_eq!(before(2), [0, 1]);
        assert!(before(0).is_empty());
    }

    #[test]
    fn sorting_keeps_the_order_of_equal_entries() {
        const MANY: [Entry; 37] = {
            let mut entries = [Entry::BLANK; 37];
            let mut at = 0;
            while at < entries.len() {
                entries[at] = Entry { hash: (at * 7 % 5) as u64, variant: at, ..Entry::BLANK };
                at += 1;
            }
            entries
        };
        let mut expected: Vec<_> = MANY.iter().map(|entry| (entry.hash, entry.variant)).collect();
        expected.sort_unstable();
        let actual = sorted(MANY);
        assert!(actual.iter().map(|entry| (entry.hash, entry.variant)).eq(expected));
    }
}
