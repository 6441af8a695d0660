//! Loops, to which most macros expand.

use alloc::format;

use super::{
    Run, Slot,
    aggregate::Each,
    error::{Evaluated, Stop, is_final},
    program::Fold,
    value::Value,
};

impl<'v> Run<'v, '_> {
    pub(super) fn fold(&mut self, fold: &'v Fold) -> Evaluated<'v> {
        let range = self.eval(&fold.range)?;
        let before = self.cost;
        let result = self.iterate(fold, items(fold, &range)?);
        // The server iterates over the entries of a map in random order, and so may end the loop earlier or later.
        let is_random = range.is_map() && range.count() > Some(1);
        if is_random
            && !is_final(&result)
            && let Some((true, _)) = self.is_over_aside(fold)
            && let Some(least) = self.least_cost(fold, items(fold, &range)?)
        {
            self.cost = before.saturating_add(least);
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
            if self.is_over(fold)? {
                break;
            }
            let next = self.eval(&fold.step);
            if is_final(&next) {
                return next;
            }
            self.slots[fold.accumulator] = Slot::Value(next);
        }
        self.eval(&fold.result)
    }

    /// Returns the cost of a loop if an entry that ends it comes first; `None` if no entry is known to end it.
    fn least_cost(&mut self, fold: &'v Fold, items: Each<'_, 'v>) -> Option<u64> {
        let costs = items.map_while(|item| {
            let ((), cost) = self.aside(|run| drop(run.iterate(fold, core::iter::once(item))))?;
            // The server evaluates the condition again for the second entry.
            let (ends, again) = self.is_over_aside(fold)?;
            Some(ends.then_some(cost.saturating_add(again)))
        });
        costs.flatten().min()
    }

    fn is_over_aside(&mut self, fold: &'v Fold) -> Option<(bool, u64)> {
        self.aside(|run| run.is_over(fold) == Ok(true))
    }

    /// Whether the condition of a loop does not hold.
    fn is_over(&mut self, fold: &'v Fold) -> Result<bool, Stop> {
        match self.eval(&fold.condition) {
            Ok(Value::Bool(holds)) => Ok(!holds),
            Err(stop) if stop.is_final() => Err(stop),
            _ => Ok(false),
        }
    }

    /// Evaluates beside what is counted, and returns what it would have cost; `None` if [`MAX_ASIDE`] is used up.
    fn aside<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> T) -> Option<(T, u64)> {
        let counted = (self.cost, self.limit, self.has_panicked);
        (self.cost, self.limit) = (0, self.aside);
        let result = evaluate(self);
        let found = self.cost;
        (self.cost, self.limit, self.has_panicked) = counted;
        self.aside = self.aside.checked_sub(found)?;
        Some((result, found))
    }
}

fn items<'i, 'v>(fold: &Fold, range: &'i Value<'v>) -> Result<Each<'i, 'v>, Stop> {
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
    use alloc::{format, string::String, vec};

    use crate::{
        cel::{
            AdmissionInput, AdmissionProgram, AdmissionRun, AdmissionScope, AuthorizedResource, Evaluation, ResultType,
        },
        json::Json,
    };

    fn evaluated(program: &AdmissionProgram, object: &Json<'_>) -> Evaluation<bool> {
        let input = AdmissionInput {
            values: vec![("object", object)],
            composed: &[],
            authorizer: None,
            resource: AuthorizedResource::default(),
            zones: None,
        };
        let Evaluation { result, cost } = AdmissionRun::new(input, 10_000_000).evaluate(program);
        Evaluation { result: result.map(|value| value.as_bool() == Some(true)), cost }
    }

    /// Which entry ends a loop at the least cost is only known after an evaluation for each entry, of which nested loops make a product.
    #[test]
    fn nested_loops_over_maps_end() {
        let entries = (0..200).map(|at| (format!("key{at}").into(), Json::Integer(at)));
        let object = Json::Object(entries.collect());
        let mut source = String::from("a + b + c + d + e != ''");
        for variable in ["e", "d", "c", "b", "a"] {
            source = format!("object.exists({variable}, {source})");
        }
        let program = AdmissionScope::new().program(&source, ResultType::Bool).unwrap();
        let evaluation = evaluated(&program, &object);
        assert_eq!(evaluation.result, Ok(true));
        assert!(evaluation.cost < 200, "{}", evaluation.cost);
    }

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
            assert_eq!(evaluated(&program, &Json::Null).result, Ok(true), "{source}");
        }
    }
}
