//! Documents: good, odd and broken ones.

/// Values of members, of which some fit each type.
const VALUES: &[&str] = &[
    "null",
    "true",
    "1",
    "-1",
    "0",
    "-0",
    "255",
    "256",
    "300",
    "1.5",
    "1e3",
    "1e400",
    "18446744073709551615",
    "18446744073709551616",
    "\"\"",
    "\"text\"",
    "\"x\"",
    "\"A\"",
    "\"bbCc\"",
    "\"Second\"",
    "\"ff\"",
    "\"\\u00e9\\n\"",
    "\"\\ud800\"",
    "[]",
    "[1]",
    "[1,2]",
    "[1,\"text\"]",
    "[1,\"text\",3]",
    "[\"A\"]",
    "{}",
    "{\"a\":1}",
    "{\"a\":null}",
    "{\"a\":1,\"b\":\"text\"}",
    "{\"B\":1}",
    "{\"B\":\"x\"}",
    "{\"C\":[1,\"x\"]}",
    "{\"C\":[1]}",
    "{\"D\":{\"a\":1}}",
    "{\"D\":{\"a\":1,\"a\":2}}",
    "{\"D\":[1,\"x\"]}",
    "{\"A\":null}",
    "{\"A\":1}",
    "{\"A\":1,\"B\":2}",
    "{\"E\":{\"B\":1}}",
    "{\"E\":\"A\"}",
    "{\"1\":true}",
    "{\"a\":1,\"b\":\"x\",\"d\":2}",
    "[{\"a\":1,\"b\":\"x\",\"d\":2}]",
    "{\"secs\":1,\"nanos\":2}",
    "{\"x\":[1,2]}",
    "{\"x\":{\"a\":null}}",
    "nul",
    "[1",
    "{\"a\"",
    "1 2",
];

/// Returns all documents.
pub(super) fn all() -> Vec<String> {
    let mut all: Vec<String> = VALUES.iter().map(|value| (*value).to_owned()).collect();
    for a in VALUES {
        for b in ["null", "\"text\"", "\"x\"", "\"A\"", "[]", "{}", "[{\"a\":{}}]", "{\"k\":{}}"] {
            all.push(format!("{{\"a\": {a}, \"b\":{b}}}"));
            all.push(format!("{{\"b\":{b},\n \"a\":{a},\"d\":1.5}}"));
            all.push(format!("{{\"a\":1,\"c\":{a},\"b\":{b},\"z\":0}}"));
            all.push(format!("{{\"a\":\"ff\",\"c\":{a},\"d\":{b}}}"));
            all.push(format!("{{\"a\":\"ff\",\"c\":{b},\"d\":{a}}}"));
            all.push(format!("[{a},{b}]"));
            all.push(format!("[{b},{a},1,2.5]"));
        }
        for name in ["a", "b", "c", "d", "e", "f", "g", "bb", "secondField", "third", "out"] {
            all.push(format!("{{\"{name}\":{a}}}"));
            all.push(format!("{{\"{name}\":{a},\"{name}\":{a}}}"));
            all.push(format!("{{\"a\":1,\"b\":\"x\",\"{name}\":{a}}}"));
        }
    }
    all
}
