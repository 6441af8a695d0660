//! Formats other than serde_json's text and values.

use std::{collections::BTreeSet, fmt::Debug};

use serde::{Serialize, de::DeserializeOwned};

trait Format {
    fn write<T: Serialize>(value: &T) -> Result<Vec<u8>, String>;
    fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String>;
}

macro_rules! formats {
    ($($name:ident: $write:expr, $read:expr;)*) => {
        $(
            struct $name;
            impl Format for $name {
                fn write<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
                    let write: fn(&T) -> Result<Vec<u8>, String> = $write;
                    write(value)
                }
                fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
                    let read: fn(&[u8]) -> Result<T, String> = $read;
                    read(bytes)
                }
            }
        )*

        /// Compares two types in all formats, on values that the documents are decoded to.
        pub(super) fn compare<T, O>(name: &str, documents: &[String])
        where
            T: DeserializeOwned + Serialize + Debug,
            O: DeserializeOwned + Serialize + Debug,
        {
            $(compare_in::<$name, T, O>(&format!("{name} in {}", stringify!($name)), documents);)*
        }
    };
}

formats! {
    JsonBytes: |value| text(serde_json::to_vec(value)), |bytes| text(serde_json::from_slice(bytes));
    JsonReader: |value| text(serde_json::to_vec_pretty(value)), |bytes| text(serde_json::from_reader(bytes));
    Saphyr:
        |value| text(serde_saphyr::to_string(value)).map(String::into_bytes),
        |bytes| text(serde_saphyr::from_str(&String::from_utf8_lossy(bytes)));
    YamlNg:
        |value| text(serde_yaml_ng::to_string(value)).map(String::into_bytes),
        |bytes| text(serde_yaml_ng::from_str(&String::from_utf8_lossy(bytes)));
    Cbor:
        |value| {
            let mut bytes = Vec::new();
            text(ciborium::into_writer(value, &mut bytes)).map(|()| bytes)
        },
        |bytes| text(ciborium::from_reader(bytes));
    Bincode: |value| text(bincode::serialize(value)), |bytes| text(bincode::deserialize(bytes));
    Postcard: |value| text(postcard::to_stdvec(value)), |bytes| text(postcard::from_bytes(bytes));
}

/// Types with values that only serde reads. Their errors have other words, except in JSON.
const FOREIGN: [&str; 9] =
    ["Functions", "Lists", "AnyOf", "OfPlain", "OfOption", "Odd", "Absent", "BoundInteger", "InferredBounds"];

fn text<T, E: ToString>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn compare_in<F: Format, T, O>(name: &str, documents: &[String])
where
    T: DeserializeOwned + Serialize + Debug,
    O: DeserializeOwned + Serialize + Debug,
{
    let is_json = name.contains("Json");
    let has_foreign = !is_json && FOREIGN.iter().any(|foreign| name.starts_with(&format!("{foreign} ")));
    let mut written = BTreeSet::new();
    for document in documents {
        let (Ok(theirs), Ok(ours)) = (serde_json::from_str::<T>(document), serde_json::from_str::<O>(document)) else {
            continue;
        };
        let [theirs, ours] = [F::write(&theirs), F::write(&ours)];
        assert_eq!(ours, theirs, "{name}: {document}");
        written.extend(theirs.ok());
    }
    for bytes in written {
        for input in inputs(&bytes) {
            let theirs = F::read::<T>(&input).map(|value| format!("{value:?}"));
            let ours = F::read::<O>(&input).map(|value| format!("{value:?}"));
            // The documentation says so of them.
            if has_foreign && theirs.is_err() && ours.is_err() {
                continue;
            }
            assert_eq!(ours, theirs, "{name}: {:?}", String::from_utf8_lossy(&input));
        }
    }
}

/// The bytes, and others that are cut off or have another byte somewhere.
fn inputs(bytes: &[u8]) -> Vec<Vec<u8>> {
    const MOST: usize = 12;
    let step = bytes.len() / MOST + 1;
    let places = (0..bytes.len()).step_by(step);
    let cut_off = places.clone().map(|at| bytes[..at].to_vec());
    let changed = places.flat_map(|at| {
        [0, 1, 0x7f, 0xff, b'1', b'"'].map(|other| {
            let mut changed = bytes.to_vec();
            changed[at] = other;
            changed
        })
    });
    [bytes.to_vec()].into_iter().chain(cut_off).chain(changed).collect()
}
