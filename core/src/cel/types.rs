//! The types of CEL, and when one fits where another is asked for.

use alloc::{rc::Rc, string::String, vec::Vec};
use core::fmt;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// That of an expression that is wrong, which fits anywhere.
    Error,
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    List(Rc<Type>),
    Map(Rc<Type>, Rc<Type>),
    Optional(Rc<Type>),
    /// That of types.
    Meta(Rc<Type>),
    /// A type of a library.
    Opaque(&'static str),
    /// A type of a library that counts as a message.
    Struct(&'static str),
    /// An object of a schema, by the way to it.
    Object(Rc<str>),
    /// A type that is to be found.
    Var(usize),
    /// What a function has for any type.
    Param(char),
}

impl Type {
    pub(super) fn list(items: Self) -> Self {
        Self::List(Rc::new(items))
    }

    pub(super) fn map(keys: Self, values: Self) -> Self {
        Self::Map(Rc::new(keys), Rc::new(values))
    }

    pub(super) fn optional(value: Self) -> Self {
        Self::Optional(Rc::new(value))
    }

    /// The type that is written so.
    pub(super) fn parse(text: &'static str) -> Self {
        match text {
            "dyn" => return Self::Dyn,
            "bool" => return Self::Bool,
            "int" => return Self::Int,
            "uint" => return Self::Uint,
            "double" => return Self::Double,
            "string" => return Self::String,
            "bytes" => return Self::Bytes,
            "timestamp" => return Self::Timestamp,
            "duration" => return Self::Duration,
            _ => {}
        }
        if let Some((name, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            let mut params = split(inner).map(Self::parse);
            let first = params.next().unwrap_or(Self::Dyn);
            return match name {
                "list" => Self::list(first),
                "map" => Self::map(first, params.next().unwrap_or(Self::Dyn)),
                "type" => Self::Meta(Rc::new(first)),
                _ => Self::optional(first),
            };
        }
        match text.as_bytes() {
            [letter] => Self::Param(char::from(*letter)),
            _ if text.starts_with("net.") => Self::Opaque(text),
            _ => Self::Struct(text),
        }
    }

    /// What the type is made of.
    pub(super) fn params(&self) -> Vec<&Self> {
        match self {
            Self::List(one) | Self::Optional(one) | Self::Meta(one) => alloc::vec![one],
            Self::Map(key, value) => alloc::vec![key, value],
            _ => Vec::new(),
        }
    }

    /// The same type of other parts.
    pub(super) fn with(&self, change: &mut dyn FnMut(&Self) -> Self) -> Self {
        match self {
            Self::List(one) => Self::list(change(one)),
            Self::Optional(one) => Self::optional(change(one)),
            Self::Meta(one) => Self::Meta(Rc::new(change(one))),
            Self::Map(key, value) => {
                let key = change(key);
                Self::map(key, change(value))
            }
            other => other.clone(),
        }
    }

    pub(super) const fn is_dyn_or_error(&self) -> bool {
        matches!(self, Self::Dyn | Self::Error)
    }

    /// Whether both are types of one kind, whatever they are made of.
    fn is_of_kind(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(_), Self::Object(_))
            | (Self::Struct(_), Self::Struct(_) | Self::Object(_))
            | (Self::Object(_), Self::Struct(_)) => true,
            _ => core::mem::discriminant(self) == core::mem::discriminant(other),
        }
    }

    /// Whether null has the type too.
    const fn is_nullable(&self) -> bool {
        matches!(
            self,
            Self::Optional(_)
                | Self::Opaque(_)
                | Self::Struct(_)
                | Self::Object(_)
                | Self::Timestamp
                | Self::Duration
                | Self::Null
        )
    }
}

/// The parts between commas that stand in no brackets.
pub(super) fn split(text: &'static str) -> impl Iterator<Item = &'static str> {
    let mut depth = 0;
    let parts = text.split(move |letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    parts.filter(|part| !part.is_empty())
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Error => "!error!",
            Self::Dyn => "dyn",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "timestamp",
            Self::Duration => "duration",
            Self::Opaque(name) | Self::Struct(name) => name,
            Self::Object(name) => name,
            Self::List(items) => return write!(f, "list({items})"),
            Self::Map(keys, values) => return write!(f, "map({keys}, {values})"),
            Self::Optional(value) => return write!(f, "optional_type({value})"),
            Self::Meta(of) => return write!(f, "type({of})"),
            Self::Var(id) => return write!(f, "_var{id}"),
            Self::Param(name) => return write!(f, "{name}"),
        };
        f.write_str(name)
    }
}

/// What is known of the types that are to be found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    types: Vec<Option<Type>>,
}

impl Found {
    /// A new type to be found.
    pub(super) fn new_var(&mut self) -> Type {
        self.types.push(None);
        Type::Var(self.types.len() - 1)
    }

    fn get(&self, type_: &Type) -> Option<&Type> {
        match type_ {
            Type::Var(id) => self.types[*id].as_ref(),
            _ => None,
        }
    }

