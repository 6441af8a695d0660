//! Rendering of the fields of an object, including flattened ones.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    mem::take,
};

use crdkit_core::shared_schema::flattened::{self, FieldOrigin};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, ValidationRule};

use crate::{
    check,
    crd::{
        render::{
            RenderError,
            additional_fields::AdditionalFields,
            flatten_rules::{FlattenTarget, display_name},
            flattened_group::FlattenedGroup,
            keywords::{self, join_rule},
            none_if_empty,
            options::RenderOptions,
            relations,
            schema::{is_required, render_in, set_type, write_field},
            variants::require_defaulted,
        },
        structural::{self, describe_variants, variants},
    },
    schema::{Field, Presence, Schema, Shape, Tagging},
};

/// A builder for the fields of an object.
#[derive(Default)]
pub(super) struct ObjectFields {
    options: RenderOptions,
    /// Whether the object is a root with the fields of the spec (`no_spec`).
    no_spec: bool,
    properties: BTreeMap<String, JSONSchemaProps>,
    /// The properties that are not rendered yet.
    reserved: Vec<&'static str>,
    required: Vec<String>,
    /// The types that flattened fields come from.
    flattened: BTreeMap<String, &'static str>,
    rules: Vec<ValidationRule>,
    additional: AdditionalFields,
    /// The documentation of variants without a tag.
    variants: Vec<(String, String)>,
    /// Constraints on the fields of flattened types.
    groups: Vec<FlattenedGroup>,
}

impl ObjectFields {
    pub(super) fn of(options: RenderOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Creates a builder for a root.
    pub(super) fn of_root(options: RenderOptions, no_spec: bool) -> Self {
        Self { no_spec, ..Self::of(options) }
    }

    /// Inserts empty properties in the order of their names, so that these large values are not moved later.
    pub(super) fn reserve(&mut self, fields: &[Field]) {
        let own = fields.iter().filter(|field| !field.flatten);
        self.reserved = own.map(|field| field.name).collect();
        self.reserved.sort_unstable();
        self.reserved.dedup();
        for name in &self.reserved {
            let empty = JSONSchemaProps::default();
            self.properties.insert((*name).to_owned(), empty);
        }
    }

    /// Returns the reserved property, if it is not rendered yet.
    fn reserved(&mut self, name: &str) -> Option<&mut JSONSchemaProps> {
        let at = self.reserved.iter().position(|it| *it == name)?;
        self.reserved.swap_remove(at);
        self.properties.get_mut(name)
    }

    pub(super) fn add(&mut self, field: &Field) -> Result<(), RenderError> {
        if field.flatten {
            return self.flatten(field);
        }
        let options = self.options;
        let mut rules = take(&mut self.rules);
        self.insert_with(field.name, |props| {
            write_field(field, props, options)?;
            if field.presence == Presence::Defaulted && props.default.is_none() {
                return Err(RenderError::new(
                    "the default is null, so the server cannot set it when the field is missing",
                ));
            }
            let is_required = is_required(field, props);
            relations::of_field(field, props, is_required, &mut rules)?;
            Ok(is_required)
        })?;
        self.rules = rules;
        Ok(())
    }

    /// Renders a property with a function that returns whether it is required.
    pub(super) fn insert_with(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut JSONSchemaProps) -> Result<bool, RenderError>,
    ) -> Result<(), RenderError> {
        let below = |error: RenderError| error.below(&format!(".{name}"));
        let write = |props: &mut JSONSchemaProps| {
            let is_required = write(props)?;
            if !is_required {
                structural::drop_null_from_enum(props);
            }
            Ok(is_required)
        };
        let is_required = if let Some(room) = self.reserved(name) {
            write(room).map_err(below)?
        } else {
            match self.properties.entry(name.to_owned()) {
                Entry::Vacant(entry) => write(entry.insert(JSONSchemaProps::default())).map_err(below)?,
                Entry::Occupied(_) => {
                    let first = self.flattened.get(name).copied();
                    if let Some(spec) = first.filter(|_| self.no_spec) {
                        let message = check::root::conflicts_with_root_field(spec, name);
                        return Err(RenderError::new(message.as_str()));
                    }
                    return Err(shared_name(name, [first, None]));
                }
            }
        };
        self.require(name, is_required);
        Ok(())
    }

    fn require(&mut self, name: &str, is_required: bool) {
        if is_required && !self.required.iter().any(|required| required == name) {
            self.required.push(name.to_owned());
        }
    }

