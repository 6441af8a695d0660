use std::sync::Arc;

use crdkit_tests::{
    apiserver::{ApiServer, Content},
    faults::Random,
};
use serde_json::json;
use tokio::time::sleep;

use crate::case::{Case, NAMESPACES};

const NAMES: usize = 40;
const NOTES: [&str; 5] = [
    "plain",
    "\u{201e}quotes\u{201c}, \"quotes\" and \\backslashes\\",
    "\u{1f980} {\"type\":\"DELETED\",\"object\":{}}",
    "line\nbreak and \u{0007}",
    "managedFields: [}]",
];

/// Creates the initial objects.
pub(crate) fn create_objects(case: &Case, server: &ApiServer) {
    let mut random = Random::for_purpose(case.seed, "objects", 0);
    for number in 0..case.objects {
        let namespace = random.pick(&NAMESPACES);
        let content = content(&mut random);
        server.storage().create(namespace, &format!("first-{number}"), content);
    }
}

/// Writes in bursts that are spread over the storm.
pub(crate) async fn write(case: Case, server: Arc<ApiServer>) {
    let mut random = Random::for_purpose(case.seed, "writes", 0);
    let mut written = 0;
    loop {
        let burst = random.magnitude(60).min(case.writes - written).max(1);
        for _ in 0..burst {
            write_one(&case, &server, &mut random);
        }
        written += burst;
        if written >= case.writes {
            return;
        }
        let share = case.timing.storm * u32::try_from(burst).expect("a burst is small");
        let share = share / u32::try_from(case.writes).expect("writes are few");
        sleep(share * u32::try_from(random.below(200)).expect("small") / 100).await;
    }
}

fn write_one(case: &Case, server: &ApiServer, random: &mut Random) {
    let storage = server.storage();
    let (namespace, name) = name(case, random);
    match random.below(10) {
        0 | 1 => drop(storage.delete(namespace, &name)),
        2 => {
            storage.delete(namespace, &name);
            storage.create(namespace, &name, content(random));
        }
        3 => {
            let tier = *random.pick(&["web", "db"]);
            storage.update(namespace, &name, |content| {
                content.labels.insert("tier".into(), tier.into());
            });
        }
        4..8 => {
            let size = random.below(1000);
            storage.update(namespace, &name, |content| {
                content.spec["size"] = size.into();
            });
        }
        _ => drop(storage.create(namespace, &name, content(random))),
    }
    if random.percent(5) {
        storage.advance_version();
    }
    if random.below(1000) < case.compactions {
        storage.compact();
    }
}

fn name<'a>(case: &Case, random: &mut Random) -> (&'a str, String) {
    let namespace = *random.pick(&NAMESPACES);
    if case.objects > 0 && random.percent(30) {
        return (namespace, format!("first-{}", random.below(case.objects)));
    }
    (namespace, format!("widget-{}", random.below(NAMES)))
}

fn content(random: &mut Random) -> Content {
    let tier = *random.pick(&["web", "web", "db"]);
    let padding = "x".repeat(random.magnitude(600));
    Content {
        labels: [("tier".into(), tier.into()), ("app".into(), "a".into())].into(),
        annotations: [("example.com/padding".into(), padding)].into(),
        spec: json!({ "size": random.below(1000), "note": random.pick(&NOTES) }),
    }
}
