//! Checks of list keys in apply types.

use super::Message;
use crdkit_core::text::contains;

/// Checks that the apply type of a list's items has all keys of the list.
pub const fn keys(item: &str, keys: Option<&[&str]>, of_list: &[&str]) -> Result<(), Message> {
    let Some(keys) = keys else { return Ok(()) };
    let mut at = 0;
    while at < of_list.len() {
        if !contains(keys, of_list[at]) {
            return Err(Message::concat(&[
                "`",
                of_list[at],
                "` is a key of this list, but `",
                item,
                "Apply` can be created without it: mark the field of `",
                item,
                "` with `#[apply(key)]`",
            ]));
        }
        at += 1;
    }
    Ok(())
}
