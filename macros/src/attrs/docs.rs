//! Doc comments as descriptions.

use syn::{Attribute, Expr, Lit, Meta};

/// The doc comments of an item.
#[derive(Clone, Debug)]
pub(crate) enum Docs {
    /// Literals only: title (a leading `# heading`) and description, empty if there is none.
    Text { title: String, description: String },
    /// Lines that contain an expression such as `include_str!("...")`.
    Lines(Vec<Expr>),
}

impl Docs {
    pub(crate) fn from_attrs(attrs: &[Attribute]) -> Self {
        let lines: Vec<Expr> = attrs.iter().filter_map(line).collect();
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(line) = literal(line) else {
                return Self::Lines(lines);
            };
            if at > 0 {
                text.push('\n');
            }
            text.push_str(line.strip_prefix(' ').unwrap_or(&line));
        }
        Self::text(&text)
    }

    fn text(text: &str) -> Self {
        let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
        let (title, description) =
            if text.starts_with('#') { text.split_once('\n').unwrap_or((text, "")) } else { ("", text) };
        let trim = |text: &str| text.trim_matches(|c: char| c.is_ascii_whitespace()).to_owned();
        Self::Text { title: trim(title.trim_start_matches('#')), description: trim(description) }
    }
}

fn line(attr: &Attribute) -> Option<Expr> {
    match &attr.meta {
        Meta::NameValue(doc) if attr.path().is_ident("doc") => Some(doc.value.clone()),
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        // Substituted by a `macro_rules!`.
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syn::{DeriveInput, parse_quote};

    use super::*;

    #[test]
    fn a_heading_is_the_title() {
        let input: DeriveInput = parse_quote! {
            /// # Title
            ///
            /// First line,
            ///   indented.
            struct S;
        };
        let Docs::Text { title, description } = Docs::from_attrs(&input.attrs) else {
            panic!("not text");
        };
        assert_eq!(title, "Title");
        assert_eq!(description, "First line,\n  indented.");
    }

    #[test]
    fn expressions_are_kept() {
        let input: DeriveInput = parse_quote! {
            #[doc = include_str!("x.md")]
            struct S;
        };
        assert!(matches!(Docs::from_attrs(&input.attrs), Docs::Lines(lines) if lines.len() == 1));
    }
}