    /// Whether all of the types fit where the others are asked for; if so, what that says of types to be found is kept.
    pub(super) fn fit_all<'t>(
        &mut self,
        types: impl Iterator<Item = &'t Type>,
        asked: impl Iterator<Item = &'t Type>,
    ) -> bool {
        let mut found = self.clone();
        let fits = types
            .zip(asked)
            .all(|(type_, asked)| found.assign(type_, asked));
        if fits {
            *self = found;
        }
        fits
    }

    /// Whether the type fits where another is asked for.
    pub(super) fn fit(&mut self, type_: &Type, asked: &Type) -> bool {
        self.fit_all([type_].into_iter(), [asked].into_iter())
    }

    fn assign(&mut self, type_: &Type, asked: &Type) -> bool {
        if let Type::Var(_) = asked {
            match self.stands_for(type_, asked) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => {}
            }
        }
        if let Type::Var(_) = type_ {
            return self.stands_for(asked, type_).0;
        }
        match (type_, asked) {
            (one, other) if one.is_dyn_or_error() || other.is_dyn_or_error() => true,
            (Type::Null, other) | (other, Type::Null) => other.is_nullable(),
            (Type::Meta(_), Type::Meta(_)) => true,
            (Type::List(_) | Type::Map(..) | Type::Optional(_), other) => {
                let (ours, theirs) = (type_.params(), other.params());
                type_.is_of_kind(other)
                    && ours
                        .iter()
                        .zip(theirs)
                        .all(|(one, other)| self.assign(one, other))
            }
            (one, other) => one == other,
        }
    }

    /// Whether the type can be what the variable stands for, and whether that was known before.
    fn stands_for(&mut self, type_: &Type, var: &Type) -> (bool, bool) {
        if type_ == var {
            return (true, true);
        }
        let Some(known) = self.get(var).cloned() else {
            let is_apart = self.is_apart(var, type_);
            if is_apart {
                self.set(var, type_.clone());
            }
            return (is_apart, false);
        };
        if known == *type_ {
            return (true, true);
        }
        if !self.assign(type_, &known) {
            return (false, true);
        }
        let general = most_general(type_, &known).clone();
        if self.is_apart(var, &general) {
            self.set(var, general);
        }
        (true, true)
    }

    fn set(&mut self, var: &Type, type_: Type) {
        if let Type::Var(id) = var {
            self.types[*id] = Some(type_);
        }
    }

    /// Whether the variable does not occur in the type.
    fn is_apart(&self, var: &Type, type_: &Type) -> bool {
        if var == type_ {
            return false;
        }
        match self.get(type_) {
            Some(known) => self.is_apart(var, known),
            None => type_.params().iter().all(|param| self.is_apart(var, param)),
        }
    }

    /// The type with all that was found.
    pub(super) fn substitute(&self, type_: &Type) -> Type {
        match self.get(type_) {
            Some(known) => self.substitute(known),
            None => type_.with(&mut |param| self.substitute(param)),
        }
    }

    /// The type with all that was found, in which the rest can be anything.
    pub(super) fn finished(&self, type_: &Type) -> Type {
        match (self.get(type_), type_) {
            (Some(known), _) => self.finished(known),
            (None, Type::Var(_)) => Type::Dyn,
            (None, type_) => type_.with(&mut |param| self.finished(param)),
        }
    }
}

/// The more general of two types that fit.
pub(super) fn most_general<'t>(one: &'t Type, other: &'t Type) -> &'t Type {
    match is_less_specific(one, other) {
        true => one,
        false => other,
    }
}

fn is_less_specific(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Dyn | Type::Var(_), _) => true,
        (_, Type::Dyn | Type::Var(_)) => false,
        (Type::Meta(_), Type::Meta(_)) => true,
        (Type::List(_) | Type::Map(..) | Type::Optional(_), _) => {
            let (ours, theirs) = (one.params(), other.params());
            one.is_of_kind(other)
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(one, other)| is_less_specific(one, other))
        }
        _ => one == other,
    }
}

/// Whether two types are the same, whatever stands for any type.
pub(super) fn is_equivalent(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Var(_), Type::Var(_)) => true,
        (Type::List(_) | Type::Map(..) | Type::Optional(_) | Type::Meta(_), _) => {
            let (ours, theirs) = (one.params(), other.params());
            one.is_of_kind(other)
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(one, other)| is_equivalent(one, other))
        }
        _ => one == other,
    }
}

/// The types of arguments as the server writes them.
pub(super) fn signature(types: &[Type], is_member: bool) -> String {
    let mut text = String::new();
    let mut args = types;
    if let (true, [target, rest @ ..]) = (is_member, types) {
        text = alloc::format!("{target}.");
        args = rest;
    }
    text.push('(');
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&alloc::format!("{arg}"));
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn texts() {
        for text in [
            "list(map(string, optional_type(A)))",
            "type(A)",
            "net.IP",
            "kubernetes.URL",
        ] {
            let spaceless: &'static str = text.replace(' ', "").leak();
            assert_eq!(Type::parse(spaceless).to_string(), text);
        }
    }

    #[test]
    fn fitting() {
        let mut found = Found::default();
        let var = found.new_var();
        assert!(found.fit(&Type::list(Type::Int), &Type::list(var.clone())));
        assert!(!found.fit(&Type::String, &var));
        assert!(found.fit(&Type::Dyn, &var));
        assert_eq!(found.substitute(&var), Type::Dyn);
        let other = found.new_var();
        assert!(!found.fit(&other, &Type::list(other.clone())));
        assert_eq!(found.finished(&Type::list(other)), Type::list(Type::Dyn));
        assert!(found.fit(&Type::Null, &Type::Timestamp));
        assert!(!found.fit(&Type::Null, &Type::String));
    }
}
