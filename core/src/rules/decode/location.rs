//! Locations in the JSON of a definition.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    json::Json,
    schema::api_fields::{ApiField, ApiStruct, SCHEMA},
};

/// The location of a value.
pub(super) struct JsonLocation<'p> {
    parent: Option<&'p Self>,
    /// The Go struct that has the value as a field, directly or nested.
    owner: &'static str,
    step: LocationStep<'p>,
    /// Whether the value is within a schema of `items` or `additionalProperties`, where the server does not report unknown
    /// fields.
    is_hidden: bool,
}

#[derive(Clone, Copy)]
enum LocationStep<'p> {
    Root,
    /// A field of an object other than a schema.
    Field(&'static str),
    /// The field `schema` of the version with this name.
    Version(&'p str),
    /// A keyword of a schema.
    Keyword(&'static str),
    /// A member of an object with arbitrary keys.
    Key(&'p str),
    Item(usize),
    /// The schema in a field that can also have another type.
    Schema,
}

type JsonMembers<'a> = [(Cow<'a, str>, Json<'a>)];

impl<'p> JsonLocation<'p> {
    pub(super) const fn root() -> Self {
        JsonLocation { parent: None, owner: "", step: LocationStep::Root, is_hidden: false }
    }

    /// Returns the location of a field of an object with these members.
    pub(super) fn field<'q>(
        &'q self,
        object: &'static ApiStruct,
        field: &'static ApiField,
        members: &'q JsonMembers<'_>,
    ) -> JsonLocation<'q> {
        let step = match field.name {
            name if object.name == SCHEMA.name => LocationStep::Keyword(name),
            "schema" => LocationStep::Version(name_of(members)),
            name => LocationStep::Field(name),
        };
        self.then(object.name, step)
    }

    pub(super) const fn item(&self, number: usize) -> JsonLocation<'_> {
        self.then(self.owner, LocationStep::Item(number))
    }

    pub(super) const fn key<'q>(&'q self, key: &'q str) -> JsonLocation<'q> {
        self.then(self.owner, LocationStep::Key(key))
    }

    pub(super) const fn hidden(&self) -> JsonLocation<'_> {
        let mut at = self.then(self.owner, LocationStep::Schema);
        at.is_hidden = true;
        at
    }

    const fn then<'q>(&'q self, owner: &'static str, step: LocationStep<'q>) -> JsonLocation<'q>
    where
        'p: 'q,
    {
        JsonLocation { parent: Some(self), owner, step, is_hidden: self.is_hidden }
    }

    pub(super) const fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    pub(super) const fn owner(&self) -> &'static str {
        self.owner
    }

    /// Returns the schema keyword that has this value.
    pub(super) const fn keyword(&self) -> Option<&'static str> {
        match self.step {
            LocationStep::Keyword(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the name of the value in messages.
    pub(super) fn name(&self) -> &str {
        match (self.step, self.parent) {
            (LocationStep::Field(name) | LocationStep::Keyword(name) | LocationStep::Key(name), _) => name,
            (LocationStep::Version(_), _) => "schema",
            (_, Some(parent)) => parent.name(),
            _ => "the definition",
        }
    }

    fn steps(&self) -> Vec<LocationStep<'_>> {
        let mut steps = self.parent.map_or_else(Vec::new, |parent| parent.steps());
        steps.push(self.step);
        steps
    }

    /// Returns the path as Go writes it, with fields only.
    pub(super) fn go(&self) -> String {
        let steps = self.steps();
        let names = steps.iter().filter_map(|step| match *step {
            LocationStep::Field(name) | LocationStep::Keyword(name) => Some(name),
            LocationStep::Version(_) => Some("schema"),
            _ => None,
        });
        names.collect::<Vec<_>>().join(".")
    }

    /// Returns the path of a field within the value, as the server writes it: `spec.versions[0].schema.openAPIV3Schema.const`.
    pub(super) fn below(&self, name: &str) -> String {
        match self.json() {
            json if json.is_empty() => name.to_string(),
            json => format!("{json}.{name}"),
        }
    }

    fn json(&self) -> String {
        let mut text = String::new();
        for step in self.steps() {
            let name = match step {
                LocationStep::Root | LocationStep::Schema => continue,
                LocationStep::Item(number) => {
                    text += &format!("[{number}]");
                    continue;
                }
                LocationStep::Field(name) | LocationStep::Keyword(name) | LocationStep::Key(name) => name,
                LocationStep::Version(_) => "schema",
            };
            if !text.is_empty() {
                text.push('.');
            }
            text += name;
        }
        text
    }

    /// Returns the path as crdkit writes it: `spec.names.kind`, and within a schema `v1.spec.disks[]`.
    pub(super) fn path(&self) -> String {
        let steps = self.steps();
        let version = steps.iter().enumerate().find_map(|(at, step)| match step {
            LocationStep::Version(name) => Some((at, *name)),
            _ => None,
        });
        let Some((at, name)) = version else {
            return self.json();
        };
        let mut text = name.to_string();
        let mut steps = steps[at + 1..].iter().copied().peekable();
        while let Some(step) = steps.next() {
            let LocationStep::Keyword(keyword) = step else {
                continue;
            };
            match (keyword, steps.peek()) {
                ("properties", Some(LocationStep::Key(key))) => text += &format!(".{key}"),
                ("items", Some(LocationStep::Schema)) => {
                    steps.next();
                    match steps.peek() {
                        Some(LocationStep::Item(number)) => text += &format!("[{number}]"),
                        _ => text += "[]",
                    }
                }
                ("additionalProperties", Some(LocationStep::Schema)) => text += "[*]",
                ("allOf" | "anyOf" | "oneOf", Some(LocationStep::Item(number))) => {
                    text += &format!(".{keyword}[{number}]");
                }
                ("not", Some(_)) => text += ".not",
                _ => break,
            }
        }
        text
    }
}

fn name_of<'a>(members: &'a JsonMembers<'_>) -> &'a str {
    let found = members.iter().find(|(name, _)| name == "name");
    found.and_then(|(_, value)| value.as_str()).unwrap_or_default()
}
