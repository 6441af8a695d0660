//! `allOf`, `anyOf`, `oneOf` and `not`.

use alloc::format;

use super::{
    ValuePath,
    validate::{Error, Outcome, Validator},
};
use crate::{go::quote, json::Json, schema::SchemaProps};

pub(super) fn check(
    validator: Validator<'_>,
    schema: &SchemaProps<'_>,
    value: &Json<'_>,
    path: &ValuePath<'_>,
) -> Outcome {
    let check = Check { validator: validator.in_branch(), value, path };
    let mut outcome = Outcome::default();
    check.any_of(&schema.any_of, &mut outcome);
    check.one_of(&schema.one_of, &mut outcome);
    check.all_of(&schema.all_of, &mut outcome);
    if let Some(branch) = &schema.not
        && check.branch(branch).is_good()
    {
        check.fail("must not validate the schema (not)", &mut outcome);
    }
    outcome.matches += 1;
    outcome
}

struct Check<'c> {
    validator: Validator<'c>,
    value: &'c Json<'c>,
    path: &'c ValuePath<'c>,
}

impl Check<'_> {
    fn branch(&self, branch: &SchemaProps<'_>) -> Outcome {
        self.validator.validate(branch, self.value, self.path)
    }

    fn fail(&self, what: &str, outcome: &mut Outcome) {
        let name = quote(&self.path.name());
        outcome.add(Error::of_all(format!("{name} {what}")));
    }

    fn any_of(&self, branches: &[SchemaProps<'_>], outcome: &mut Outcome) {
        let mut best: Option<Outcome> = None;
        for branch in branches {
            let result = self.branch(branch);
            if result.is_good() {
                return outcome.merge(result);
            }
            if best.as_ref().is_none_or(|best| result.matches > best.matches) {
                best = Some(result);
            }
        }
        if let Some(best) = best {
            self.fail("must validate at least one schema (anyOf)", outcome);
            outcome.merge(best);
        }
    }

    fn one_of(&self, branches: &[SchemaProps<'_>], outcome: &mut Outcome) {
        if branches.is_empty() {
            return;
        }
        let mut best: Option<Outcome> = None;
        let mut passed = 0;
        let mut first = None;
        for branch in branches {
            let result = self.branch(branch);
            if result.is_good() {
                passed += 1;
                best = None;
                first = first.or(Some(result));
            } else if passed == 0 && best.as_ref().is_none_or(|best| result.matches > best.matches) {
                best = Some(result);
            }
        }
        if passed == 1 {
            return first.into_iter().for_each(|it| outcome.merge(it));
        }
        let found = match passed {
            0 => "Found none valid".into(),
            _ => format!("Found {passed} valid alternatives"),
        };
        let what = format!("must validate one and only one schema (oneOf). {found}");
        self.fail(&what, outcome);
        best.into_iter().for_each(|it| outcome.merge(it));
    }

    fn all_of(&self, branches: &[SchemaProps<'_>], outcome: &mut Outcome) {
        let mut passed = 0;
        for branch in branches {
            let result = self.branch(branch);
            passed += usize::from(result.is_good());
            outcome.merge(result);
        }
        if passed < branches.len() {
            let none = if passed == 0 { ". None validated" } else { "" };
            self.fail(&format!("must validate all the schemas (allOf){none}"), outcome);
        }
    }
}
