//! Label selectors, checked before a request is made.

use std::{collections::BTreeMap, fmt};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube_core::{Expression, Selector, SelectorExt};

mod invalid;

pub use invalid::InvalidLabel;
use invalid::check;

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
                Err("the label `c` cannot have the value"),
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
