use std::{
    borrow::{Borrow, Cow},
    ops::Deref,
};

use serde::Deserialize;

/// A text that is borrowed where it can be, also within an `Option`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
pub struct CowStr<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl Deref for CowStr<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for CowStr<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}
