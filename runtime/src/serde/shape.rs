//! What derives know of a type: names, as constant data.

/// The fields of a struct or a variant.
#[derive(Debug)]
pub struct Fields {
    /// The name of the type, or of the variant.
    pub name: &'static str,
    /// What errors expect, such as `struct Foo`.
    pub expecting: &'static str,
    /// The names of the fields that are decoded, each with its aliases.
    pub names: &'static [&'static str],
    /// Which names are aliases, if any is.
    pub aliases: Option<Aliases>,
    /// The indexes of the fields that may be missing because of serde's `default`, in ascending order.
    pub defaults: &'static [u16],
    /// Whether other fields are errors.
    pub denies_unknown_fields: bool,
    /// Whether a list of the values is an error.
    pub denies_lists: bool,
    /// The indexes of the fields with a default of the schema, which a resource fills in.
    pub schema_defaults: &'static [u16],
}

/// What names with aliases stand for.
#[derive(Debug)]
pub struct Aliases {
    /// The names of the fields, without aliases.
    pub fields: &'static [&'static str],
    /// For each name, the index of the field.
    pub indexes: &'static [u16],
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
        let index = self.aliases.as_ref().map_or(at, |aliases| usize::from(aliases.indexes[at]));
        Some((index, at + 1))
    }

    /// The names of the fields, without aliases.
    fn own_names(&self) -> &'static [&'static str] {
        self.aliases.as_ref().map_or(self.names, |aliases| aliases.fields)
    }

    /// The number of fields.
    pub(super) fn count(&self) -> usize {
        self.own_names().len()
    }

    /// The name of a field.
    pub(super) fn name(&self, index: usize) -> &'static str {
        self.own_names()[index]
    }

    /// Whether a field may be missing because of serde's `default`.
    pub(super) fn has_default(&self, index: usize) -> bool {
        self.defaults.binary_search_by(|defaulted| usize::from(*defaulted).cmp(&index)).is_ok()
    }

    /// What errors expect of a list of the values, such as `struct Foo with 3 elements`.
    pub(super) fn expecting_elements(&self) -> String {
        let (count, plural) = (self.count(), if self.count() == 1 { "" } else { "s" });
        format!("{} with {count} element{plural}", self.expecting)
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
