//! Label selectors that are evaluated in this process.

mod parse;

use std::{cmp::Ordering, fmt, str::FromStr};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube_core::{Expression, Selector};

use crate::{
    client::selector::{InvalidLabel, Labels},
    informer::CacheObject,
};
pub use parse::InvalidLabelQuery;

/// A label selector that is evaluated in this process.
///
/// All requirements must match. A selector without requirements matches all objects.
///
/// Create it from text, from the client's [`Labels`], or from a [`LabelSelector`] in a spec. The text has the syntax of
/// `kubectl -l`: `key=value` (or `==`), `key!=value`, `key in (a, b)`, `key notin (a, b)`, `key`, `!key`, `key>1`,
/// `key<1`. As on the API server, `!=` and `notin` also match objects without the label, and `>` and `<` compare
/// integers.
///
/// ```
/// use crdkit::informer::LabelQuery;
///
/// let query: LabelQuery = "app=web, tier in (front, back), !canary, shard > 2".parse()?;
/// assert_eq!(query.to_string(), "app=web,tier in (back,front),!canary,shard>2");
/// let error = "app=web,".parse::<LabelQuery>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`app=web,` is not a label selector: expected a key or `!` at its end"
/// );
/// # Ok::<(), crdkit::informer::InvalidLabelQuery>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelQuery(Vec<Requirement>);

/// A requirement on the labels. Values are sorted and not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Requirement {
    Exists(String),
    DoesNotExist(String),
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    /// The value is an integer that compares with the bound as given.
    Compared(String, Ordering, i64),
}

impl LabelQuery {
    pub(super) fn requirements(&self) -> &[Requirement] {
        &self.0
    }

    /// Whether all objects match.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the labels of an object match.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use crdkit::informer::LabelQuery;
    ///
    /// let mut pod = Pod::default();
    /// pod.metadata.labels = Some([("app".into(), "web".into())].into());
    /// assert!("app=web,tier!=db".parse::<LabelQuery>()?.matches(&pod));
    /// assert!(!"tier".parse::<LabelQuery>()?.matches(&pod));
    /// # Ok::<(), crdkit::informer::InvalidLabelQuery>(())
    /// ```
    pub fn matches(&self, object: &impl CacheObject) -> bool {
        self.0.iter().all(|requirement| requirement.is_met(object))
    }
}

impl Requirement {
    pub(super) fn is_met(&self, object: &impl CacheObject) -> bool {
        let value = |key: &String| {
            let mut labels = object.labels();
            labels.find(|(other, _)| other == key).map(|(_, value)| value)
        };
        let is_one_of = |value: &str, values: &[String]| values.iter().any(|other| other == value);
        match self {
            Self::Exists(key) => value(key).is_some(),
            Self::DoesNotExist(key) => value(key).is_none(),
            Self::In(key, values) => value(key).is_some_and(|value| is_one_of(value, values)),
            Self::NotIn(key, values) => value(key).is_none_or(|value| !is_one_of(value, values)),
            Self::Compared(key, ordering, bound) => {
                let number = value(key).and_then(|value| value.parse::<i64>().ok());
                number.is_some_and(|number| number.cmp(bound) == *ordering)
            }
        }
    }
}

impl From<Expression> for Requirement {
    fn from(expression: Expression) -> Self {
        match expression {
            Expression::In(key, values) => Self::In(key, values.into_iter().collect()),
            Expression::NotIn(key, values) => Self::NotIn(key, values.into_iter().collect()),
            Expression::Equal(key, value) => Self::In(key, vec![value]),
            Expression::NotEqual(key, value) => Self::NotIn(key, vec![value]),
            Expression::Exists(key) => Self::Exists(key),
            Expression::DoesNotExist(key) => Self::DoesNotExist(key),
        }
    }
}

impl From<Labels> for LabelQuery {
    fn from(labels: Labels) -> Self {
        let expressions = Selector::from(labels).into_iter();
        Self(expressions.map(Requirement::from).collect())
    }
}

impl From<&Labels> for LabelQuery {
    fn from(labels: &Labels) -> Self {
        labels.clone().into()
    }
}

impl From<&Self> for LabelQuery {
    fn from(query: &Self) -> Self {
        query.clone()
    }
}

impl TryFrom<&LabelSelector> for LabelQuery {
    type Error = InvalidLabel;

    fn try_from(selector: &LabelSelector) -> Result<Self, InvalidLabel> {
        Labels::try_from(selector).map(Self::from)
    }
}

impl TryFrom<&str> for LabelQuery {
    type Error = InvalidLabelQuery;

    fn try_from(text: &str) -> Result<Self, InvalidLabelQuery> {
        parse::parse(text).map(Self)
    }
}

impl TryFrom<&String> for LabelQuery {
    type Error = InvalidLabelQuery;

    fn try_from(text: &String) -> Result<Self, InvalidLabelQuery> {
        text.parse()
    }
}

impl FromStr for LabelQuery {
    type Err = InvalidLabelQuery;

    fn from_str(text: &str) -> Result<Self, InvalidLabelQuery> {
        text.try_into()
    }
}

impl fmt::Display for LabelQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, requirement) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { "," };
            write!(f, "{separator}{requirement}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(key) => f.write_str(key),
            Self::DoesNotExist(key) => write!(f, "!{key}"),
            Self::In(key, values) => match values.as_slice() {
                [value] => write!(f, "{key}={value}"),
                values => write!(f, "{key} in ({})", values.join(",")),
            },
            Self::NotIn(key, values) => match values.as_slice() {
                [value] => write!(f, "{key}!={value}"),
                values => write!(f, "{key} notin ({})", values.join(",")),
            },
            Self::Compared(key, Ordering::Less, bound) => write!(f, "{key}<{bound}"),
            Self::Compared(key, _, bound) => write!(f, "{key}>{bound}"),
        }
    }
}
