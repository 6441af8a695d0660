//! Label selectors, checked before a request is made.

use std::{collections::BTreeMap, fmt};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube_core::{Expression, Selector, SelectorExt};

/// Which objects are meant, by their labels: all requirements must hold, and without any, all objects are meant.
///
/// It is kube's [`Selector`] whose keys and values the API server accepts.
///
/// ```
/// use crdkit::client::Labels;
///
/// let selector = Labels::new()
///     .equal("app", "web")?
///     .one_of("tier", ["front", "back"])?
///     .exists("example.com/zone")?
///     .does_not_exist("retired")?;
/// assert_eq!(selector.to_string(), "app=web,tier in (back,front),example.com/zone,!retired");
///
/// let error = Labels::new().equal("app name", "web").unwrap_err();
/// assert!(error.to_string().starts_with("`app name` is no key of a label"), "{error}");
/// # Ok::<(), crdkit::client::InvalidLabel>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(Selector);

/// Why the API server would not accept a label selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLabel {
    /// The key cannot be that of a label.
    #[error(
        "`{0}` is no key of a label: expected at most 63 letters, digits, `-`, `_` and `.`, optionally after a DNS \
         subdomain and a slash, such as `example.com/name`"
    )]
    Key(String),
    /// The value cannot be that of a label.
    #[error(
        "`{value}` is no value of the label `{key}`: expected at most 63 letters, digits, `-`, `_` and `.`, starting \
         and ending with a letter or digit"
    )]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// A label must be one of no values, or must not be.
    #[error(
        "the label `{0}` is compared with no values: name at least one, or ask whether it exists"
    )]
    NoValues(String),
    /// A label must exist or must not, but values are given.
    #[error("whether the label `{0}` exists does not depend on values: leave them out")]
    UselessValues(String),
    /// The operator of a requirement is none of Kubernetes'.
    #[error(
        "`{operator}` is no operator for the label `{key}`: expected `In`, `NotIn`, `Exists` or `DoesNotExist`"
    )]
    Operator {
        /// The key.
        key: String,
        /// The operator.
        operator: String,
    },
}

impl Labels {
    /// No requirement: all objects are meant.
    pub fn new() -> Self {
        Self::default()
    }

    /// The label must have the value.
    ///
    /// # Errors
    ///
    /// If the API server would not accept the key or the value.
    pub fn equal(self, key: &str, value: &str) -> Result<Self, InvalidLabel> {
        self.with(Expression::Equal(key.to_owned(), value.to_owned()))
    }

    /// The label must not have the value; it may be missing.
    ///
    /// # Errors
    ///
    /// As for [`equal`](Self::equal).
    pub fn not_equal(self, key: &str, value: &str) -> Result<Self, InvalidLabel> {
        self.with(Expression::NotEqual(key.to_owned(), value.to_owned()))
    }

    /// The label must have one of the values.
    ///
    /// # Errors
    ///
    /// As for [`equal`](Self::equal), and if there are no values.
    pub fn one_of<V: Into<String>>(
        self,
        key: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, InvalidLabel> {
        let values = values.into_iter().map(Into::into).collect();
        self.with(Expression::In(key.to_owned(), values))
    }

    /// The label must have none of the values; it may be missing.
    ///
    /// # Errors
    ///
    /// As for [`one_of`](Self::one_of).
    pub fn none_of<V: Into<String>>(
        self,
        key: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, InvalidLabel> {
        let values = values.into_iter().map(Into::into).collect();
        self.with(Expression::NotIn(key.to_owned(), values))
    }

    /// The label must be there, whatever its value.
    ///
    /// # Errors
    ///
    /// If the API server would not accept the key.
    pub fn exists(self, key: &str) -> Result<Self, InvalidLabel> {
        self.with(Expression::Exists(key.to_owned()))
    }

    /// The label must not be there.
    ///
    /// # Errors
    ///
    /// If the API server would not accept the key.
    pub fn does_not_exist(self, key: &str) -> Result<Self, InvalidLabel> {
        self.with(Expression::DoesNotExist(key.to_owned()))
    }

    /// Whether an object with these labels is meant.
    ///
    /// ```
    /// # use crdkit::client::Labels;
    /// let selector = Labels::new().not_equal("app", "web")?;
    /// assert!(selector.matches(&[("app".into(), "db".into())].into()));
    /// assert!(!selector.matches(&[("app".into(), "web".into())].into()));
    /// # Ok::<(), crdkit::client::InvalidLabel>(())
    /// ```
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.matches(labels)
    }

    fn with(mut self, expression: Expression) -> Result<Self, InvalidLabel> {
        check(&expression)?;
        self.0.extend(expression);
        Ok(self)
    }
}

fn check(expression: &Expression) -> Result<(), InvalidLabel> {
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
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let has_prefix = prefix.is_none_or(is_subdomain);
    if has_prefix && !name.is_empty() && is_value(name) {
        return Ok(());
    }
    Err(InvalidLabel::Key(key.to_owned()))
}

fn check_value(key: &str, value: &str) -> Result<(), InvalidLabel> {
    if is_value(value) {
        return Ok(());
    }
    Err(InvalidLabel::Value {
        key: key.to_owned(),
        value: value.to_owned(),
    })
}

fn is_value(text: &str) -> bool {
    let ends = |c: char| c.is_ascii_alphanumeric();
    let fits = |c: char| ends(c) || matches!(c, '-' | '_' | '.');
    text.is_empty()
        || text.len() <= 63
            && text.starts_with(ends)
            && text.ends_with(ends)
            && text.chars().all(fits)
}

fn is_subdomain(text: &str) -> bool {
    let ends = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_part = |part: &str| {
        part.starts_with(ends) && part.ends_with(ends) && part.chars().all(|c| ends(c) || c == '-')
    };
    text.len() <= 253 && text.split('.').all(is_part)
}

impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Labels> for Selector {
    fn from(labels: Labels) -> Self {
        labels.0
    }
}

impl TryFrom<Selector> for Labels {
    type Error = InvalidLabel;

