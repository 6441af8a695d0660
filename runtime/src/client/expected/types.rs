//! What objects and lists say that they are.

use serde::Deserialize;

use crate::{parse::scan::Scan, text::Text};

/// What an object, or a list, says that it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Types<'a> {
    #[serde(borrow, default)]
    pub(crate) api_version: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) kind: Option<Text<'a>>,
}

impl<'a> Types<'a> {
    pub(crate) fn api_version(&self) -> Option<&str> {
        self.api_version.as_deref()
    }

    pub(crate) fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Whether this is what API servers say in place of an object.
    pub(crate) fn is_status(&self) -> bool {
        self.kind() == Some("Status") && self.api_version() == Some("v1")
    }

    /// Reads what an object says that it is.
    ///
    /// # Errors
    ///
    /// If it is no JSON. What stands behind `apiVersion` and `kind` need not be looked at.
    pub(crate) fn read(json: &'a str) -> Result<Self, serde_json::Error> {
        match Self::quick(json) {
            Some(types) => Ok(types),
            None => Self::slow(json),
        }
    }

    /// As API servers write objects: both come first.
    fn quick(json: &'a str) -> Option<Self> {
        let mut types = Self::default();
        let mut scan = Scan::new(json);
        scan.expect(b'{')?;
        for _ in 0..2 {
            let slot = match scan.key()? {
                "apiVersion" => &mut types.api_version,
                "kind" => &mut types.kind,
                _ => return None,
            };
            *slot = Some(Text(scan.text()?));
            scan.expect(b',')?;
        }
        (types.api_version.is_some() && types.kind.is_some()).then_some(types)
    }

    fn slow(json: &'a str) -> Result<Self, serde_json::Error> {
        match serde_json::from_str(json) {
            // Lists are structs, too, to serde.
            Ok(types) if is_object(json) => Ok(types),
            Err(error) if error.is_syntax() || error.is_eof() => Err(error),
            Ok(_) | Err(_) => Ok(Self::default()),
        }
    }
}

pub(crate) fn is_object(json: &str) -> bool {
    json.trim_start().starts_with('{')
}
