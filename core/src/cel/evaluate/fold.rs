//! Loops, to which most macros expand.

use alloc::{boxed::Box, format};

use super::{
    Run, Slot,
    error::{Evaluated, Stop, is_final},
    program::Fold,
    value::Value,
};

/// The values of the variables of a loop.
type Items<'i, 'v> = Box<dyn Iterator<Item = [Evaluated<'v>; 2]> + 'i>;

impl<'v> Run<'v, '_> {
    pub(super) fn fold(&mut self, fold: &'v Fold) -> Evaluated<'v> {
        let range = self.eval(&fold.range)?;
        let before = self.cost;
        let result = self.iterate(fold, items(fold, &range)?);
        // The server iterates over the entries of a map in random order, and so may end the loop earlier or later.
        let is_random = range.is_map() && range.count() > Some(1);
        if is_random && !is_final(&result) && self.ends_early(fold) {
            self.cost = before.saturating_add(self.least_cost(fold, items(fold, &range)?));
        }
        result
    }

    fn iterate(&mut self, fold: &'v Fold, items: impl Iterator<Item = [Evaluated<'v>; 2]>) -> Evaluated<'v> {
        self.slots[fold.accumulator] = Slot::Pending(&fold.init);
        for [first, second] in items {
            self.slots[fold.variable] = Slot::Value(first);
            if let Some(variable) = fold.variable2 {
                self.slots[variable] = Slot::Value(second);
            }
            match self.eval(&fold.condition) {
                Ok(Value::Bool(false)) => break,
                condition if is_final(&condition) => return condition,
                _ => {}
            }
            let next = self.eval(&fold.step);
            if is_final(&next) {
                return next;
            }
            self.slots[fold.accumulator] = Slot::Value(next);
        }
        self.eval(&fold.result)
    }

    /// Returns the cost of a loop if an entry that ends it comes first.
    fn least_cost(&mut self, fold: &'v Fold, items: Items<'_, 'v>) -> u64 {
        let costs = items.filter_map(|item| {
            let cost = self.without_limit(|run| drop(run.iterate(fold, core::iter::once(item)))).1;
            // The server evaluates the condition again for the second entry.
            let (ends, again) = self.without_limit(|run| run.is_over(fold));
            ends.then_some(cost.saturating_add(again))
        });
        costs.min().unwrap_or(0)
    }

    fn ends_early(&mut self, fold: &'v Fold) -> bool {
        self.without_limit(|run| run.is_over(fold)).0
    }

    /// Whether the condition of a loop does not hold.
    fn is_over(&mut self, fold: &'v Fold) -> bool {
        matches!(self.eval(&fold.condition), Ok(Value::Bool(false)))
    }

    /// Evaluates without counting, and returns what it would have cost.
    fn without_limit<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> T) -> (T, u64) {
        let (cost, limit) = (self.cost, self.limit);
        (self.cost, self.limit) = (0, u64::MAX);
        let result = evaluate(self);
        let found = self.cost;
        (self.cost, self.limit) = (cost, limit);
        (result, found)
    }
}

fn items<'i, 'v>(fold: &Fold, range: &'i Value<'v>) -> Result<Items<'i, 'v>, Stop> {
    range.each(fold.variable2.is_some()).ok_or_else(|| {
        let found = range.go_type();
        Stop::from(match fold.variable2 {
            Some(_) => format!("unsupported comprehension range type: {found}"),
            None => format!("got '{found}', expected iterable type"),
        })
    })
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String, vec::Vec};

    use crate::cel::{AdmissionInput, AdmissionRun, AdmissionScope, AuthorizedResource, ResultType};

    /// The stack of a thread suffices for the deepest expressions that the parser accepts.
    #[test]
    fn expressions_are_as_deep_as_the_parser_allows() {
        let scope = AdmissionScope::new();
        type Nest = fn(String, usize) -> String;
        let nested: [Nest; 5] = [
            |inner, at| format!("[1].all(x{at}, {inner})"),
            |inner, _| format!("!(!({inner}))"),
            |inner, _| format!("(true ? {inner} : false)"),
            |inner, _| format!("[{inner}][0]"),
            |inner, at| format!("optional.of(1).optMap(x{at}, {inner}).value()"),
        ];
        for nest in nested {
            let mut source = String::from("1 == 1");
            let mut program = None;
            for at in 0..300 {
                source = nest(source, at);
                if at % 8 != 0 {
                    continue;
                }
                match scope.program(&source, ResultType::Any) {
                    Ok(found) => program = Some(found),
                    Err(_) => break,
                }
            }
            let program = program.expect("the first level compiles");
            let input = AdmissionInput {
                values: Vec::new(),
                composed: &[],
                authorizer: None,
                resource: AuthorizedResource::default(),
                zones: None,
            };
            let evaluation = AdmissionRun::new(input, 10_000_000).evaluate(&program);
            assert!(evaluation.result.is_ok_and(|value| value.as_bool() == Some(true)), "{source}");
        }
    }
}
