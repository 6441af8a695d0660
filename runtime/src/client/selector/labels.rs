//! Label selectors that are checked before a request is sent.

use std::{collections::BTreeMap, fmt};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube_core::{Expression, Selector, SelectorExt};

mod invalid;

pub use invalid::InvalidLabel;
use invalid::check;

/// A selection of objects by their labels. All requirements must match; without any, all objects are selected.
///
/// It contains kube's [`Selector`], restricted to keys and values that the API server accepts.
///
/// ```
/// use crdkit::client::selector::Labels;
///
/// let selector = Labels::new()
///     .equal("app", "web")?
///     .one_of("tier", ["front", "back"])?
///     .exists("example.com/zone")?
///     .does_not_exist("retired")?;
/// assert_eq!(selector.to_string(), "app=web,tier in (back,front),example.com/zone,!retired");
///
/// let error = Labels::new().equal("app name", "web").unwrap_err();
/// assert!(error.to_string().starts_with("`app name` is not a label key"), "{error}");
/// # Ok::<(), crdkit::client::selector::InvalidLabel>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(Selector);

impl Labels {
    /// Creates a selector without requirements, which selects all objects.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requires that the label has the value.
    ///
    /// # Errors
    ///
    /// If the API server would reject the key or the value.
    pub fn equal(self, key: &str, value: &str) -> Result<Self, InvalidLabel> {
        self.with(Expression::Equal(key.to_owned(), value.to_owned()))
    }

    /// Requires that the label does not have the value; it may be missing.
    ///
    /// # Errors
    ///
    /// The same as for [`equal`](Self::equal).
    pub fn not_equal(self, key: &str, value: &str) -> Result<Self, InvalidLabel> {
        self.with(Expression::NotEqual(key.to_owned(), value.to_owned()))
    }

    /// Requires that the label has one of the values.
    ///
    /// # Errors
    ///
    /// The same as for [`equal`](Self::equal), and if there are no values.
    pub fn one_of<V: Into<String>>(self, key: &str, values: impl IntoIterator<Item = V>) -> Result<Self, InvalidLabel> {
        let values = values.into_iter().map(Into::into).collect();
        self.with(Expression::In(key.to_owned(), values))
    }

    /// Requires that the label has none of the values; it may be missing.
    ///
    /// # Errors
    ///
    /// The same as for [`one_of`](Self::one_of).
    pub fn none_of<V: Into<String>>(
        self,
        key: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, InvalidLabel> {
        let values = values.into_iter().map(Into::into).collect();
        self.with(Expression::NotIn(key.to_owned(), values))
    }

    /// Requires that the label exists, with any value.
    ///
    /// # Errors
    ///
    /// If the API server would reject the key.
    pub fn exists(self, key: &str) -> Result<Self, InvalidLabel> {
        self.with(Expression::Exists(key.to_owned()))
    }

    /// Requires that the label does not exist.
    ///
    /// # Errors
    ///
    /// If the API server would reject the key.
    pub fn does_not_exist(self, key: &str) -> Result<Self, InvalidLabel> {
        self.with(Expression::DoesNotExist(key.to_owned()))
    }

    /// Returns whether an object with these labels is selected.
    ///
    /// ```
    /// # use crdkit::client::selector::Labels;
    /// let selector = Labels::new().not_equal("app", "web")?;
    /// assert!(selector.matches(&[("app".into(), "db".into())].into()));
    /// assert!(!selector.matches(&[("app".into(), "web".into())].into()));
    /// # Ok::<(), crdkit::client::selector::InvalidLabel>(())
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

/// Converts the selector of a spec, such as a Deployment's.
///
/// ```
/// use crdkit::client::selector::Labels;
/// use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
///
/// let selector = LabelSelector {
///     match_labels: Some([("app".into(), "web".into())].into()),
///     ..LabelSelector::default()
/// };
/// assert_eq!(Labels::try_from(&selector)?.to_string(), "app=web");
/// # Ok::<(), crdkit::client::selector::InvalidLabel>(())
/// ```
impl TryFrom<&LabelSelector> for Labels {
    type Error = InvalidLabel;

    fn try_from(selector: &LabelSelector) -> Result<Self, InvalidLabel> {
        let labels = selector
            .match_labels
            .iter()
            .flatten()
            .map(|(key, value)| Ok(Expression::Equal(key.clone(), value.clone())));
        let expressions = selector.match_expressions.iter().flatten().map(expression);
        labels.chain(expressions).try_fold(Self::new(), |labels, expression| labels.with(expression?))
    }
}

fn expression(requirement: &LabelSelectorRequirement) -> Result<Expression, InvalidLabel> {
    let key = requirement.key.clone();
    let values = requirement.values.clone().unwrap_or_default();
    match requirement.operator.as_str() {
        "In" => Ok(Expression::In(key, values.into_iter().collect())),
        "NotIn" => Ok(Expression::NotIn(key, values.into_iter().collect())),
        "Exists" | "DoesNotExist" if !values.is_empty() => Err(InvalidLabel::UnexpectedValues(key)),
        "Exists" => Ok(Expression::Exists(key)),
        "DoesNotExist" => Ok(Expression::DoesNotExist(key)),
        operator => Err(InvalidLabel::Operator { key, operator: operator.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("Exists", Some(&["d"]), Err("the operators `Exists` and `DoesNotExist` of the label `c`")),
            ("in", Some(&["d"]), Err("`in` is not an operator for the label `c`")),
            ("In", Some(&["d e"]), Err("the label `c` cannot have the value")),
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
