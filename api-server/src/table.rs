//! Tables, and lists of metadata.

use crdkit_core::go;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceColumnDefinition;
use serde_json::{Map, Value, json};

use super::{
    negotiation::MetaVersion,
    resource::{Resource, Version},
    time,
};

#[cfg(feature = "tables")]
mod autoscaler;
mod builtin;
#[cfg(feature = "tables")]
mod cluster_kinds;
mod custom;
#[cfg(feature = "tables")]
mod fields;
#[cfg(feature = "tables")]
mod other_kinds;
mod pod;
mod scale;

pub(super) use builtin::requirements;

const NAME_DESCRIPTION: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
    resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for \
    creation idempotence and configuration definition. Cannot be updated. More info: \
    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

const AGE_DESCRIPTION: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is \
    not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented \
    in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// How a table shows objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableOptions {
    pub(super) version: MetaVersion,
    pub(super) include: IncludeObject,
    /// Whether the definitions of the columns are absent, as in the second and later events of a watch.
    pub(super) no_headers: bool,
}

/// What a row contains besides its cells: the parameter `includeObject`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum IncludeObject {
    None,
    #[default]
    Metadata,
    Object,
}

impl IncludeObject {
    /// Parses the parameter. The error is the message of a response with the status 400.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" | "Metadata" => Ok(Self::Metadata),
            "None" => Ok(Self::None),
            "Object" => Ok(Self::Object),
            other => {
                let value = go::quote(other);
                let detail = "must be 'Metadata', 'Object', 'None', or empty";
                Err(format!("Unable to convert to Table as requested: includeObject: Invalid value: {value}: {detail}"))
            }
        }
    }
}

/// The columns of a version of a resource, ready to print objects.
pub(super) struct Printer<'v> {
    columns: Vec<CustomResourceColumnDefinition>,
    cells: Cells<'v>,
    /// Whether rows have conditions.
    is_of_pods: bool,
    /// The name of the object that is marked as the default one.
    default: Option<String>,
}

enum Cells<'v> {
    Custom(Vec<custom::Cell<'v>>),
    Builtin(builtin::CellsOf),
    #[cfg(feature = "tables")]
    Fields(&'static [fields::Cell]),
    /// The columns of a kind whose cells are not computed: the name and the age.
    Common,
}

impl<'v> Printer<'v> {
    pub(super) fn new(resource: &Resource, version: &'v Version) -> Self {
        let columns = version.spec.additional_printer_columns.as_deref().unwrap_or_default();
        if resource.is_custom {
            let cells = custom::cells(columns);
            let shown = if columns.is_empty() { vec![age_column("date")] } else { columns[..cells.len()].to_vec() };
            let shown = shown.into_iter().map(custom::with_description);
            let columns = [name_column()].into_iter().chain(shown).collect();
            return Self { columns, cells: Cells::Custom(cells), is_of_pods: false, default: None };
        }
        let (group, kind) = (&*resource.group, &*resource.names.kind);
        match builtin::cells(group, kind).map(Cells::Builtin).or_else(|| rare_cells(group, kind)) {
            Some(cells) => {
                let is_of_pods = (group, kind) == ("", "Pod");
                Self { columns: columns.to_vec(), cells, is_of_pods, default: None }
            }
            None => {
                let columns = vec![name_column(), age_column("string")];
                Self { columns, cells: Cells::Common, is_of_pods: false, default: None }
            }
        }
    }

    /// Returns the printer of scales, whose columns differ between custom and built-in resources.
    pub(super) fn of_scales(is_custom: bool) -> Self {
        Self {
            columns: scale::columns(is_custom),
            cells: Cells::Builtin(scale::cells),
            is_of_pods: false,
            default: None,
        }
    }

    /// Returns the printer of a list with these objects.
    #[cfg(feature = "tables")]
    pub(super) fn of_list(self, resource: &Resource, objects: &[Value]) -> Self {
        if resource.is_custom || resource.names.kind != "StorageClass" {
            return self;
        }
        let default = other_kinds::default_storage_class(objects.iter()).map(str::to_owned);
        Self { default, ..self }
    }

    /// Returns the printer of a list with these objects.
    #[cfg(not(feature = "tables"))]
    pub(super) fn of_list(self, _: &Resource, _: &[Value]) -> Self {
        self
    }

    /// Returns a table of objects. `metadata` is that of the list, or of a single object. `now` is a Unix time.
    pub(super) fn table<'o>(
        &self,
        objects: impl IntoIterator<Item = &'o Value>,
        metadata: &Value,
        options: TableOptions,
        now: i64,
    ) -> Value {
        let rows: Vec<_> = objects
            .into_iter()
            .map(|object| {
                let included = match options.include {
                    IncludeObject::None => Value::Null,
                    IncludeObject::Metadata => partial_metadata(object, options.version),
                    IncludeObject::Object => object.clone(),
                };
                let mut cells = self.cells(object, now);
                if self.default.as_deref().is_some_and(|default| cells[0] == default) {
                    cells[0] = format!("{} (default)", cells[0].as_str().unwrap_or_default()).into();
                }
                let mut row = json!({ "cells": cells, "object": included });
                if self.is_of_pods
                    && let Some(conditions) = pod::conditions(object)
                {
                    row["conditions"] = conditions;
                }
                row
            })
            .collect();
        let columns = (!options.no_headers).then(|| self.columns.iter().map(column_json).collect::<Vec<_>>());
        json!({
            "kind": "Table",
            "apiVersion": options.version.api_version(),
            "metadata": list_metadata(metadata),
            "columnDefinitions": columns,
            "rows": rows,
        })
    }

    fn cells(&self, object: &Value, now: i64) -> Vec<Value> {
        match &self.cells {
            Cells::Custom(cells) => {
                let others = cells.iter().map(|cell| cell.value(object, now));
                [name(object)].into_iter().chain(others).collect()
            }
            Cells::Builtin(cells) => cells(object, now),
            #[cfg(feature = "tables")]
            Cells::Fields(cells) => cells.iter().map(|cell| cell.value(object, now)).collect(),
            Cells::Common => vec![name(object), age(object, now)],
        }
    }
}

