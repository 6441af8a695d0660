//! Parts that are the same in all versions.

use alloc::{format, string::String};

use crate::definition::{Definition, Version};

/// The parts that are the same in all versions. The server moves such a part to the top level of the spec and validates it once.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedParts {
    /// `schema`.
    pub(super) schema: bool,
    /// `subresources`.
    pub(super) subresources: bool,
    /// `additionalPrinterColumns`.
    pub(super) columns: bool,
    /// `selectableFields`.
    pub(super) selectable_fields: bool,
}

impl SharedParts {
    /// Compares the versions of a definition.
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

    /// Returns the server's field for the schema of a version; `None` if it is validated with the first version.
    pub(super) fn schema(self, at: usize) -> Option<String> {
        field(self.schema, at, "validation.openAPIV3Schema", "schema.openAPIV3Schema")
    }

    /// Returns the server's field for the subresources of a version; `None` if they are validated with the first version.
    pub(super) fn subresources(self, at: usize) -> Option<String> {
        field(self.subresources, at, "subresources", "subresources")
    }

    /// Returns the server's field for the columns of a version; `None` if they are validated with the first version.
    pub(super) fn columns(self, at: usize) -> Option<String> {
        field(self.columns, at, "additionalPrinterColumns", "additionalPrinterColumns")
    }

    /// Returns the server's field for the selectable fields of a version; `None` if they are validated with the first version.
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
