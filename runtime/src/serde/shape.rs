//! What derives know of a type: names, as constant data.

/// The fields of a struct or a variant.
#[derive(Debug)]
pub struct Fields {
    /// The name of the type, or of the variant.
    pub name: &'static str,
    /// What errors expect, such as `struct Foo`.
    pub expecting: &'static str,
    /// What errors expect of a list of the fields, such as `struct Foo with 3 elements`; `None` if a list is an error.
    pub expecting_elements: Option<&'static str>,
    /// The names of the fields that are decoded, and their aliases.
    pub names: &'static [&'static str],
    /// For each name, the index of the field.
    pub indexes: &'static [u16],
    /// The fields that are decoded.
    pub fields: &'static [FieldShape],
    /// Whether other fields are errors.
    pub denies_unknown_fields: bool,
    /// The indexes of the fields with a default of the schema, which a resource fills in.
    pub schema_defaults: &'static [u16],
}

/// A field that is decoded.
#[derive(Debug)]
pub struct FieldShape {
    /// Its name, without aliases.
    pub name: &'static str,
    /// Whether it may be missing in a list.
    pub has_default: bool,
}

/// The variants of an enum.
#[derive(Debug)]
pub struct Variants {
    /// The name of the enum.
    pub name: &'static str,
    /// What errors expect, such as `enum Foo`.
    pub expecting: &'static str,
    /// The names of the variants that are decoded, and their aliases.
    pub names: &'static [&'static str],
    /// For each name, the index of the variant.
    pub indexes: &'static [u16],
    /// The index of the variant of all other names.
    pub other: Option<u16>,
}

impl Fields {
    /// Returns the index of a field, whose name is searched from a position in `names` on, and the position after it.
    ///
    /// Members usually come in the order of the fields.
    pub(super) fn index(&self, name: &[u8], from: usize) -> Option<(usize, usize)> {
        let is_name = |known: &&str| known.as_bytes() == name;
        let from = from.min(self.names.len());
        let (before, after) = self.names.split_at(from);
        let at = match after.iter().position(is_name) {
            Some(at) => from + at,
            None => before.iter().position(is_name)?,
        };
        Some((usize::from(self.indexes[at]), at + 1))
    }

    /// The number of fields.
    pub(super) const fn count(&self) -> usize {
        self.fields.len()
    }
}

impl Variants {
    /// The number of variants.
    pub(super) fn count(&self) -> usize {
        self.indexes.iter().max().map_or(0, |last| usize::from(*last) + 1)
    }

    /// Returns the index of a variant.
    pub(super) fn index(&self, name: &[u8]) -> Option<usize> {
        let known = self.names.iter().position(|known| known.as_bytes() == name);
        known.map(|at| self.indexes[at]).or(self.other).map(usize::from)
    }
}

/// The fields that were decoded.
#[derive(Default)]
pub(super) struct Seen {
    first: u64,
    others: Vec<bool>,
}

impl Seen {
    /// Returns whether a field was decoded.
    pub(super) fn contains(&self, index: usize) -> bool {
        if index < 64 { self.first & 1 << index != 0 } else { self.others.get(index).is_some_and(|seen| *seen) }
    }

    /// Adds a field; returns whether it is new.
    pub(super) fn insert(&mut self, index: usize) -> bool {
        if index < 64 {
            let is_new = self.first & 1 << index == 0;
            self.first |= 1 << index;
            return is_new;
        }
        if self.others.len() <= index {
            self.others.resize(index + 1, false);
        }
        !std::mem::replace(&mut self.others[index], true)
    }
}
