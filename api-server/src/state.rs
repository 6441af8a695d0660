//! The state of the server, which one request at a time reads and writes.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::{
    admission::registered::Admission,
    authorization::Authorization,
    clock::Clock,
    controllers::running::Controllers,
    conversion::Conversions,
    failure::Failure,
    faults::rules::Rules,
    journal,
    open_watches::OpenWatches,
    request::ResourceRequest,
    resources::Resources,
    store::{Key, SchemaId, Store, Stored},
    tokens::Tokens,
    value::text,
    webhook_calls::Stop,
};

/// The state, which one request at a time uses.
#[derive(Clone)]
pub(super) struct SharedState(Arc<Mutex<State>>);

impl SharedState {
    pub(super) fn new(state: State) -> Self {
        Self(Arc::new(Mutex::new(state)))
    }

    /// Reads or changes the state.
    pub(super) fn with<T>(&self, action: impl FnOnce(&mut State) -> T) -> T {
        action(&mut self.0.lock().expect("no request panics"))
    }
}

pub(super) struct State {
    pub(super) store: Store,
    pub(super) resources: Resources,
    pub(super) clock: Clock,
    pub(super) faults: Rules,
    pub(super) journal: journal::Log,
    pub(super) watches: OpenWatches,
    pub(super) is_stopped: bool,
    pub(super) controllers: Controllers,
    /// The revisions of the objects that the server has from the start.
    pub(super) initial: HashSet<u64>,
    random: Random,
    pub(super) authorization: Authorization,
    pub(super) admission: Admission,
    pub(super) tokens: Tokens,
    /// The conversions of the test, by the names of definitions.
    pub(super) conversions: Conversions,
    /// Whether lists and watches support shard selectors.
    pub(super) has_shards: bool,
    /// The schemas of the definition that was served last.
    pub(super) last_schema: SchemaId,
}

/// The phase of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamespacePhase {
    Active,
    Terminating,
}

/// Numbers for UIDs and generated names. Every server has the same ones, so that tests repeat.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a random UUID (version 4).
    pub(super) fn uid(&mut self) -> String {
        let [high, low] = [self.next(), self.next()];
        let high = high & 0xffff_ffff_ffff_0fff | 0x4000;
        let low = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }

    /// The next number of the generator SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl State {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            store: Store::default(),
            resources: Resources::default(),
            clock,
            faults: Rules::default(),
            journal: journal::Log::default(),
            watches: OpenWatches::default(),
            is_stopped: false,
            controllers: Controllers::default(),
            initial: HashSet::new(),
            random: Random::new(0),
            authorization: Authorization::default(),
            admission: Admission::default(),
            tokens: Tokens::default(),
            conversions: Conversions::new(),
            has_shards: false,
            last_schema: SchemaId::default(),
        }
    }

    /// Returns the object that a call names.
    pub(super) fn stored(&self, call: &ResourceRequest) -> Result<&Arc<Stored>, Failure> {
        let found = self.store.get(&call.resource.collection(), &call.key());
        found.ok_or_else(|| call.resource.not_found(call.name()))
    }

    /// Returns an object in the requested version.
    pub(super) fn read(&self, call: &ResourceRequest, stored: &Stored) -> Result<Value, Stop> {
        let corrupt = |failure: Failure| {
            let metadata = &stored.value()["metadata"];
            let key = Key::new(text(metadata, "namespace"), text(metadata, "name"));
            let path = call.resource.path_of(&key);
            Failure::internal_error(&corrupt_object(&path, stored.revision, &failure.message))
        };
        let read = call.resource.decode(&call.external, stored, call.version);
        read.map_err(|stop| stop.map_failure(corrupt))
    }

    /// Returns the phase of a namespace, for which the namespace is not read whole.
    pub(super) fn namespace_phase(&self, name: &str) -> Option<NamespacePhase> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Metadata {
            deletion_timestamp: Option<IgnoredAny>,
        }
        #[derive(Deserialize)]
        struct Namespace {
            metadata: Metadata,
        }
        let stored = self.store.get("namespaces", &Key::new("", name))?;
        let namespace: Namespace = serde_json::from_slice(&stored.json).expect("stored namespaces have metadata");
        Some(match namespace.metadata.deletion_timestamp {
            None => NamespacePhase::Active,
            Some(_) => NamespacePhase::Terminating,
        })
    }

    /// Marks what was written as present from the start.
    pub(super) fn mark_initial(&mut self) {
        let writes = self.store.take_writes();
        self.initial.extend(writes.iter().map(|write| write.change.revision));
    }

    /// Returns the time of a call.
    pub(super) fn time_of<'c>(&self, call: &'c ResourceRequest) -> &'c str {
        call.time.get_or_init(|| self.clock.text())
    }

    /// Returns a random UUID (version 4).
    pub(super) fn new_uid(&mut self) -> String {
        self.random.uid()
    }

    /// Returns a generated name; another one if it is used, up to a number of attempts.
    pub(super) fn generate_unused_name(&mut self, prefix: &str, is_used: impl Fn(&Self, &str) -> bool) -> String {
        const ATTEMPTS: usize = 8;
        let mut name = self.generate_name(prefix);
        for _ in 1..ATTEMPTS {
            if !is_used(self, &name) {
                break;
            }
            name = self.generate_name(prefix);
        }
        name
    }

    /// Returns a name with this prefix and five random characters, as the server generates it.
    fn generate_name(&mut self, prefix: &str) -> String {
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        const SUFFIX: usize = 5;
        const MAX_PREFIX: usize = 63 - SUFFIX;
        let end = (0..=MAX_PREFIX.min(prefix.len())).rev().find(|at| prefix.is_char_boundary(*at));
        let suffix: String = (0..SUFFIX)
            .map(|_| {
                let at = self.random.next() % ALPHABET.len() as u64;
                char::from(ALPHABET[at as usize])
            })
            .collect();
        format!("{}{suffix}", &prefix[..end.unwrap_or_default()])
    }
}

/// The error of the server's storage about an object that cannot be converted.
pub(super) fn corrupt_object(path: &str, revision: u64, problem: &str) -> String {
    format!(
        "StorageError: corrupt object, Code: 7, Key: {path}, ResourceVersion: 0, AdditionalErrorMsg: object not decodable \
         revision={revision}: {problem}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_have_the_form_of_version_4() {
        let mut state = State::new(Clock::system());
        let [first, second] = [state.new_uid(), state.new_uid()];
        assert_ne!(first, second);
        assert_eq!(first.len(), 36);
        assert_eq!(&first[14..15], "4");
        assert!("89ab".contains(&first[19..20]), "{first}");
    }

    #[test]
    fn used_names_are_generated_again() {
        use std::cell::RefCell;

        let generate = |used: usize| {
            let attempts = RefCell::new(Vec::new());
            let is_used = |_: &State, name: &str| {
                attempts.borrow_mut().push(name.to_owned());
                attempts.borrow().len() <= used
            };
            let name = State::new(Clock::system()).generate_unused_name("a-", is_used);
            (name, attempts.into_inner())
        };
        let (name, attempts) = generate(2);
        assert_eq!((attempts.len(), &attempts[2]), (3, &name));
        // The eighth name is that of the failure.
        let (name, attempts) = generate(100);
        assert_eq!(attempts.len(), 7);
        assert!(!attempts.contains(&name));
    }

    #[test]
    fn generated_names_fit_into_labels() {
        let mut state = State::new(Clock::system());
        let name = state.generate_name(&"a".repeat(80));
        assert_eq!(name.len(), 63);
        assert_ne!(name, state.generate_name(&"a".repeat(80)));
    }
}
