//! Schemas of tuples: lists of fixed length.

use super::{KubeSchema, Schema};

macro_rules! tuples {
    ($(($($item:ident)+))+) => {$(
        impl<$($item: KubeSchema),+> KubeSchema for ($($item,)+) {
            const SCHEMA: Schema = Schema::tuple(&[$($item::PLACE),+]);
        }
    )+};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
