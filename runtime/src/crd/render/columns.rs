//! Printer columns.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceColumnDefinition;

use crate::resource::definition::PrinterColumn;

/// Returns the columns of fields, followed by those of the type, so that the age is last.
pub(super) fn render(
    mut of_fields: Vec<CustomResourceColumnDefinition>,
    of_type: &[PrinterColumn],
) -> Option<Vec<CustomResourceColumnDefinition>> {
    of_fields.extend(of_type.iter().map(one));
    super::none_if_empty(of_fields)
}

fn one(column: &PrinterColumn) -> CustomResourceColumnDefinition {
    CustomResourceColumnDefinition {
        name: column.name.to_owned(),
        type_: column.type_.to_owned(),
        json_path: column.json_path.to_owned(),
        description: column.description.map(ToOwned::to_owned),
        format: column.format.map(ToOwned::to_owned),
        priority: column.priority,
    }
}
