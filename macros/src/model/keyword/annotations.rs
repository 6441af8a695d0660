//! Keywords from doc comments and annotations, such as the title and the description.

use syn::{Expr, parse_quote};

use super::{Evaluated, Keyword};
use crate::attrs::{
    docs::Docs,
    schemars::{Annotations, string},
};

/// A title or a description.
pub(crate) enum DocText {
    Text(String),
    /// An expression of the type `&'static str`.
    Expression(Expr),
    /// Doc comments that contain expressions.
    Docs(Vec<Expr>),
}

impl DocText {
    /// Whether the text may be empty, which removes that of the type.
    pub(crate) fn may_be_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Expression(_) | Self::Docs(_) => true,
        }
    }
}

/// Annotations such as the title, and the keywords that change the rendered schema.
pub(crate) fn annotations(attrs: Annotations) -> (Vec<Keyword>, Vec<Keyword>) {
    let mut keywords = docs(attrs.docs, attrs.deprecated.as_deref());
    if let Some(title) = attrs.title {
        keywords.push(Keyword::Title(doc_text(title)));
    }
    if let Some(description) = attrs.description {
        keywords.push(Keyword::Description(match doc_text(description) {
            DocText::Text(text) => DocText::Text(with_deprecation(text, attrs.deprecated.as_deref())),
            doc_text => doc_text,
        }));
    }
    keywords.extend(attrs.example.map(|example| Keyword::Evaluated(Evaluated::Example(example))));
    let mut patches = Vec::new();
    if !attrs.extensions.is_empty() {
        patches.push(Keyword::Evaluated(Evaluated::Extend(attrs.extensions)));
    }
    patches.extend(attrs.transforms.into_iter().map(|it| Keyword::Evaluated(Evaluated::Transform(it))));
    (keywords, patches)
}

fn docs(docs: Docs, deprecated: Option<&str>) -> Vec<Keyword> {
    match docs {
        Docs::Lines(mut lines) => {
            let title = Keyword::Title(DocText::Docs(lines.clone()));
            if deprecated.is_some() {
                let paragraph = format!("\n{}", with_deprecation(String::new(), deprecated));
                lines.push(parse_quote!(#paragraph));
            }
            vec![title, Keyword::Description(DocText::Docs(lines))]
        }
        Docs::Text { title, description } => {
            let description = with_deprecation(description, deprecated);
            let mut keywords = Vec::new();
            if !title.is_empty() {
                keywords.push(Keyword::Title(DocText::Text(title)));
            }
            if !description.is_empty() {
                keywords.push(Keyword::Description(DocText::Text(description)));
            }
            keywords
        }
    }
}

/// Schemas in a CustomResourceDefinition have no `deprecated`, so the description contains it.
fn with_deprecation(description: String, deprecated: Option<&str>) -> String {
    let Some(note) = deprecated else {
        return description;
    };
    let separator = if description.is_empty() { "" } else { "\n\n" };
    let note = if note.is_empty() { "Deprecated.".to_owned() } else { format!("Deprecated: {note}") };
    format!("{description}{separator}{note}")
}

pub(super) fn doc_text(expr: Expr) -> DocText {
    match string(&expr) {
        Some(text) => DocText::Text(text.value()),
        None => DocText::Expression(expr),
    }
}
