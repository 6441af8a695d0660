//! Random JSON, as text, because the notation matters.

use proptest::{prelude::*, sample::select};

/// A value.
pub(crate) fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(&["null", "true", "false", "0", "-12", "3.50", "1e5", "-0.1E-2", "{}", "[]"][..])
            .prop_map(str::to_owned),
        string(),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let member = (string(), inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            (prop::collection::vec(inner, 0..4), space())
                .prop_map(|(items, space)| { format!("[{space}{}]", items.join(&format!(",{space}"))) }),
            (prop::collection::vec(member, 0..4), space()).prop_map(object),
        ]
    })
}

/// An object with metadata, in any valid notation.
pub(crate) fn kubernetes_object() -> impl Strategy<Value = String> {
    let metadata_keys =
        select(&["labels", "annotations", "managedFields", "generation", "managed\\u0046ields", "a"][..]);
    let text_keys = select(&["name", "namespace", "uid", "resourceVersion"][..]);
    let metadata_member = prop_oneof![
        (metadata_keys, value()).prop_map(|(key, value)| format!("\"{key}\":{value}")),
        (text_keys, string()).prop_map(|(key, value)| format!("\"{key}\":{value}")),
        Just(r#""managedFields":[{"manager":"m","fieldsV1":{"k:{\"type\":\"A\"}":{}}}]"#.to_owned()),
    ];
    let metadata = (prop::collection::vec(metadata_member, 0..6), string(), space())
        .prop_map(|(mut members, name, space)| {
            members.insert(members.len() / 2, format!("\"name\" : {name}"));
            object((members, space))
        })
        .boxed();
    let keys = select(&["spec", "status", "kind", "metad\\u0061ta", "data"][..]);
    let member = (keys, value()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
    let again = prop::option::weighted(0.05, metadata.clone());
    let members = prop::collection::vec(member, 0..4);
    (members, metadata, again, any::<prop::sample::Index>(), space()).prop_map(
        |(mut members, metadata, again, place, space)| {
            for metadata in [Some(metadata), again].into_iter().flatten() {
                members.insert(place.index(members.len() + 1), format!("\"metadata\":{metadata}"));
            }
            object((members, space))
        },
    )
}

/// The text with one character removed, inserted or replaced.
pub(crate) fn broken(text: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let character = select(&['{', '}', '[', ']', '"', '\\', ',', ':', ' ', '0', 'x', '\n', '\u{1}', 'é'][..]);
    (text, any::<prop::sample::Index>(), prop::option::of(character), any::<bool>()).prop_map(
        |(text, place, character, exchange)| {
            let mut characters: Vec<_> = text.chars().collect();
            let place = place.index(characters.len());
            let until = if exchange || character.is_none() { place + 1 } else { place };
            characters.splice(place..until, character);
            characters.into_iter().collect()
        },
    )
}

fn object((members, space): (Vec<String>, String)) -> String {
    format!("{{{space}{}{space}}}", members.join(&format!("{space},")))
}

fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => "[a-z{}\\[\\]:, ]{0,8}",
        1 => select(&["\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "é"][..]).prop_map(str::to_owned),
        1 => Just("0123456789abcdef".to_owned()),
    ];
    prop::collection::vec(part, 0..3).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn space() -> impl Strategy<Value = String> {
    prop_oneof![6 => Just(""), 1 => Just(" "), 1 => Just("\n\t")].prop_map(str::to_owned)
}
