//! Schemas of tuples, which are lists of fixed length, and of types that are null.

use std::marker::PhantomData;

use super::{ForeignSchema, KubeSchema, Schema};

macro_rules! tuples {
    ($(($($item:ident)+))+) => {$(
        impl<$($item: KubeSchema),+> KubeSchema for ($($item,)+) {
            const SCHEMA: Schema = Schema::tuple(&[$($item::SCHEMA_REF),+]);
        }
    )+};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

impl KubeSchema for () {
    const SCHEMA: Schema = Schema::nonstructural(ForeignSchema::of::<()>()).named("()");
}

impl<T: ?Sized> KubeSchema for PhantomData<T> {
    const SCHEMA: Schema = Schema::nonstructural(ForeignSchema::of::<()>()).named("PhantomData");
}