    fn try_from(selector: Selector) -> Result<Self, InvalidLabel> {
        selector.into_iter().try_fold(Self::new(), Self::with)
    }
}

/// The selector as it stands in a spec, such as that of a Deployment.
///
/// ```
/// use crdkit::client::Labels;
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
///
/// let selector = LabelSelector {
///     match_labels: Some([("app".into(), "web".into())].into()),
///     ..LabelSelector::default()
/// };
/// assert_eq!(Labels::try_from(&selector)?.to_string(), "app=web");
/// # Ok::<(), crdkit::client::InvalidLabel>(())
/// ```
impl TryFrom<&LabelSelector> for Labels {
    type Error = InvalidLabel;

    fn try_from(selector: &LabelSelector) -> Result<Self, InvalidLabel> {
        let labels = selector.match_labels.iter().flatten();
        let labels = labels.map(|(key, value)| Ok(Expression::Equal(key.clone(), value.clone())));
        let expressions = selector.match_expressions.iter().flatten().map(expression);
        labels
            .chain(expressions)
            .try_fold(Self::new(), |labels, expression| labels.with(expression?))
    }
}

fn expression(requirement: &LabelSelectorRequirement) -> Result<Expression, InvalidLabel> {
    let key = requirement.key.clone();
    let values = requirement.values.clone().unwrap_or_default();
    match requirement.operator.as_str() {
        "In" => Ok(Expression::In(key, values.into_iter().collect())),
        "NotIn" => Ok(Expression::NotIn(key, values.into_iter().collect())),
        "Exists" | "DoesNotExist" if !values.is_empty() => Err(InvalidLabel::UselessValues(key)),
        "Exists" => Ok(Expression::Exists(key)),
        "DoesNotExist" => Ok(Expression::DoesNotExist(key)),
        operator => Err(InvalidLabel::Operator {
            key,
            operator: operator.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_qualified_names() {
        let long = "a".repeat(63);
        for key in ["app", "example.com/app", "a_b.C-d", &long] {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
        let longer = "a".repeat(64);
        for key in [
            "",
            "a b",
            "/a",
            "a/",
            "a/b/c",
            "Example.com/app",
            "-a",
            "a..b/c",
            &longer,
        ] {
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

    fn selector(operator: &str, values: Option<&[&str]>) -> LabelSelector {
        LabelSelector {
            match_labels: Some([("a".into(), "b".into())].into()),
            match_expressions: Some(vec![LabelSelectorRequirement {
                key: "c".into(),
                operator: operator.into(),
                values: values.map(|values| values.iter().map(ToString::to_string).collect()),
            }]),
        }
    }

    #[test]
    fn selectors_of_objects_are_read() {
        for (operator, values, expected) in [
            ("In", Some(["d"].as_slice()), Ok("a=b,c in (d)")),
            ("NotIn", Some(&["d", "e"]), Ok("a=b,c notin (d,e)")),
            ("Exists", None, Ok("a=b,c")),
            ("DoesNotExist", Some(&[]), Ok("a=b,!c")),
            ("In", None, Err("the label `c` is compared with no values")),
            ("Exists", Some(&["d"]), Err("whether the label `c` exists")),
            (
                "in",
                Some(&["d"]),
                Err("`in` is no operator for the label `c`"),
            ),
            (
                "In",
                Some(&["d e"]),
                Err("`d e` is no value of the label `c`"),
            ),
        ] {
            let read = Labels::try_from(&selector(operator, values));
            match (read, expected) {
                (Ok(labels), Ok(expected)) => assert_eq!(labels.to_string(), expected),
                (Err(error), Err(start)) => {
                    assert!(error.to_string().starts_with(start), "{error}");
                }
                (read, expected) => panic!("{read:?} is not {expected:?}"),
            }
        }
    }
}
