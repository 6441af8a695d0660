//! The names of a resource.

use super::Names;
use crate::{
    attrs::{resource::ResourceAttrs, text::Text},
    model::plural,
};

impl Names {
    pub(super) fn new(attrs: &ResourceAttrs) -> Self {
        let text = |text: Option<&Text>| text.map(|text| text.as_str().to_owned());
        let kind = text(attrs.kind.as_deref()).unwrap_or_default();
        let default_singular = kind.to_ascii_lowercase();
        let singular = text(attrs.singular.as_deref()).unwrap_or_else(|| default_singular.clone());
        Self {
            group: text(attrs.group.as_deref()).unwrap_or_default(),
            version: text(attrs.version.as_deref()).unwrap_or_default(),
            plural: text(attrs.plural.as_deref()).unwrap_or_else(|| plural::pluralize(&singular)),
            list_kind: text(attrs.list_kind.as_deref()).unwrap_or_else(|| format!("{kind}List")),
            short_names: attrs.short_names.iter().map(|name| name.to_string()).collect(),
            categories: attrs.categories.iter().map(|name| name.to_string()).collect(),
            plural_from_singular: attrs.plural.is_none()
                && (singular != default_singular || irregular_plural(attrs).is_some()),
            singular,
            kind,
        }
    }
}

/// The English plural of the resource, if it is not the one that is made from the singular.
pub(super) fn irregular_plural(attrs: &ResourceAttrs) -> Option<String> {
    let kind = attrs.kind.as_deref().map(Text::as_str);
    let singular = attrs.singular.as_deref().map(Text::as_str);
    plural::irregular_plural(singular.or(kind)?)
}
