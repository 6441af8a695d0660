//! Types of CEL in const evaluation, as far as they are known.

use crdkit_core::{cel::Scalar, path::ElementStep};

use crate::{
    resource::definition::{Definition, RootSchema},
    schema::{
        Keyword, Shape, any_keyword,
        walk::{Kind, Value, has_keyword, is_open, key_names, strip_newtypes},
    },
};

/// The number of lists, maps and optional values around a value whose types are known. The types of deeper ones are not.
const MAX_DEPTH: usize = 4;

/// A type.
#[derive(Clone, Copy)]
pub(super) struct CelType {
    /// The lists, maps and optional values around the value. The innermost is the first.
    holders: [Holder; MAX_DEPTH],
    depth: usize,
    pub(super) inner: Inner,
}

/// A type that holds values of another type.
#[derive(Clone, Copy)]
pub(super) enum Holder {
    List,
    Optional,
    /// A map, with the type of its keys if it is known.
    Map(Option<Scalar>),
}

/// A type that holds no others.
#[derive(Clone, Copy)]
pub(super) enum Inner {
    /// It can be any type, also one that holds others.
    Unknown,
    Scalar(Scalar),
    /// An object with fields.
    Object(Value),
    /// A resource.
    Resource(&'static Definition),
    /// The metadata of a resource.
    Metadata,
}

impl CelType {
    pub(super) const UNKNOWN: Self = Self::of(Inner::Unknown);

    pub(super) const fn of(inner: Inner) -> Self {
        Self { holders: [Holder::List; MAX_DEPTH], depth: 0, inner }
    }

    pub(super) const fn scalar(scalar: Scalar) -> Self {
        Self::of(Inner::Scalar(scalar))
    }

    /// Returns the type of a value, if no evaluated keyword can change it and rules see it as it is declared.
    pub(super) const fn of_value(value: &Value) -> Self {
        if value.is_evaluated()
            || has_keyword!(value, Keyword::Evaluated(_) | Keyword::EmbeddedResource | Keyword::PreserveUnknownFields)
        {
            return Self::UNKNOWN;
        }
        let schema = strip_newtypes(value.schema);
        match (value.kind(), schema.shape) {
            (Kind::List, Shape::List(_)) => Self::of_value(&value.inside(ElementStep::Items)).held_by(Holder::List),
            (Kind::List, _) => Self::UNKNOWN.held_by(Holder::List),
            (Kind::Map, Shape::Map(_)) if key_names(schema).is_none() => {
                let values = Self::of_value(&value.inside(ElementStep::Values));
                values.held_by(Holder::Map(Some(Scalar::String)))
            }
            (Kind::Object, Shape::Object(_) | Shape::OneOf(..)) => Self::of(Inner::Object(*value)),
            (kind, _) => match Scalar::of(kind, value.format()) {
                Some(scalar) => Self::scalar(scalar),
                None => Self::UNKNOWN,
            },
        }
    }

    /// Returns the type of a resource.
    pub(super) const fn of_resource(definition: &'static Definition) -> Self {
        match &definition.schema {
            RootSchema::Derived(root)
                if !is_open(root.keywords) && !any_keyword!(root.keywords, Keyword::Evaluated(_)) =>
            {
                Self::of(Inner::Resource(definition))
            }
            _ => Self::UNKNOWN,
        }
    }

    /// Returns the type of a list, map or optional value that holds values of this type.
    pub(super) const fn held_by(mut self, holder: Holder) -> Self {
        if self.depth == MAX_DEPTH {
            return Self::UNKNOWN;
        }
        self.holders[self.depth] = holder;
        self.depth += 1;
        self
    }

    /// Returns the outermost holder, and the type of the values in it.
    pub(super) const fn opened(&self) -> Option<(Holder, Self)> {
        if self.depth == 0 {
            return None;
        }
        let mut held = *self;
        held.depth -= 1;
        Some((self.holders[held.depth], held))
    }

    pub(super) const fn is_unknown(&self) -> bool {
        self.depth == 0 && matches!(self.inner, Inner::Unknown)
    }

    pub(super) const fn as_scalar(&self) -> Option<Scalar> {
        match self.inner {
            Inner::Scalar(scalar) if self.depth == 0 => Some(scalar),
            _ => None,
        }
    }

    pub(super) const fn is_null(&self) -> bool {
        matches!(self.as_scalar(), Some(Scalar::Null))
    }

    /// Whether null is assignable to the type.
    const fn is_nullable(&self) -> bool {
        match (self.opened(), self.inner) {
            (Some((holder, _)), _) => matches!(holder, Holder::Optional),
            (None, Inner::Scalar(scalar)) => scalar.is_nullable(),
            (None, _) => true,
        }
    }
}

impl Holder {
    const fn fits(self, other: Self) -> bool {
        match (self, other) {
            (Self::List, Self::List) | (Self::Optional, Self::Optional) => true,
            (Self::Map(Some(one)), Self::Map(Some(other))) => one.is(other),
            (Self::Map(_), Self::Map(_)) => true,
            _ => false,
        }
    }
}

/// Whether one type may be assignable to the other. The server compares objects by their places in the schema, which are not
/// known here: they fit.
pub(super) const fn fits(one: &CelType, other: &CelType) -> bool {
    if one.is_unknown() || other.is_unknown() {
        return true;
    }
    if one.is_null() || other.is_null() {
        return one.is_nullable() && other.is_nullable();
    }
    match (one.opened(), other.opened()) {
        (Some((holder, one)), Some((other_holder, other))) => holder.fits(other_holder) && fits(&one, &other),
        (None, None) => match (one.inner, other.inner) {
            (Inner::Scalar(one), Inner::Scalar(other)) => one.is(other),
            (Inner::Scalar(_), _) | (_, Inner::Scalar(_)) => false,
            _ => true,
        },
        _ => false,
    }
}

/// Returns the type of values that have one of two types that fit.
pub(super) const fn common(one: &CelType, other: &CelType) -> CelType {
    match (one.opened(), other.opened()) {
        (Some((holder, one)), Some((other_holder, other))) => {
            let holder = match (holder, other_holder) {
                (Holder::Map(_), Holder::Map(None)) => Holder::Map(None),
                (holder, _) => holder,
            };
            common(&one, &other).held_by(holder)
        }
        (None, None) if !other.is_unknown() && one.is_null() == other.is_null() => *one,
        _ => CelType::UNKNOWN,
    }
}
