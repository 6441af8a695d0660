//! Keywords that decide how much of a schema is rendered.

use super::Keyword;
use crate::attrs::schema_size::{EmbedMode, SizeAttrs};

/// The keywords of a field. An opaque type is replaced as a
/// [`SchemaSource`](crate::model::schema_source::SchemaSource).
pub(crate) fn schema_size(attrs: SizeAttrs) -> Vec<Keyword> {
    let descriptions = attrs.descriptions.map(|it| Keyword::Descriptions(it.name));
    let embed = attrs.embed.and_then(|embed| match embed.mode {
        EmbedMode::Opaque => None,
        EmbedMode::Lean => Some(Keyword::Embed("Lean")),
        EmbedMode::Full => Some(Keyword::Embed("Full")),
    });
    descriptions.into_iter().chain(embed).collect()
}
