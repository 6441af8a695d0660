//! Statuses with conditions in a field of the usual name and type.
//!
//! A derive cannot detect a manual implementation of [`HasConditions`], and a second implementation would be an error.
//! It therefore implements another trait, with a constant whose value only const evaluation determines.

use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use crate::resource::conditions::{HasConditions, StatusConditions, list::ConditionList};

/// A type with a field of the usual name and type.
pub trait ConditionsField<const HAS_CONDITIONS_BY_HAND: bool> {
    /// Returns the conditions in the field for modification.
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

/// A list of conditions, for a bound that may be unsatisfied: without a lifetime parameter, such a bound is an error
/// for a concrete type.
pub trait MaybeConditionList<'a>: ConditionList {}

impl<T: ConditionList> MaybeConditionList<'_> for T {}

/// Whether a type implements [`HasConditions`]: the inherent constant takes precedence over that of [`NotByHand`].
pub struct ByHand<T>(PhantomData<T>);

impl<T: HasConditions> ByHand<T> {
    /// `true`.
    pub const IS_IMPLEMENTED: bool = true;
}

/// The fallback of [`ByHand`].
pub trait NotByHand {
    /// `false`.
    const IS_IMPLEMENTED: bool = false;
}

impl<T> NotByHand for ByHand<T> {}
