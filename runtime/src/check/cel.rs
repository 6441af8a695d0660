//! The types of CEL rules: the steps of a type check that depend on a schema.
//!
//! `crdkit_core::cel` checks a rule while its derive expands, as far as that is possible without the schema, and returns the steps
//! that are left. Each is processed once, so that the time of a check depends on the length of the rule. Where a type is unknown
//! in const evaluation, nothing is required of it: the generated test compiles the rule with the rendered schema.

mod call;
mod field;
mod report;
mod types;

pub use crdkit_core::cel::{MAX_ARGS, Scalar, TypeStep, TypeStepKind};

use super::{Message, keyword::Subject};
use crate::resource::definition::Definition;
use call::Call;
use report::Report;
use types::{CelType, Holder, common, fits};

/// A rule or a message expression.
#[derive(Clone, Copy)]
pub struct Expression<'e> {
    /// What it is, for messages.
    pub what: &'e str,
    /// Its text.
    pub source: &'e str,
}

/// Checks the types of an expression about a value, in `STEPS` steps.
pub const fn types<const STEPS: usize>(
    subject: &Subject,
    expression: Expression<'_>,
    steps: &[TypeStep<'_>],
) -> Result<(), Message> {
    check::<STEPS>(&CelType::of_value(subject), expression, steps)
}

/// Checks the types of an expression about a resource, in `STEPS` steps.
pub const fn types_of_resource<const STEPS: usize>(
    definition: &'static Definition,
    expression: Expression<'_>,
    steps: &[TypeStep<'_>],
) -> Result<(), Message> {
    check::<STEPS>(&CelType::of_resource(definition), expression, steps)
}

const fn check<const STEPS: usize>(
    itself: &CelType,
    expression: Expression<'_>,
    steps: &[TypeStep<'_>],
) -> Result<(), Message> {
    let mut types = [CelType::UNKNOWN; STEPS];
    let mut at = 0;
    while at < steps.len() {
        let checking = Checking { itself, expression, steps, types: &types };
        types[at] = match checking.step(at) {
            Ok(type_) => type_,
            Err(message) => return Err(message),
        };
        at += 1;
    }
    Ok(())
}

/// A check, with the types of the steps before the current one.
#[derive(Clone, Copy)]
struct Checking<'c> {
    itself: &'c CelType,
    expression: Expression<'c>,
    steps: &'c [TypeStep<'c>],
    types: &'c [CelType],
}

impl Checking<'_> {
    /// Returns the type that a step determines.
    const fn step(&self, at: usize) -> Result<CelType, Message> {
        let report = Report { expression: self.expression, at: self.steps[at].at };
        let types = self.types;
        match self.steps[at].kind {
            TypeStepKind::Known(scalar) => Ok(CelType::scalar(scalar)),
            TypeStepKind::Unknown | TypeStepKind::Overload(_) => Ok(CelType::UNKNOWN),
            TypeStepKind::Itself => Ok(*self.itself),
            TypeStepKind::OptionalItself => Ok(self.itself.held_by(Holder::Optional)),
            TypeStepKind::Field { of, name, is_optional } => field::selected(&types[of], name, is_optional, report),
            TypeStepKind::Call { function, args, arity, overloads } => {
                let (_, behind) = self.steps.split_at(at + 1);
                let call =
                    Call { function, args: [types[args[0]], types[args[1]], types[args[2]], types[args[3]]], arity };
                call.result(behind.split_at(overloads).0, report)
            }
            TypeStepKind::Range(of) => match types[of].opened() {
                Some((Holder::List | Holder::Map(_), _)) => Ok(types[of]),
                None if types[of].is_unknown() => Ok(types[of]),
                _ => Err(report.no_range(&types[of])),
            },
            TypeStepKind::Variable { range, is_pair } => Ok(match types[range].opened() {
                Some((Holder::List, _)) if is_pair => CelType::scalar(Scalar::Int),
                Some((Holder::List, item)) => item,
                Some((Holder::Map(Some(key)), _)) => CelType::scalar(key),
                _ => CelType::UNKNOWN,
            }),
            TypeStepKind::SecondVariable(range) => Ok(match types[range].opened() {
                Some((Holder::List | Holder::Map(_), element)) => element,
                _ => CelType::UNKNOWN,
            }),
            TypeStepKind::Same(first, other) => {
                if fits(&types[first], &types[other]) {
                    Ok(common(&types[first], &types[other]))
                } else {
                    Err(report.mismatch(&types[first], &types[other]))
                }
            }
            TypeStepKind::List(item) => Ok(types[item].held_by(Holder::List)),
            TypeStepKind::Map(key, value) => Ok(types[value].held_by(Holder::Map(types[key].as_scalar()))),
            TypeStepKind::Condition(of) => {
                let expected = CelType::scalar(Scalar::Bool);
                if fits(&types[of], &expected) { Ok(expected) } else { Err(report.mismatch(&expected, &types[of])) }
            }
            TypeStepKind::Result(of, scalar) => {
                let expected = CelType::scalar(scalar);
                if fits(&types[of], &expected) { Ok(expected) } else { Err(report.result(&types[of], scalar)) }
            }
        }
    }
}

#[cfg(test)]
mod tests;
