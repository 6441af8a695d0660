//! Errors in label selectors.

use std::fmt;

use crdkit_core::literal::dns;
use kube_core::Expression;

/// Why the API server would reject a label selector.
///
/// Its text contains the label, but not the value.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLabel {
    /// The key is not valid.
    #[error(
        "`{0}` is not a label key: expected at most 63 letters, digits, `-`, `_` and `.`, optionally after a DNS \
         subdomain and a slash, such as `example.com/name`"
    )]
    Key(String),
    /// The value is not valid.
    #[error(
        "the label `{key}` cannot have the value: expected at most 63 letters, digits, `-`, `_` and `.`, starting \
         and ending with a letter or digit"
    )]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// The list of values is empty.
    #[error("the label `{0}` is compared with no values: add at least one, or use `exists` or `does_not_exist`")]
    NoValues(String),
    /// The operator does not support values, but there are some.
    #[error("the operators `Exists` and `DoesNotExist` of the label `{0}` do not support values: remove them")]
    UnexpectedValues(String),
    /// The operator does not exist in Kubernetes.
    #[error(
        "`{operator}` is not an operator for the label `{key}`: expected `In`, `NotIn`, `Exists` or `DoesNotExist`"
    )]
    Operator {
        /// The key.
        key: String,
        /// The operator.
        operator: String,
    },
}

impl fmt::Debug for InvalidLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InvalidLabel({self})")
    }
}

/// Checks that the API server would accept a requirement.
pub(super) fn check(expression: &Expression) -> Result<(), InvalidLabel> {
    match expression {
        Expression::Exists(key) | Expression::DoesNotExist(key) => check_key(key),
        Expression::Equal(key, value) | Expression::NotEqual(key, value) => {
            check_key(key)?;
            check_value(key, value)
        }
        Expression::In(key, values) | Expression::NotIn(key, values) => {
            check_key(key)?;
            if values.is_empty() {
                return Err(InvalidLabel::NoValues(key.clone()));
            }
            values.iter().try_for_each(|value| check_value(key, value))
        }
    }
}

fn check_key(key: &str) -> Result<(), InvalidLabel> {
    dns::qualified_name(key).map_err(|_| InvalidLabel::Key(key.to_owned()))
}

fn check_value(key: &str, value: &str) -> Result<(), InvalidLabel> {
    dns::label_value(value).map_err(|_| InvalidLabel::Value { key: key.to_owned(), value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::selector::Labels;

    #[test]
    fn keys_are_qualified_names() {
        let long = "a".repeat(63);
        for key in ["app", "example.com/app", "a_b.C-d", &long] {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
        let longer = "a".repeat(64);
        for key in ["", "a b", "/a", "a/", "a/b/c", "Example.com/app", "-a", "a..b/c", &longer] {
            assert!(Labels::new().exists(key).is_err(), "{key}");
        }
    }

    #[test]
    fn values_are_short_and_plain() {
        assert!(Labels::new().equal("a", "").is_ok());
        for value in ["a b", "a,b", "-a", &"a".repeat(64)] {
            assert!(Labels::new().not_equal("a", value).is_err(), "{value}");
        }
        let none: [&str; 0] = [];
        let error = Labels::new().one_of("a", none).unwrap_err();
        assert_eq!(error, InvalidLabel::NoValues("a".into()));
    }
}
