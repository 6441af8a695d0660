//! Printer columns of fields.

use serde_derive_internals::ast::Field as SerdeField;

use super::Column;
use crate::attrs::printer_column::FieldColumn;

impl Column {
    pub(super) fn new(attrs: &FieldColumn, field: &SerdeField) -> Self {
        let name = match &attrs.name {
            Some(name) => name.to_string(),
            None => match &field.member {
                syn::Member::Named(ident) => header(&ident.to_string()),
                syn::Member::Unnamed(_) => String::new(),
            },
        };
        Self { name, attrs: attrs.clone() }
    }
}

/// `ready_replicas` as the header `Ready-Replicas`, which has no spaces, like the columns of `kubectl`.
fn header(field: &str) -> String {
    let words = field.trim_start_matches("r#").split('_').filter(|word| !word.is_empty());
    let capitalised = words.map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_uppercase() + rest
    });
    capitalised.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn headers() {
        for (field, expected) in
            [("phase", "Phase"), ("ready_replicas", "Ready-Replicas"), ("r#type", "Type"), ("_x", "X")]
        {
            assert_eq!(header(field), expected);
        }
    }
}