/// Returns the cells of a built-in kind that tests of operators rarely print.
#[cfg(feature = "tables")]
fn rare_cells(group: &str, kind: &str) -> Option<Cells<'static>> {
    let computed = other_kinds::cells(group, kind).or_else(|| cluster_kinds::cells(group, kind));
    computed.map(Cells::Builtin).or_else(|| fields::cells(group, kind).map(Cells::Fields))
}

#[cfg(not(feature = "tables"))]
fn rare_cells(_: &str, _: &str) -> Option<Cells<'static>> {
    None
}

/// Returns the first column of most tables.
pub(super) fn name_column() -> CustomResourceColumnDefinition {
    CustomResourceColumnDefinition {
        description: Some(NAME_DESCRIPTION.to_owned()),
        format: Some("name".to_owned()),
        name: "Name".to_owned(),
        type_: "string".to_owned(),
        ..Default::default()
    }
}

/// Returns the column of the age.
pub(super) fn age_column(type_: &str) -> CustomResourceColumnDefinition {
    CustomResourceColumnDefinition {
        description: Some(AGE_DESCRIPTION.to_owned()),
        json_path: ".metadata.creationTimestamp".to_owned(),
        name: "Age".to_owned(),
        type_: type_.to_owned(),
        ..Default::default()
    }
}

fn column_json(column: &CustomResourceColumnDefinition) -> Value {
    json!({
        "name": column.name,
        "type": column.type_,
        "format": column.format.as_deref().unwrap_or_default(),
        "description": column.description.as_deref().unwrap_or_default(),
        "priority": column.priority.unwrap_or_default(),
    })
}

/// Returns the fields of metadata that lists have, also from the metadata of an object.
fn list_metadata(metadata: &Value) -> Map<String, Value> {
    let mut fields = Map::new();
    for name in ["resourceVersion", "continue", "remainingItemCount", "shardInfo"] {
        match metadata.get(name) {
            None | Some(Value::Null) => {}
            Some(value) if value == "" => {}
            Some(value) => drop(fields.insert(name.to_owned(), value.clone())),
        }
    }
    fields
}

/// Returns an object without anything but its metadata.
pub(super) fn partial_metadata(object: &Value, version: MetaVersion) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    json!({ "kind": "PartialObjectMetadata", "apiVersion": version.api_version(), "metadata": metadata })
}

/// Returns a list whose objects have nothing but their metadata. `metadata` is that of the list.
pub(super) fn partial_metadata_list<'o>(
    objects: impl IntoIterator<Item = &'o Value>,
    metadata: &Value,
    version: MetaVersion,
) -> Value {
    let items: Vec<_> = objects.into_iter().map(|object| partial_metadata(object, version)).collect();
    json!({
        "kind": "PartialObjectMetadataList",
        "apiVersion": version.api_version(),
        "metadata": list_metadata(metadata),
        "items": items,
    })
}

/// Returns a float in the form that Go writes as JSON: without a fraction if that is zero and an `i64` holds the digits.
pub(super) fn float(value: f64) -> Value {
    // Above 2⁵³, both write the shortest digits and then zeros, which an exact conversion would not have.
    value.to_string().parse::<i64>().map_or_else(|_| value.into(), Value::from)
}

fn name(object: &Value) -> Value {
    object["metadata"]["name"].as_str().unwrap_or_default().into()
}

fn age(object: &Value, now: i64) -> Value {
    time::age(object["metadata"]["creationTimestamp"].as_str().unwrap_or_default(), now).into()
}

#[cfg(all(test, feature = "tables"))]
mod tests {
    use super::*;
    use crate::builtin as kinds;

    #[test]
    fn a_cell_for_each_column() {
        let (mut computed, mut fields) = (0, 0);
        for resource in kinds::resources() {
            let printer = Printer::new(&resource, &resource.versions[0]);
            match printer.cells {
                Cells::Builtin(_) => computed += 1,
                Cells::Fields(_) => fields += 1,
                Cells::Custom(_) | Cells::Common => continue,
            }
            // The server has one cell more.
            let more = usize::from(resource.names.kind == "IPAddress");
            let columns = resource.versions[0].spec.additional_printer_columns.as_ref().unwrap();
            assert_eq!(printer.cells(&Value::Null, 0).len(), columns.len() + more, "{}", resource.names.kind);
        }
        assert_eq!(computed, 47);
        assert!(fields >= 16, "{fields}");
    }
}
