//! Decodes one JSON document: an object, or a list of objects.

use kube_core::{GroupVersionKind, gvk::GroupVersion};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{DecodeError, Decoded, Position, Scheme, error::TypeMismatch};

/// The type information of a document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header<'a> {
    api_version: Option<String>,
    kind: Option<String>,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
}

impl Header<'_> {
    fn gvk(&self) -> Option<GroupVersionKind> {
        let version: GroupVersion = self.api_version.as_ref()?.parse().ok()?;
        Some(version.with_kind(self.kind.as_ref()?))
    }
}

impl Scheme {
    pub(super) fn decode_document(
        &self,
        json: &[u8],
        position: &Position,
        objects: &mut Vec<Decoded>,
    ) -> Result<(), DecodeError> {
        let header = header(json, position)?;
        let gvk = header.gvk().ok_or_else(|| DecodeError::NoKind { position: position.clone() })?;
        match header.items.filter(|_| self.is_list(&gvk)) {
            Some(items) => self.decode_items(items, &gvk, position, objects),
            None => {
                objects.push(self.decode_as(gvk, json, position)?);
                Ok(())
            }
        }
    }

    /// A kind may have the suffix of a list without being one, in which case it is registered.
    fn is_list(&self, gvk: &GroupVersionKind) -> bool {
        gvk.kind.ends_with("List") && !self.recognizes(gvk)
    }

    fn decode_items(
        &self,
        items: &RawValue,
        list: &GroupVersionKind,
        position: &Position,
        objects: &mut Vec<Decoded>,
    ) -> Result<(), DecodeError> {
        let items: Vec<&RawValue> =
            serde_json::from_str(items.get()).map_err(|source| DecodeError::syntax(position.clone(), source))?;
        for (index, item) in items.into_iter().enumerate() {
            let position = position.item(index);
            let json = item.get().as_bytes();
            let stated = header(json, &position)?;
            match item_kind(&stated, list) {
                Some(kind) => objects.push(self.decode_as(kind, json, &position)?),
                None => self.decode_document(json, &position, objects)?,
            }
        }
        Ok(())
    }

    fn decode_as(&self, gvk: GroupVersionKind, json: &[u8], position: &Position) -> Result<Decoded, DecodeError> {
        let Some(decode) = self.decoder(&gvk) else {
            return Err(self.unknown(gvk, position));
        };
        match decode(json) {
            Ok(object) => Ok(Decoded::new(gvk, object)),
            Err(failure) => Err(DecodeError::TypeMismatch(Box::new(TypeMismatch {
                position: position.clone(),
                gvk,
                name: failure.name,
                path: failure.path,
                source: failure.source,
            }))),
        }
    }
}

fn header<'a>(json: &'a [u8], position: &Position) -> Result<Header<'a>, DecodeError> {
    serde_json::from_slice(json).map_err(|source| DecodeError::syntax(position.clone(), source))
}

/// Returns the kind of an item of a `PodList` without a kind, as the API server sends them.
fn item_kind(item: &Header<'_>, list: &GroupVersionKind) -> Option<GroupVersionKind> {
    let has_no_type = item.api_version.is_none() && item.kind.is_none();
    let kind = list.kind.strip_suffix("List").filter(|kind| !kind.is_empty())?;
    has_no_type.then(|| GroupVersionKind::gvk(&list.group, &list.version, kind))
}
