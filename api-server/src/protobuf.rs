//! Kubernetes' protobuf: objects as Go's clients send and read them.
//!
//! A message is an envelope with the type of its object (`envelope.rs`). The fields of an object follow `go_types.txt`: `decode.rs`
//! returns the JSON that Go would write of it, and `encode.rs` the bytes that Go would, so that both are compared with Kubernetes' own
//! code. `scalar.rs` has the types that have a form of their own in JSON, `wire.rs` the encoding of numbers and texts.

mod decode;
mod encode;
mod envelope;
mod scalar;
mod wire;

pub(super) use envelope::{DecodeError, decode, encode, watch_frame};
pub(super) use wire::Writer;

/// The media type of messages.
pub(super) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

#[cfg(test)]
mod tests {
    use crdkit_oracles::{Oracle, Random, case_count, from_hex};
    use serde_json::Value;

    use super::*;
    use crate::{go_types, json_text};

    /// The random objects of each kind in a whole run.
    const OBJECTS: u64 = 50;

    /// Kubernetes' own code writes random objects of all kinds in JSON and in protobuf: both have to be the same here.
    #[test]
    fn objects_are_those_of_kubernetes() {
        let Some(oracle) = Oracle::shared() else { return };
        let objects: u64 = case_count("CRDKIT_ORACLE_CASES", OBJECTS);
        // The options of deletions are in all versions.
        let kinds = go_types::kinds().map(|(kind, version)| (if version == "*" { "apps/v1" } else { version }, kind));
        let queries: Vec<Vec<String>> = kinds
            .flat_map(|(version, kind)| {
                (1..=objects).map(move |seed| ["kind", version, kind, &seed.to_string()].map(str::to_owned).to_vec())
            })
            .collect();
        let mut messages = 0;
        let mut random = Random::new(1);
        oracle.query(&queries, |query, answer| {
            let [json, message] = answer else { panic!("{query:?}: {answer:?}") };
            assert_ne!(json, "error", "{query:?}: {message}");
            let object: Value = serde_json::from_str(json).unwrap();
            // Such options are only read.
            let is_written = query[2] != "DeleteOptions";
            if is_written {
                assert_eq!(String::from_utf8_lossy(&json_text::to_bytes(&object)), json.trim_end(), "{query:?}");
            }
            if message.is_empty() {
                assert!(encode(&object).is_err(), "{query:?}");
                return;
            }
            messages += 1;
            let message = from_hex(message);
            assert_eq!(decode(&message, ("", "")).unwrap(), object, "{query:?}");
            // Neither the end of a message nor a changed one is a panic.
            let mut changed = message[..random.below(message.len())].to_vec();
            let _ = decode(&changed, ("", ""));
            changed.clone_from(&message);
            changed[random.below(message.len())] = random.below(256) as u8;
            if let Ok(object) = decode(&changed, ("", "")) {
                let _ = encode(&object);
            }
            if is_written {
                assert!(encode(&object).unwrap() == message, "{query:?}\n{object}");
            }
        });
        assert!(messages > 100 * objects, "{messages}");
    }
}
