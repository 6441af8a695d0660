//! The type information in objects and lists.

use serde::Deserialize;

use crate::json::{cow_str::CowStr, scan::Scan};

/// The `apiVersion` and `kind` of an object or a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Types<'a> {
    #[serde(borrow, default)]
    pub(crate) api_version: Option<CowStr<'a>>,
    #[serde(borrow, default)]
    pub(crate) kind: Option<CowStr<'a>>,
}

impl<'a> Types<'a> {
    pub(crate) fn api_version(&self) -> Option<&str> {
        self.api_version.as_deref()
    }

    pub(crate) fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Returns whether this is a Status, which API servers send instead of an object.
    pub(crate) fn is_status(&self) -> bool {
        self.kind() == Some("Status") && self.api_version() == Some("v1")
    }

    /// Reads the type information of an object.
    ///
    /// # Errors
    ///
    /// If the text is not JSON. The text after `apiVersion` and `kind` need not be validated.
    pub(crate) fn read(json: &'a str) -> Result<Self, serde_json::Error> {
        match Self::parse_fast(json) {
            Some(types) => Ok(types),
            None => Self::parse_with_serde(json),
        }
    }

    /// API servers write both fields first.
    fn parse_fast(json: &'a str) -> Option<Self> {
        let mut types = Self::default();
        let mut scan = Scan::new(json);
        scan.expect(b'{')?;
        for _ in 0..2 {
            let slot = match scan.key()? {
                "apiVersion" => &mut types.api_version,
                "kind" => &mut types.kind,
                _ => return None,
            };
            *slot = Some(CowStr(scan.text()?));
            scan.expect(b',')?;
        }
        (types.api_version.is_some() && types.kind.is_some()).then_some(types)
    }

    fn parse_with_serde(json: &'a str) -> Result<Self, serde_json::Error> {
        match serde_json::from_str(json) {
            // Serde also accepts lists as structs.
            Ok(types) if is_object(json) => Ok(types),
            Err(error) if error.is_syntax() || error.is_eof() => Err(error),
            Ok(_) | Err(_) => Ok(Self::default()),
        }
    }
}

pub(crate) fn is_object(json: &str) -> bool {
    json.trim_start().starts_with('{')
}
