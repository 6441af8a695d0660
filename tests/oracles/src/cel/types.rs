use std::{borrow::Cow, collections::BTreeMap, fmt};

/// A type in CEL: a name or a variable, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Type {
    /// The name, as in the table of functions. That of an object begins with `self`.
    pub name: Cow<'static, str>,
    /// The parameters.
    pub of: Vec<Self>,
}

impl Type {
    /// A type without parameters.
    pub fn named(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), of: Vec::new() }
    }

    /// A list.
    pub fn list(items: Self) -> Self {
        Self { name: "list".into(), of: vec![items] }
    }

    /// A map.
    pub fn map(keys: Self, values: Self) -> Self {
        Self { name: "map".into(), of: vec![keys, values] }
    }

    /// An optional value.
    pub fn optional(value: Self) -> Self {
        Self { name: "optional_type".into(), of: vec![value] }
    }

    /// The types between commas.
    pub(crate) fn several(text: &'static str) -> Vec<Self> {
        let (mut all, mut depth, mut start) = (Vec::new(), 0, 0);
        for (at, letter) in text.char_indices().chain([(text.len(), ',')]) {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth == 0 && at > start => {
                    let (name, of) = text[start..at].split_once('(').unwrap_or((&text[start..at], ")"));
                    all.push(Self { name: name.into(), of: Self::several(&of[..of.len() - 1]) });
                    start = at + 1;
                }
                _ => {}
            }
        }
        all
    }

    /// Whether it is an object of the schema.
    pub fn is_object(&self) -> bool {
        self.name.starts_with("self")
    }

    fn is_variable(&self) -> bool {
        self.name.len() == 1
    }

    /// Whether a variable is in it.
    pub(crate) fn has_variables(&self) -> bool {
        self.is_variable() || self.of.iter().any(Self::has_variables)
    }

    /// Binds the variables such that this type is `other`, if that is possible.
    pub(crate) fn binds(&self, other: &Self, bound: &mut Bound) -> bool {
        if self.is_variable() {
            return bound.entry(self.name.clone()).or_insert_with(|| other.clone()) == other;
        }
        let is_same = self.name == other.name && self.of.len() == other.of.len();
        is_same && self.of.iter().zip(&other.of).all(|(one, other)| one.binds(other, bound))
    }

    /// The type without variables: unbound ones become what `any` returns.
    pub(crate) fn bound(&self, bound: &mut Bound, any: &mut impl FnMut() -> Self) -> Self {
        if self.is_variable() {
            return bound.entry(self.name.clone()).or_insert_with(any).clone();
        }
        Self { name: self.name.clone(), of: self.of.iter().map(|it| it.bound(bound, any)).collect() }
    }
}

/// The types of variables.
pub(crate) type Bound = BTreeMap<Cow<'static, str>, Type>;

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let [first, rest @ ..] = self.of.as_slice() {
            write!(f, "({first}")?;
            for it in rest {
                write!(f, ", {it}")?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}
