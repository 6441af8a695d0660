//! Splits YAML text into documents.

use super::{DecodeError, Position};
use crate::yaml::read::{self, DuplicateKeys};

/// Returns the non-empty documents, as JSON.
pub(super) fn documents(text: &str) -> Result<Vec<(Position, Vec<u8>)>, DecodeError> {
    let documents = read::documents(text, DuplicateKeys::LastWins)
        .map_err(|source| DecodeError::Yaml(source.into()))?
        .into_iter()
        .enumerate()
        .map(|(index, document)| {
            let position = Position { document: Some(index + 1), line: document.line, items: Vec::new() };
            match serde_json::to_vec(&document.value) {
                Ok(json) => Ok((position, json)),
                Err(source) => Err(DecodeError::syntax(position, source)),
            }
        });
    documents.collect()
}
