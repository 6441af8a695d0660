//! The versions of a kind, and conversion between any two of them.

use std::fmt;

use serde_json::Value;

use super::{ConvertError, Spoke, conversion::KindConversion, object};
use crate::{CustomResource, resource::definition::Definition};

/// Converts JSON objects between the versions of a kind. A [`Hub`](super::Hub) creates it.
///
/// ```
/// # mod v1 {
/// #     use crdkit::{CustomResource, KubeSchema};
/// #     use serde::{Deserialize, Serialize};
/// #     #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
/// #     #[crd(group = "example.com", version = "v1", kind = "Machine", namespaced)]
/// #     pub struct MachineSpec { pub memory: String }
/// # }
/// # mod v1alpha1 {
/// #     use crdkit::{convert::Convert, CustomResource, KubeSchema};
/// #     use serde::{Deserialize, Serialize};
/// #     #[derive(CustomResource, KubeSchema, Convert, Serialize, Deserialize, Clone, Debug, PartialEq)]
/// #     #[crd(group = "example.com", version = "v1alpha1", kind = "Machine", namespaced, storage = false)]
/// #     #[convert(hub = super::v1::Machine)]
/// #     pub struct MachineSpec { #[convert(to = "memory")] pub ram: String }
/// # }
/// use crdkit::convert::Hub;
/// use serde_json::json;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let converter = Hub::<v1::Machine>::new().spoke::<v1alpha1::Machine>().converter();
/// let machine = json!({
///     "apiVersion": "example.com/v1alpha1",
///     "kind": "Machine",
///     "metadata": { "name": "web" },
///     "spec": { "ram": "1Gi" },
/// });
/// let converted = converter.convert(machine, "v1")?;
/// assert_eq!(converted["spec"], json!({ "memory": "1Gi" }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Converter {
    hub: &'static Definition,
    spokes: Vec<KindConversion>,
}

impl Converter {
    pub(super) fn of<H: CustomResource>() -> Self {
        Self { hub: crate::resource::custom_resource::definition::<H>(), spokes: Vec::new() }
    }

    pub(super) fn add<S: Spoke>(&mut self) {
        self.spokes.push(S::CONVERSION);
    }

    /// Whether the converter is for this group and kind.
    pub fn is_for(&self, group: &str, kind: &str) -> bool {
        self.group_kind() == (group, kind)
    }

    /// Returns the group and the kind of the hub.
    pub(crate) fn group_kind(&self) -> (&'static str, &'static str) {
        (self.hub.group, self.hub.kind)
    }

    /// Returns the name of the CustomResourceDefinition.
    #[doc(hidden)]
    pub fn definition_name(&self) -> String {
        format!("{}.{}", self.hub.plural, self.hub.group)
    }

    /// Converts an object to a version, such as `v1`. An object of this version stays as it is.
    ///
    /// # Errors
    ///
    /// If the object is of another kind or of an unknown version, or if it cannot be converted.
    pub fn convert(&self, object: Value, version: &str) -> Result<Value, ConvertError> {
        let source = self.version_of(&object)?;
        if source == version {
            return Ok(object);
        }
        let (from, to) = (self.find(&source)?, self.find(version)?);
        let object = match from {
            Some(spoke) => object::to_hub(spoke, object)?,
            None => object,
        };
        match to {
            Some(spoke) => object::from_hub(spoke, object),
            None => Ok(object),
        }
    }

    /// Returns the version of an `apiVersion` of the group.
    pub(super) fn version_in<'a>(&self, api_version: &'a str) -> Result<&'a str, ConvertError> {
        match api_version.split_once('/') {
            Some((group, version)) if group == self.hub.group => Ok(version),
            _ => {
                Err(ConvertError::OtherGroup { requested: api_version.to_owned(), expected: self.hub.group.to_owned() })
            }
        }
    }

    /// Returns the version of an object of the kind.
    fn version_of(&self, object: &Value) -> Result<String, ConvertError> {
        let member = |name| object.get(name).and_then(Value::as_str);
        let (Some(api_version), Some(kind)) = (member("apiVersion"), member("kind")) else {
            return Err(ConvertError::NotAnObject);
        };
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if !self.is_for(group, kind) {
            let [found, expected] = [(kind, group), (self.hub.kind, self.hub.group)]
                .map(|(kind, group)| QualifiedKind { kind, group }.to_string());
            return Err(ConvertError::OtherKind { found, expected });
        }
        Ok(version.to_owned())
    }

    /// Returns the conversion of a version; `None` for the hub.
    pub(super) fn find(&self, version: &str) -> Result<Option<&KindConversion>, ConvertError> {
        let spoke = self.spokes.iter().find(|spoke| spoke.spoke.version == version);
        if spoke.is_some() || version == self.hub.version {
            return Ok(spoke);
        }
        let spokes = self.spokes.iter().map(|it| it.spoke.version);
        let known: Vec<_> = std::iter::once(self.hub.version).chain(spokes).map(|it| format!("`{it}`")).collect();
        Err(ConvertError::UnknownVersion {
            version: version.to_owned(),
            kind: self.hub.kind.to_owned(),
            known: known.join(", "),
        })
    }
}

/// A kind with its group.
struct QualifiedKind<'a> {
    kind: &'a str,
    group: &'a str,
}

impl fmt::Display for QualifiedKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.kind, self.group)
    }
}
