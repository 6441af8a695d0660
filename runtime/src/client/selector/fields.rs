//! Field selectors of one kind.

use std::{fmt, marker::PhantomData};

use kube_core::PartialObjectMeta;

use super::value::FieldValueError;
use crate::client::{error::JsonError, sealed::Sealed};

/// A selection of objects of `K` by their fields. Create it with [`selector!`](crate::selector).
///
/// It displays as the API server expects it, with `\`, `,` and `=` in values escaped.
pub struct FieldSelector<K> {
    requirements: Vec<Requirement>,
    kind: PhantomData<fn() -> K>,
}

/// A condition on one field.
#[derive(Clone, Debug)]
pub struct Requirement {
    path: &'static str,
    operator: &'static str,
    value: Result<String, FieldValueError>,
}

impl Requirement {
    /// Requires that the field at the path equals the value if `equal`, and differs from it otherwise.
    pub fn new(path: &'static str, equal: bool, value: Result<String, JsonError>) -> Self {
        let operator = if equal { "=" } else { "!=" };
        Self { path, operator, value: value.map_err(|source| FieldValueError::new(path, &source)) }
    }
}

impl<K> FieldSelector<K> {
    #[doc(hidden)]
    pub fn of(requirements: impl Into<Vec<Requirement>>) -> Self {
        Self { requirements: requirements.into(), kind: PhantomData }
    }

    /// Joins two selectors, both of which must match.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use crdkit::selector;
    ///
    /// let running = selector!(Pod, status.phase == "Running");
    /// let here = running.and(selector!(Pod, spec.nodeName == "n1"));
    /// assert_eq!(here.to_string(), "status.phase=Running,spec.nodeName=n1");
    /// ```
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.requirements.extend(other.requirements);
        self
    }

    /// Formats the selector for the API server.
    ///
    /// # Errors
    ///
    /// If a value cannot be compared with its field.
    pub fn to_text(&self) -> Result<String, FieldValueError> {
        let values = self.requirements.iter().map(|requirement| &requirement.value);
        match values.clone().find_map(|value| value.as_ref().err()) {
            Some(error) => Err(error.clone()),
            None => Ok(self.to_string()),
        }
    }
}

impl<K> fmt::Display for FieldSelector<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, requirement) in self.requirements.iter().enumerate() {
            let separator = if at == 0 { "" } else { "," };
            let Requirement { path, operator, .. } = requirement;
            write!(f, "{separator}{path}{operator}")?;
            match &requirement.value {
                Ok(value) => f.write_str(&escaped(value))?,
                Err(error) => write!(f, "({error})")?,
            }
        }
        Ok(())
    }
}

/// Escapes like `fields.EscapeValue` of apimachinery.
pub(crate) fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        if matches!(c, '\\' | ',' | '=') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

impl<K> Clone for FieldSelector<K> {
    fn clone(&self) -> Self {
        Self::of(self.requirements.clone())
    }
}

impl<K> fmt::Debug for FieldSelector<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldSelector({self})")
    }
}

/// A selector of objects of `K`: a [`FieldSelector`] of the kind, even if only the metadata of its objects is read.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not select objects of `{K}`",
    label = "a selector of another kind",
    note = "a selector belongs to one kind, the first argument of `selector!`"
)]
pub trait Selects<K>: Sealed {
    #[doc(hidden)]
    fn text(&self) -> Result<String, FieldValueError>;
}

impl<K> Sealed for FieldSelector<K> {}

impl<K> Selects<K> for FieldSelector<K> {
    fn text(&self) -> Result<String, FieldValueError> {
        self.to_text()
    }
}

impl<K> Selects<PartialObjectMeta<K>> for FieldSelector<K> {
    fn text(&self) -> Result<String, FieldValueError> {
        self.to_text()
    }
}

impl<K, S: Selects<K> + ?Sized> Selects<K> for &S {
    fn text(&self) -> Result<String, FieldValueError> {
        (**self).text()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Secret;
    use serde_json::json;

    use super::*;

    use crate::{
        client::mock::{Mock, Reply},
        selector,
    };

    #[tokio::test]
    async fn selectors_are_sent_as_the_server_reads_them() {
        let none = || Reply::json(200, json!({ "metadata": {}, "items": [] }));
        let mock = Mock::new([none(), none()]);
        let secrets = mock.client().resources::<Secret>().namespace("prod");
        let type_ = "a,b";
        let odd = selector!(Secret, r#type == type_ && metadata.name != "x");
        secrets.list().matching(&odd).await.unwrap();
        secrets.delete_collection().matching(odd).await.unwrap();
        let query = "fieldSelector=type%3Da%5C%2Cb%2Cmetadata.name%21%3Dx";
        let path = "/api/v1/namespaces/prod/secrets";
        let lines = [format!("GET {path}?{query}&limit=500"), format!("DELETE {path}?{query}")];
        assert_eq!(mock.lines(), lines);
    }

    #[test]
    fn delimiters_in_values_are_escaped() {
        assert_eq!(escaped(r"a,b=c\d e"), r"a\,b\=c\\d e");
    }

    #[test]
    fn signs_of_selectors_are_escaped_in_values() {
        assert_eq!(escaped(r"a,b=c\d"), r"a\,b\=c\\d");
    }
}
