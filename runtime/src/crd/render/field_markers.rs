//! Collection of the markers of a resource's fields.

use crdkit_core::{rules::column_lints::ColumnValue, schema::Kind};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition, CustomResourceSubresourceScale, JSONSchemaProps,
};

use crate::{
    crd::render::RenderError,
    resource::definition::DerivedRoot,
    schema::{
        Column, Marker, ScaleRole, Schema,
        walk::{Segment, parts},
    },
};

/// The markers in declaration order, those of the spec before those of the status.
#[derive(Default)]
pub(super) struct Markers {
    pub(super) columns: Vec<CustomResourceColumnDefinition>,
    pub(super) selectable: Vec<String>,
    replicas: Option<String>,
    status_replicas: Option<String>,
    label_selector: Option<String>,
}

/// Collects the markers of a root; `props` is its rendered schema.
pub(super) fn collect(root: &DerivedRoot, props: &JSONSchemaProps) -> Result<Markers, RenderError> {
    let mut markers = Markers::default();
    let top = RenderedPlace::Root(props);
    if root.flatten_spec {
        markers.read(root.spec, &top)?;
    } else {
        markers.read(root.spec, &RenderedPlace::Field(&top, "spec"))?;
    }
    if let Some(status) = root.status {
        markers.read(status, &RenderedPlace::Field(&top, "status"))?;
    }
    Ok(markers)
}

/// A place in the rendered schema of a root. Most fields have no marker, and need neither their path nor their schema.
#[derive(Clone, Copy)]
enum RenderedPlace<'a> {
    Root(&'a JSONSchemaProps),
    Field(&'a RenderedPlace<'a>, &'a str),
}

impl<'a> RenderedPlace<'a> {
    fn path(&self) -> String {
        match self {
            Self::Root(_) => String::new(),
            Self::Field(parent, name) => {
                let mut path = parent.path();
                path.push('.');
                push_escaped(&mut path, name);
                path
            }
        }
    }

    fn props(&self) -> &'a JSONSchemaProps {
        match *self {
            Self::Root(props) => props,
            Self::Field(parent, name) => {
                let parent = parent.props();
                // A patch may have removed the field from the schema.
                parent.properties.as_ref().and_then(|properties| properties.get(name)).unwrap_or(parent)
            }
        }
    }
}

/// Appends a name in the syntax of the server's JSON paths, with a backslash before special characters.
fn push_escaped(path: &mut String, name: &str) {
    for c in name.chars() {
        if " \t\r\n.,[]$@{}*".contains(c) {
            path.push('\\');
        }
        path.push(c);
    }
}

impl Markers {
    /// Returns the scale subresource if fields have the required roles.
    pub(super) fn scale(&self) -> Option<CustomResourceSubresourceScale> {
        Some(CustomResourceSubresourceScale {
            spec_replicas_path: self.replicas.clone()?,
            status_replicas_path: self.status_replicas.clone()?,
            label_selector_path: self.label_selector.clone(),
        })
    }

    fn read(&mut self, schema: &Schema, place: &RenderedPlace) -> Result<(), RenderError> {
        // Fields below a list have no single path.
        if schema.summary.objects == 0 {
            return Ok(());
        }
        for part in parts(schema) {
            let below = &match part.segment {
                Segment::Field(name) => RenderedPlace::Field(place, name),
                _ => *place,
            };
            for marker in part.field.map_or(&[][..], |field| field.markers) {
                self.add(marker, below)?;
            }
            self.read(part.schema, below)?;
        }
        Ok(())
    }

    fn add(&mut self, marker: &Marker, place: &RenderedPlace) -> Result<(), RenderError> {
        let path = || place.path();
        match marker {
            Marker::Column(column) => self.columns.push(render_column(column, place)?),
            Marker::Selectable => self.selectable.push(path()),
            Marker::Scale(ScaleRole::Replicas) => self.replicas = Some(path()),
            Marker::Scale(ScaleRole::StatusReplicas) => self.status_replicas = Some(path()),
            Marker::Scale(ScaleRole::LabelSelector) => self.label_selector = Some(path()),
        }
        Ok(())
    }
}

fn render_column(column: &Column, place: &RenderedPlace) -> Result<CustomResourceColumnDefinition, RenderError> {
    let description = column.description.map(ToOwned::to_owned);
    Ok(CustomResourceColumnDefinition {
        name: column.name.to_owned(),
        type_: column_type(place)?.to_owned(),
        json_path: place.path(),
        description: description.or_else(|| first_paragraph(place.props())),
        format: column.format.map(ToOwned::to_owned),
        priority: column.priority,
    })
}

fn first_paragraph(props: &JSONSchemaProps) -> Option<String> {
    let description = props.description.as_deref()?;
    let first = description.split("\n\n").next()?;
    Some(first.to_owned())
}

fn column_type(place: &RenderedPlace) -> Result<&'static str, RenderError> {
    let props = place.props();
    let int_or_string = props.x_kubernetes_int_or_string == Some(true);
    match Kind::of_type(props.type_.as_deref(), int_or_string) {
        Kind::List | Kind::Map | Kind::Object | Kind::Opaque => Err(RenderError::new(
            "a column shows a boolean, a number or a string: for other types, specify the type on \
             the resource, `printcolumn(name = \"...\", type_ = \"...\", json_path = \"...\")`",
        )
        .below(&place.path())),
        kind => Ok(ColumnValue { kind, format: props.format.as_deref() }.column_type()),
    }
}
