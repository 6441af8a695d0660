//! Summaries of the markers and flags in a type.

use super::{Field, Marker, ScaleRole, Schema, Shape, Variant};

/// A summary of the markers and flags in a type, at any depth.
///
/// It is computed once per type, so that checks in const evaluation do not have to traverse all types of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// The number of objects with marked fields.
    pub(crate) objects: usize,
    /// Whether the type's own fields have markers.
    pub(crate) own: bool,
    /// Whether a marked field is below a list or a map. Such fields are not counted elsewhere.
    pub(crate) below_lists: bool,
    /// Whether there is an immutable value, or a rule with `oldSelf`.
    pub(crate) changes: bool,
    /// Whether there is a field whose default is filled in when an object is deserialized.
    pub(crate) defaults: bool,
    /// Whether there may be a value without a structural schema, null or a tuple, that the type has not reported.
    pub(crate) nonstructural: bool,
    /// The number of selectable fields.
    pub(crate) selectable: usize,
    /// The number of fields for the desired replicas.
    pub(crate) replicas: usize,
    /// The number of fields for the observed replicas.
    pub(crate) status_replicas: usize,
    /// The number of fields for the label selector.
    pub(crate) label_selector: usize,
}

impl Summary {
    /// The summary of a type without markers and flags.
    pub(crate) const NONE: Self = Self {
        objects: 0,
        own: false,
        below_lists: false,
        changes: false,
        defaults: false,
        nonstructural: false,
        selectable: 0,
        replicas: 0,
        status_replicas: 0,
        label_selector: 0,
    };

    pub(super) const fn of(shape: &Shape) -> Self {
        match shape {
            Shape::List(inner) | Shape::Map(inner) => inner.summary.in_list(),
            Shape::Newtype(inner) => inner.summary,
            Shape::Object(fields) => Self::of_fields(fields),
            Shape::OneOf(_, variants) => Self::of_variants(variants),
            Shape::Tuple(items) => Self::of_items(items),
            _ => Self::NONE,
        }
    }

    /// Whether there is any marker.
    pub(crate) const fn any(&self) -> bool {
        self.objects > 0 || self.below_lists
    }

    /// Whether a field has a role in the scale subresource.
    pub(crate) const fn has_roles(&self) -> bool {
        self.replicas + self.status_replicas + self.label_selector > 0
    }

    const fn in_list(&self) -> Self {
        Self {
            below_lists: self.any(),
            changes: self.changes,
            defaults: self.defaults,
            nonstructural: self.nonstructural,
            ..Self::NONE
        }
    }

    pub(super) const fn of_fields(fields: &[Field]) -> Self {
        let mut summary = Self::NONE;
        let mut at = 0;
        while at < fields.len() {
            // Most fields require no call, because calls dominate the cost of const evaluation.
            let field = &fields[at];
            let inner = &field.schema.summary;
            if matches!(field.markers, [_, ..]) {
                summary.own = true;
                summary = summary.field(field.markers);
            }
            if field.immutable || field.transition {
                summary.changes = true;
            }
            if field.filled_in || inner.defaults {
                summary.defaults = true;
            }
            if inner.objects > 0 || inner.below_lists || inner.changes || inner.nonstructural {
                summary = summary.nested(inner);
            }
            at += 1;
        }
        if summary.own {
            summary.objects += 1;
        }
        summary
    }

    const fn of_variants(variants: &[Variant]) -> Self {
        let mut summary = Self::NONE;
        let mut at = 0;
        while at < variants.len() {
            if let Some(content) = variants[at].content {
                summary = summary.nested(&content.summary);
            }
            at += 1;
        }
        summary
    }

    const fn of_items(items: &'static [&'static Schema]) -> Self {
        let mut summary = Self::NONE;
        summary.nonstructural = items.len() > 1; // checked separately
        let mut at = 0;
        while at < items.len() {
            summary = summary.nested(&items[at].summary.in_list());
            at += 1;
        }
        summary
    }

    /// Adds the markers of a field, each kind at most once.
    const fn field(mut self, markers: &[Marker]) -> Self {
        let before = self;
        let mut at = 0;
        while at < markers.len() {
            match markers[at] {
                Marker::Column(_) => {}
                Marker::Selectable => self.selectable = before.selectable + 1,
                Marker::Scale(ScaleRole::Replicas) => self.replicas = before.replicas + 1,
                Marker::Scale(ScaleRole::StatusReplicas) => {
                    self.status_replicas = before.status_replicas + 1;
                }
                Marker::Scale(ScaleRole::LabelSelector) => {
                    self.label_selector = before.label_selector + 1;
                }
            }
            at += 1;
        }
        self
    }

    const fn nested(mut self, inner: &Self) -> Self {
        self.objects += inner.objects;
        self.below_lists = self.below_lists || inner.below_lists;
        self.changes = self.changes || inner.changes;
        self.defaults = self.defaults || inner.defaults;
        self.nonstructural = self.nonstructural || inner.nonstructural;
        self.selectable += inner.selectable;
        self.replicas += inner.replicas;
        self.status_replicas += inner.status_replicas;
        self.label_selector += inner.label_selector;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INNER: Schema = Schema::object(&[
        Field::new("a", &Schema::string()).marked(&[Marker::Selectable, Marker::Selectable]),
        Field::new("b", &Schema::string()),
    ]);

    #[test]
    fn sums_are_those_of_all_depths() {
        const OUTER: Schema = Schema::object(&[
            Field::new("replicas", &Schema::integer())
                .marked(&[Marker::Scale(ScaleRole::Replicas), Marker::Selectable]),
            Field::new("inner", &INNER.optional()),
            Field::new("newtype", &Schema::newtype(&INNER)),
        ]);
        assert_eq!(OUTER.summary, Summary { objects: 3, own: true, selectable: 3, replicas: 1, ..Summary::NONE });
    }

    #[test]
    fn sums_are_those_of_all_variants() {
        const ONE_OF: Schema = Schema::one_of(
            crate::schema::Tagging::External,
            &[Variant::new("a").with(&INNER), Variant::new("b"), Variant::new("c").with(&Schema::list(&INNER))],
        );
        assert_eq!(ONE_OF.summary.selectable, 1);
        let summary = ONE_OF.summary;
        assert!(summary.below_lists && !summary.own);
        let summary = Schema::tuple(&[&INNER]).summary;
        assert!(summary.below_lists);
    }

    #[test]
    fn what_is_below_a_list_counts_nowhere_else() {
        const OUTER: Schema = Schema::object(&[Field::new("list", &Schema::list(&INNER))]);
        assert_eq!(OUTER.summary, Summary { below_lists: true, ..Summary::NONE });
        assert!(OUTER.summary.any());
        assert!(!Schema::string().summary.any());
    }
}
