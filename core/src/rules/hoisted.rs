//! How the server calls the parts of versions.

use alloc::{format, string::String};

use crate::definition::{Definition, Version};

/// The parts of versions that are the same in all of them. The server reads each such part as one, which stands above the
/// versions, and judges it once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hoisted {
    /// `schema`.
    pub(super) schema: bool,
    /// `subresources`.
    pub(super) subresources: bool,
    /// `additionalPrinterColumns`.
    pub(super) columns: bool,
    /// `selectableFields`.
    pub(super) selectable_fields: bool,
}

impl Hoisted {
    /// What is the same in all versions of a definition.
    pub(super) fn of(definition: &Definition<'_>) -> Self {
        let Some((first, others)) = definition.versions.split_first() else {
            return Self { schema: true, subresources: true, columns: true, selectable_fields: true };
        };
        let all = |is_same: &dyn Fn(&Version<'_>) -> bool| others.iter().all(is_same);
        Self {
            schema: all(&|it| it.schema == first.schema),
            subresources: all(&|it| it.status == first.status && it.scale == first.scale),
            columns: all(&|it| it.columns == first.columns),
            selectable_fields: all(&|it| it.selectable_fields == first.selectable_fields),
        }
    }

    /// The schema of a version; none if that of another stands for it.
    pub(super) fn schema(self, at: usize) -> Option<String> {
        field(self.schema, at, "validation.openAPIV3Schema", "schema.openAPIV3Schema")
    }

    /// The subresources of a version; none if those of another stand for them.
    pub(super) fn subresources(self, at: usize) -> Option<String> {
        field(self.subresources, at, "subresources", "subresources")
    }

    /// The columns of a version; none if those of another stand for them.
    pub(super) fn columns(self, at: usize) -> Option<String> {
        field(self.columns, at, "additionalPrinterColumns", "additionalPrinterColumns")
    }

    /// The selectable fields of a version; none if those of another stand for them.
    pub(super) fn selectable_fields(self, at: usize) -> Option<String> {
        field(self.selectable_fields, at, "selectableFields", "selectableFields")
    }
}

fn field(is_hoisted: bool, at: usize, above: &str, within: &str) -> Option<String> {
    match (is_hoisted, at) {
        (true, 0) => Some(format!("spec.{above}")),
        (true, _) => None,
        (false, _) => Some(format!("spec.versions[{at}].{within}")),
    }
}
