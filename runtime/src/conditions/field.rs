//! Statuses whose conditions are in a field of the usual name and type.
//!
//! A derive does not see whether [`HasConditions`] is implemented by hand, beside which a second implementation would be an error.
//! So it implements another trait, with a constant of which only const evaluation finds the value.

use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use super::{HasConditions, StatusConditions, list::ConditionList};

/// A type with a field of the usual name and type.
pub trait ConditionsField<const HAS_CONDITIONS_BY_HAND: bool> {
    /// The conditions in the field.
    fn field_mut(&mut self) -> &mut Vec<Condition>;
}

/// The source of the conditions of a type that implements [`HasConditions`].
#[derive(Debug)]
pub enum Declared {}

/// The source of the conditions of a type with the usual field.
#[derive(Debug)]
pub enum UsualField {}

#[diagnostic::do_not_recommend]
impl<T: HasConditions> StatusConditions<Declared> for T {
    fn list_mut(&mut self) -> &mut Vec<Condition> {
        self.conditions_mut()
    }
}

#[diagnostic::do_not_recommend]
impl<T: ConditionsField<false>> StatusConditions<UsualField> for T {
    fn list_mut(&mut self) -> &mut Vec<Condition> {
        self.field_mut()
    }
}

/// A list of conditions, in a bound that may be false: without a lifetime of its own, that is an error where the type is known.
pub trait MaybeConditionList<'a>: ConditionList {}

impl<T: ConditionList> MaybeConditionList<'_> for T {}

/// Whether a type implements [`HasConditions`]: this constant is found before that of [`NotByHand`].
pub struct ByHand<T>(PhantomData<T>);

impl<T: HasConditions> ByHand<T> {
    /// It does.
    pub const IS_IMPLEMENTED: bool = true;
}

/// What [`ByHand`] falls back to.
pub trait NotByHand {
    /// It does not.
    const IS_IMPLEMENTED: bool = false;
}

impl<T> NotByHand for ByHand<T> {}
