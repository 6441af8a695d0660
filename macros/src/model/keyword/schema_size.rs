//! Keywords that say how much of a schema is written.

use super::Keyword;
use crate::attrs::schema_size::{EmbedForm, SizeAttrs};

/// What a field says of how much of it is written. What is opaque has another schema already.
pub(crate) fn schema_size(attrs: SizeAttrs) -> Vec<Keyword> {
    let descriptions = attrs.descriptions.map(|it| Keyword::Descriptions(it.name));
    let embed = attrs.embed.and_then(|embed| match embed.form {
        EmbedForm::Opaque => None,
        EmbedForm::Lean => Some(Keyword::Embed("Lean")),
        EmbedForm::Full => Some(Keyword::Embed("Full")),
    });
    descriptions.into_iter().chain(embed).collect()
}
