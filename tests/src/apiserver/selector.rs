use anyhow::{Context, Result};

use super::Object;

/// A label selector with equality only, such as `app=web,tier==front`.
#[derive(Clone, Debug, Default)]
pub struct Selector(Vec<(String, String)>);

impl Selector {
    /// Parses a selector; an empty one selects all objects.
    ///
    /// # Errors
    ///
    /// If the selector has other operators than equality.
    pub fn parse(text: &str) -> Result<Self> {
        let pairs = text.split(',').filter(|pair| !pair.is_empty());
        pairs.map(pair).collect::<Result<_>>().map(Self)
    }

    /// Whether the object has the labels.
    pub fn matches(&self, object: &Object) -> bool {
        let labels = &object.content.labels;
        self.0.iter().all(|(key, value)| labels.get(key) == Some(value))
    }
}

fn pair(text: &str) -> Result<(String, String)> {
    let (key, value) = text
        .split_once('=')
        .filter(|(key, _)| !key.ends_with('!'))
        .with_context(|| format!("only equality is supported, not {text:?}"))?;
    let value = value.strip_prefix('=').unwrap_or(value);
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}
