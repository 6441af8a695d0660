//! Keys of lists whose items are applied in parts.

use super::Message;
use crdkit_core::text::contains;

/// The items of a list with keys are applied with these keys, if they are applied in parts at all.
pub const fn keys(item: &str, keys: Option<&[&str]>, of_list: &[&str]) -> Result<(), Message> {
    let Some(keys) = keys else { return Ok(()) };
    let mut at = 0;
    while at < of_list.len() {
        if !contains(keys, of_list[at]) {
            return Err(Message::concat(&[
                "`",
                of_list[at],
                "` tells the items of this list apart, and `",
                item,
                "Apply` can be made without it: mark the field of `",
                item,
                "` with `#[apply(key)]`",
            ]));
        }
        at += 1;
    }
    Ok(())
}
