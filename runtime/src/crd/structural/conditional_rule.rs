//! Rules that apply to some values only.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::ValidationRule;

use crdkit_core::cel::{uses_old_self, without_comments};

/// Makes a rule conditional. `is_absent` returns a CEL expression that is true if the rule does not apply to the given
/// value, `self` or `oldSelf`.
///
/// A rule with `oldSelf` applies only if it also applied to the old value, as it would on a field.
pub(crate) fn conditional_rule(mut rule: ValidationRule, is_absent: impl Fn(&str) -> String) -> ValidationRule {
    let mut absent = is_absent("self");
    if rule.optional_old_self == Some(true) {
        let was_absent = is_absent("oldSelf.value()");
        absent = format!("{absent} || oldSelf.hasValue() && ({was_absent})");
    } else if uses_old_self(&rule.rule) {
        absent = format!("{absent} || {}", is_absent("oldSelf"));
    }
    rule.rule = format!("{absent} || ({})", without_comments(&rule.rule));
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_hold_where_the_part_is() {
        let guard = |text: &str, optional_old_self| {
            let rule = ValidationRule { rule: text.to_owned(), optional_old_self, ..ValidationRule::default() };
            conditional_rule(rule, |of| format!("!has({of}.a)")).rule
        };
        assert_eq!(guard("self.a > 0", None), "!has(self.a) || (self.a > 0)");
        assert_eq!(
            guard("self.a == oldSelf.a", Some(false)),
            "!has(self.a) || !has(oldSelf.a) || (self.a == oldSelf.a)"
        );
        assert_eq!(
            guard("!oldSelf.hasValue()", Some(true)),
            "!has(self.a) || oldSelf.hasValue() && (!has(oldSelf.value().a)) || (!oldSelf.hasValue())"
        );
        assert_eq!(guard("self.a > 0 // always", None), "!has(self.a) || (self.a > 0)");
    }
}
