use std::fmt;

use serde_saphyr::Error;

/// A YAML syntax error, without the values of the document.
///
/// Its `Display` and `Debug` output contains the position and the type of the error; [`unredacted`](Self::unredacted)
/// returns all of it. There is no `source()`, because errors are often logged with all their sources.
pub struct YamlError(Box<Error>);

impl YamlError {
    /// Returns the complete error. Its text may contain values of the document.
    pub fn unredacted(&self) -> &Error {
        &self.0
    }

    /// Returns the line and column, each from 1, if they are known.
    pub fn position(&self) -> Option<(u64, u64)> {
        let location = self.0.location()?;
        Some((location.line(), location.column())).filter(|(line, _)| *line > 0)
    }

    fn description(&self) -> &'static str {
        match self.0.without_snippet() {
            Error::Eof { .. } => "unexpected end of the text",
            Error::DuplicateMappingKey { .. } => "duplicate key",
            Error::UnknownAnchor { .. } => "an alias without an anchor",
            Error::ContainerEndMismatch { .. } => "mismatched end of a list or a mapping",
            Error::MergeValueNotMapOrSeqOfMaps { .. } => "the merged value is not a mapping",
            Error::InvalidUtf8Input => "the text is not UTF-8",
            Error::AliasReplayCounterOverflow { .. }
            | Error::AliasReplayLimitExceeded { .. }
            | Error::AliasExpansionLimitExceeded { .. }
            | Error::AliasReplayStackDepthExceeded { .. } => "too many aliases",
            _ => "the text cannot be parsed",
        }
    }
}

impl From<Error> for YamlError {
    fn from(error: Error) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description())?;
        if let Some((line, column)) = self.position() {
            write!(f, " at line {line} column {column}")?;
        }
        f.write_str("; the parser's message may contain values: see `.unredacted()`")
    }
}

impl fmt::Debug for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "YamlError({self})")
    }
}

impl std::error::Error for YamlError {}