    /// Adds the fields of a flattened object or map.
    fn flatten(&mut self, field: &Field) -> Result<(), RenderError> {
        let options = self.options.with(field.keywords);
        let mut props = render_in(field.schema, options)?;
        keywords::apply(&mut props, field.keywords, options.descriptions)?;
        structural::allow_unknown(&mut props);
        let additional = AdditionalFields::of(&props);
        if matches!(additional, AdditionalFields::Nothing) && props.type_.as_deref() != Some("object") {
            let kind = structural::kind(&props);
            let message = flattened::not_flattenable(field.schema.name, kind, false);
            return Err(RenderError::new(message.as_str()));
        }
        self.additional.add(additional);
        if is_untagged(field.schema) {
            let description = props.description.take().unwrap_or_default();
            let documented = variants(&description).map(|(name, doc)| (name.to_owned(), doc));
            self.variants.extend(documented);
        }
        let may_be_null = props.nullable == Some(true) && !structural::is_any(&props);
        let is_option = field.schema.optional || may_be_null;
        let target = if self.no_spec { FlattenTarget::Root } else { FlattenTarget::Object };
        target.check(field.schema, &props, is_option)?;
        if is_option {
            without_defaults(field.schema, &mut props);
            relations::stay_set(field.schema, &mut props, &mut self.rules)?;
            let group = FlattenedGroup::of_optional(&mut props, display_name(field.schema));
            self.groups.push(group);
        } else {
            self.groups.push(FlattenedGroup::of(&mut props));
            self.join(props.x_kubernetes_validations.take());
        }
        let required = take(&mut props.required).unwrap_or_default();
        for (name, props) in take(&mut props.properties).unwrap_or_default() {
            self.insert_flattened(name, props, field.schema.name)?;
        }
        for name in &required {
            self.require(name, !is_option);
        }
        target.check_rest(field.schema, &props)
    }

    fn join(&mut self, rules: Option<Vec<ValidationRule>>) {
        let rules = rules.into_iter().flatten();
        rules.for_each(|rule| join_rule(&mut self.rules, rule));
    }

    fn insert_flattened(
        &mut self,
        name: String,
        props: JSONSchemaProps,
        owner: &'static str,
    ) -> Result<(), RenderError> {
        match self.properties.entry(name) {
            Entry::Vacant(entry) => {
                self.flattened.insert(entry.key().clone(), owner);
                entry.insert(props);
                Ok(())
            }
            Entry::Occupied(entry) => {
                let first = self.flattened.get(entry.key()).copied();
                Err(shared_name(entry.key(), [first, Some(owner)]))
            }
        }
    }

    pub(super) fn finish(mut self, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
        self.required.sort_unstable();
        set_type(props, "object");
        let documented = self.variants.iter().map(|(name, doc)| (name.as_str(), doc));
        props.description = describe_variants(None, documented);
        for mut group in take(&mut self.groups) {
            let rules = group.take_rules(&self.properties)?;
            self.join(Some(rules));
            group.write(props)?;
        }
        props.properties = (!self.properties.is_empty()).then_some(self.properties);
        props.required = none_if_empty(self.required);
        props.x_kubernetes_validations = none_if_empty(self.rules);
        self.additional.write(props);
        Ok(())
    }
}

/// The error for two fields with the same name, of which serde serializes both but deserializes only one. Each is
/// identified by the type that it is flattened from.
fn shared_name(name: &str, [first, second]: [Option<&str>; 2]) -> RenderError {
    let owner = |flattened| FieldOrigin { object: "", flattened, variant: None };
    let message = flattened::shared_name(name, [&owner(first), &owner(second)]);
    RenderError::new(message.as_str())
}

/// Removes defaults from the fields of an optional type: the server would set them even if the type is absent.
fn without_defaults(schema: &Schema, props: &mut JSONSchemaProps) {
    require_defaulted(schema, props);
    if props.required.is_none() {
        return;
    }
    for (_, property) in props.properties.iter_mut().flatten() {
        property.default = None;
    }
}

/// Whether the object contains the fields of an untagged enum.
fn is_untagged(schema: &Schema) -> bool {
    match schema.shape {
        Shape::Newtype(inner) => is_untagged(inner),
        Shape::Object(fields) => fields.iter().any(|field| field.flatten && is_untagged(field.schema)),
        Shape::OneOf(tagging, _) => matches!(tagging, Tagging::Untagged),
        _ => false,
    }
}
