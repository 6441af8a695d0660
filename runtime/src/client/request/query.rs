use std::{borrow::Cow, fmt::Display};

use form_urlencoded::Serializer;

use crate::client::selector::{FieldValueError, Selects};

pub(crate) const LABELS: &str = "labelSelector";
pub(crate) const FIELDS: &str = "fieldSelector";

/// The query of a request. Each key occurs once: of duplicate keys, the API server reads only the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) pairs: Vec<(&'static str, Cow<'static, str>)>,
    /// Why the request cannot be built.
    pub(crate) invalid: Option<FieldValueError>,
}

impl Query {
    /// Sets a key, replacing its value. Selectors are joined instead, so that all of them apply.
    pub(crate) fn with(mut self, key: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.set(key, value.into());
        self
    }

    /// Removes a key.
    pub(crate) fn without(mut self, key: &str) -> Self {
        self.pairs.retain(|(other, _)| *other != key);
        self
    }

    pub(crate) fn labels(self, selector: &impl Display) -> Self {
        self.with(LABELS, selector.to_string())
    }

    pub(crate) fn fields(self, selector: &str) -> Self {
        self.with(FIELDS, selector.to_owned())
    }

    pub(crate) fn matching<K>(self, selector: &impl Selects<K>) -> Self {
        match selector.text() {
            Ok(text) => self.with(FIELDS, text),
            Err(error) => Self { invalid: self.invalid.or(Some(error)), ..self },
        }
    }

    pub(crate) fn optional(self, key: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(key, value.to_owned()),
            None => self,
        }
    }

    pub(crate) fn flag(self, key: &'static str, set: bool) -> Self {
        if set { self.with(key, "true") } else { self }
    }

    pub(crate) fn and(mut self, other: &Self) -> Self {
        for (key, value) in &other.pairs {
            self.set(key, value.clone());
        }
        self.invalid = self.invalid.or_else(|| other.invalid.clone());
        self
    }

    pub(super) fn append_to(&self, uri: &mut String) {
        if self.pairs.is_empty() {
            return;
        }
        uri.push('?');
        let start = uri.len();
        let mut serializer = Serializer::for_suffix(std::mem::take(uri), start);
        *uri = serializer.extend_pairs(&self.pairs).finish();
    }

    fn set(&mut self, key: &'static str, value: Cow<'static, str>) {
        let old = self.pairs.iter_mut().find(|(other, _)| *other == key);
        match old {
            Some((_, old)) if [LABELS, FIELDS].contains(&key) => join(old, &value),
            Some((_, old)) => *old = value,
            None => self.pairs.push((key, value)),
        }
    }
}

/// Joins two selectors. An empty one selects everything.
fn join(selector: &mut Cow<'static, str>, other: &str) {
    if !selector.is_empty() && !other.is_empty() {
        selector.to_mut().push(',');
    }
    selector.to_mut().push_str(other);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(query: &Query) -> String {
        let mut uri = String::new();
        query.append_to(&mut uri);
        uri
    }

    #[test]
    fn queries_are_encoded() {
        let query = Query::default()
            .labels(&"a in (b, c),d=é")
            .optional("continue", None)
            .flag("force", true)
            .flag("watch", false);
        let expected = "?labelSelector=a+in+%28b%2C+c%29%2Cd%3D%C3%A9&force=true";
        assert_eq!(written(&query), expected);
    }

    #[test]
    fn all_selectors_apply() {
        let more = Query::default().fields("c=3").labels(&"z");
        let query = Query::default().labels(&"x").fields("a=1").labels(&"y").fields("b=2").and(&more);
        let expected = "?labelSelector=x%2Cy%2Cz&fieldSelector=a%3D1%2Cb%3D2%2Cc%3D3";
        assert_eq!(written(&query), expected);
    }

    #[test]
    fn empty_selector_does_not_change_the_other() {
        for [first, second] in [["", "x"], ["x", ""]] {
            let query = Query::default().labels(&first).labels(&second);
            assert_eq!(written(&query), "?labelSelector=x");
        }
    }

    #[test]
    fn last_value_of_other_keys_applies() {
        let query = Query::default().with("resourceVersion", "1").flag("watch", true).with("resourceVersion", "2");
        assert_eq!(written(&query), "?resourceVersion=2&watch=true");
    }
}
