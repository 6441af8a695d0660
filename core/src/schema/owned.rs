//! Values with texts of their own.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use super::{Additional, ExternalDocs, Items, SchemaProps, ValidationRule};
use crate::json::Json;

/// A value that may borrow texts.
pub(super) trait IntoOwned {
    /// The value that borrows none.
    type Owned;

    fn into_owned(self) -> Self::Owned;
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl IntoOwned for $type {
            type Owned = Self;

            fn into_owned(self) -> Self {
                self
            }
        }
    )+};
}
plain!(bool, i64, f64);

/// Types whose own method does it.
macro_rules! by_method {
    ($($type:ident),+) => {$(
        impl IntoOwned for $type<'_> {
            type Owned = $type<'static>;

            fn into_owned(self) -> $type<'static> {
                self.into_owned()
            }
        }
    )+};
}
by_method!(SchemaProps, Json);

impl IntoOwned for Cow<'_, str> {
    type Owned = Cow<'static, str>;

    fn into_owned(self) -> Cow<'static, str> {
        Cow::Owned(self.into_owned())
    }
}

impl<T: IntoOwned> IntoOwned for Option<T> {
    type Owned = Option<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.map(T::into_owned)
    }
}

impl<T: IntoOwned> IntoOwned for Vec<T> {
    type Owned = Vec<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(T::into_owned).collect()
    }
}

impl<T: IntoOwned> IntoOwned for Box<T> {
    type Owned = Box<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        Box::new((*self).into_owned())
    }
}

impl<A: IntoOwned, B: IntoOwned> IntoOwned for (A, B) {
    type Owned = (A::Owned, B::Owned);

    fn into_owned(self) -> Self::Owned {
        (self.0.into_owned(), self.1.into_owned())
    }
}

impl IntoOwned for Items<'_> {
    type Owned = Items<'static>;

    fn into_owned(self) -> Items<'static> {
        match self {
            Self::Schema(items) => Items::Schema(items.into_owned()),
            Self::Schemas(all) => Items::Schemas(all.into_owned()),
        }
    }
}

impl IntoOwned for Additional<'_> {
    type Owned = Additional<'static>;

    fn into_owned(self) -> Additional<'static> {
        match self {
            Self::Bool(any) => Additional::Bool(any),
            Self::Schema(values) => Additional::Schema(values.into_owned()),
        }
    }
}

impl IntoOwned for ExternalDocs<'_> {
    type Owned = ExternalDocs<'static>;

    fn into_owned(self) -> ExternalDocs<'static> {
        ExternalDocs {
            description: IntoOwned::into_owned(self.description),
            url: IntoOwned::into_owned(self.url),
        }
    }
}

impl IntoOwned for ValidationRule<'_> {
    type Owned = ValidationRule<'static>;

    fn into_owned(self) -> ValidationRule<'static> {
        ValidationRule {
            rule: IntoOwned::into_owned(self.rule),
            message: self.message.into_owned(),
            message_expression: self.message_expression.into_owned(),
            reason: self.reason.into_owned(),
            field_path: self.field_path.into_owned(),
            optional_old_self: self.optional_old_self,
        }
    }
}
