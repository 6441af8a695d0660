use std::fmt;

use serde_saphyr::Error;

/// What is wrong with a text in YAML, without its values.
///
/// Its texts, those of `Debug` too, name the place and the kind of mistake; [`unredacted`](Self::unredacted) has all of
/// it. There is no `source()`, since errors are often written with all their sources.
pub struct YamlError(Box<Error>);

impl YamlError {
    /// The whole error. Its texts may hold values of the document.
    pub fn unredacted(&self) -> &Error {
        &self.0
    }

    /// The line and column, each from 1, where they are known.
    pub fn place(&self) -> Option<(u64, u64)> {
        let location = self.0.location()?;
        Some((location.line(), location.column())).filter(|(line, _)| *line > 0)
    }

    fn mistake(&self) -> &'static str {
        match self.0.without_snippet() {
            Error::Eof { .. } => "the text ends too early",
            Error::DuplicateMappingKey { .. } => "a key is there twice",
            Error::UnknownAnchor { .. } => "an alias has no anchor",
            Error::ContainerEndMismatch { .. } => "a list or a mapping does not end as it begins",
            Error::MergeValueNotMapOrSeqOfMaps { .. } => "what is merged is no mapping",
            Error::InvalidUtf8Input => "the text is not UTF-8",
            Error::AliasReplayCounterOverflow { .. }
            | Error::AliasReplayLimitExceeded { .. }
            | Error::AliasExpansionLimitExceeded { .. }
            | Error::AliasReplayStackDepthExceeded { .. } => "there are too many aliases",
            _ => "it cannot be parsed",
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
        f.write_str(self.mistake())?;
        if let Some((line, column)) = self.place() {
            write!(f, " at line {line} column {column}")?;
        }
        f.write_str("; the parser's message may hold values: `.unredacted()` has it")
    }
}

impl fmt::Debug for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "YamlError({self})")
    }
}

impl std::error::Error for YamlError {}
