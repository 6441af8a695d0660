use std::fmt;

use super::types::Type;

/// The mark in a template where an expression stands.
const PLACE: char = '§';

/// An expression with its parts, which can be left out to find the smallest one that shows a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Its type.
    pub type_: Type,
    texts: Vec<String>,
    parts: Vec<Self>,
}

impl Expression {
    pub(crate) fn leaf(type_: &Type, text: impl Into<String>) -> Self {
        Self { type_: type_.clone(), texts: vec![text.into()], parts: Vec::new() }
    }

    /// An expression of others, which stand at the places of the template.
    pub(crate) fn of(type_: &Type, template: &str, parts: Vec<Self>) -> Self {
        let texts: Vec<_> = template.split(PLACE).map(str::to_owned).collect();
        assert_eq!(texts.len(), parts.len() + 1, "{template}");
        Self { type_: type_.clone(), texts, parts }
    }

    /// Smaller expressions of the same type, the smallest first.
    pub fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        if let Some(text) = simplest(&self.type_)
            && !self.parts.is_empty()
        {
            all.push(Self::leaf(&self.type_, text));
        }
        self.inner(&self.type_, &mut all);
        for (at, part) in self.parts.iter().enumerate() {
            for smaller in part.smaller() {
                let mut changed = self.clone();
                changed.parts[at] = smaller;
                all.push(changed);
            }
        }
        all
    }

    /// Adds the expressions of a type that are within.
    fn inner(&self, type_: &Type, all: &mut Vec<Self>) {
        for part in &self.parts {
            if part.type_ == *type_ {
                all.push(part.clone());
            } else {
                part.inner(type_, all);
            }
        }
    }
}

/// The shortest expression of a type.
fn simplest(type_: &Type) -> Option<&'static str> {
    Some(match &*type_.name {
        "int" => "1",
        "uint" => "1u",
        "double" => "1.0",
        "bool" => "true",
        "string" => "'a'",
        "bytes" => "b'a'",
        "list" => "[]",
        "map" => "{}",
        "dyn" => "dyn(1)",
        "timestamp" => "timestamp(0)",
        "duration" => "duration('1s')",
        _ => return None,
    })
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, rest) = self.texts.split_first().expect("there is a text before all parts");
        f.write_str(first)?;
        for (part, text) in self.parts.iter().zip(rest) {
            write!(f, "{part}{text}")?;
        }
        Ok(())
    }
}
