//! Splits YAML text into documents.

use serde_json::Value;
use serde_saphyr::{Options, Spanned, from_multiple_with_options, options};

use super::{DecodeError, Position};

/// Returns the non-empty documents, as JSON.
pub(super) fn documents(yaml: &str) -> Result<Vec<(Position, Vec<u8>)>, DecodeError> {
    let documents: Vec<Spanned<Value>> =
        from_multiple_with_options(yaml, as_kubectl()).map_err(|source| DecodeError::Yaml(source.into()))?;
    let documents = documents.into_iter().enumerate().map(|(index, document)| {
        let position = Position {
            document: Some(index + 1),
            line: Some(document.referenced.line()).filter(|line| *line > 0),
            items: Vec::new(),
        };
        match serde_json::to_vec(&document.value) {
            Ok(json) => Ok((position, json)),
            Err(source) => Err(DecodeError::syntax(position, source)),
        }
    });
    documents.collect()
}

fn as_kubectl() -> Options {
    options! {
        legacy_octal_numbers: true,
        with_snippet: false,
    }
}
