//! Bounds of generic types, given and inferred, in each other.

#![deny(warnings)]
#![allow(dead_code)]

use std::{borrow::Cow, collections::BTreeMap, marker::PhantomData};

use crdkit::KubeSchema;
use crdkit_ui_tests::use_schema;
use schemars::{JsonSchema, SchemaGenerator};

#[derive(KubeSchema)]
#[schemars(bound = "T: JsonSchema")]
pub struct Given<T> {
    pub value: T,
}

#[derive(KubeSchema)]
pub struct Inferred<T> {
    pub given: Given<T>,
    pub keyed: BTreeMap<String, Given<Inner<T>>>,
}

#[derive(KubeSchema)]
#[schemars(bound(serialize = "T: Clone", deserialize = "T: schemars::JsonSchema"))]
pub struct Inner<T> {
    pub value: Vec<T>,
}

#[derive(KubeSchema)]
#[schemars(bound(serialize = "T: Clone"))]
pub struct Outer<T> {
    pub inferred: Inferred<T>,
    #[serde(skip)]
    pub of: PhantomData<fn(T)>,
}

/// A type that has schemars' trait by hand.
pub struct ByHand<T>(pub T);

impl<T: JsonSchema> JsonSchema for ByHand<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

#[derive(KubeSchema)]
#[schemars(bound = "T: JsonSchema + KubeSchema")]
pub struct Both<T> {
    pub by_hand: ByHand<T>,
    pub derived: Inferred<T>,
}

pub trait Shop {
    type Ware;
}

pub struct Bakery;

impl Shop for Bakery {
    type Ware = Part;
}

#[derive(KubeSchema)]
pub struct Order<S: Shop> {
    #[schemars(bound = "S::Ware: JsonSchema")]
    pub ware: S::Ware,
    pub wares: Vec<S::Ware>,
}

#[derive(KubeSchema)]
pub struct Wares<S: Shop>(#[schemars(bound = "S::Ware: KubeSchema")] pub S::Ware);

/// No default, which `Maybe` does not need of it.
#[derive(KubeSchema)]
pub struct Part {
    pub size: u8,
}

#[derive(KubeSchema)]
struct Maybe<T> {
    value: Option<T>,
}

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self { value: None }
    }
}

#[derive(KubeSchema)]
pub struct Defaulted<'a, T: Clone, const N: usize>
where
    T: 'a,
{
    #[serde(default)]
    maybe: Maybe<T>,
    #[serde(default)]
    again: Maybe<T>,
    #[serde(default)]
    sized: Sized<N>,
    name: Cow<'a, str>,
    of: &'a T,
}

#[derive(KubeSchema, Default)]
#[serde(default)]
struct Sized<const N: usize> {
    size: u8,
}

pub(super) fn main() {
    use_schema::<Outer<Part>>();
    use_schema::<Both<u8>>();
    use_schema::<Order<Bakery>>();
    use_schema::<Wares<Bakery>>();
    use_schema::<Defaulted<'static, u8, 3>>();
    let _ = Maybe::<Part>::default().value;
    let Defaulted { maybe, again, sized, name, of } = Defaulted::<u8, 3> {
        maybe: Maybe::default(),
        again: Maybe::default(),
        sized: Sized::default(),
        name: "a".into(),
        of: &1,
    };
    println!("{:?} {:?} {} {name} {of}", maybe.value, again.value, sized.size);
}
