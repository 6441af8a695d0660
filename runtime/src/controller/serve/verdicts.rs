//! What the API server has said about clients, for a time and within bounds. It sends no requests.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};

use k8s_openapi::api::authentication::v1::UserInfo;
use tokio::time::Instant;

/// How long it is known whose token one is, and how long a permission and a refusal are known: those of controller-runtime's filter.
pub(super) const USER_TTL: Duration = Duration::from_secs(60);
pub(super) const ALLOWED_TTL: Duration = Duration::from_secs(5 * 60);
pub(super) const REFUSED_TTL: Duration = Duration::from_secs(30);
/// How many tokens are known. A port of metrics has a few clients; the others are guesses.
const MAX_TOKENS: usize = 256;

/// The verdicts, by token. Tokens themselves are not kept.
#[derive(Default)]
pub(super) struct Verdicts {
    /// Nobody can find another token with the same hashes without their random keys.
    hashers: [RandomState; 2],
    known: HashMap<TokenHash, Known>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenHash([u64; 2]);

struct Known {
    /// Whose token it is; `None` if it is invalid.
    user: Option<Arc<UserInfo>>,
    user_until: Instant,
    /// Whether the user may read a path.
    access: HashMap<String, (bool, Instant)>,
    /// Whether the token was good for some path before: what guesses tokens has none of these.
    was_allowed: bool,
}

/// What is known about a request now.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    Unauthenticated,
    /// The user is known, and whether it may read the path is not.
    User(Arc<UserInfo>),
    Allowed,
    Refused(Arc<UserInfo>),
    Unknown,
}

impl Verdicts {
    pub(super) fn hash(&self, token: &str) -> TokenHash {
        TokenHash(self.hashers.each_ref().map(|hasher| hasher.hash_one(token)))
    }

    pub(super) fn get(&self, token: TokenHash, path: &str, now: Instant) -> Verdict {
        let Some(known) = self.known.get(&token).filter(|known| now < known.user_until) else {
            return Verdict::Unknown;
        };
        let Some(user) = &known.user else { return Verdict::Unauthenticated };
        match known.access.get(path) {
            Some((is_allowed, until)) if now < *until => {
                if *is_allowed {
                    Verdict::Allowed
                } else {
                    Verdict::Refused(user.clone())
                }
            }
            _ => Verdict::User(user.clone()),
        }
    }

    /// Whether the token was good for a path before, also if that has to be asked again.
    pub(super) fn was_allowed(&self, token: TokenHash) -> bool {
        self.known.get(&token).is_some_and(|known| known.was_allowed)
    }

    /// Records whose token it is; `None` if it is invalid. What this user may do stays known.
    pub(super) fn set_user(&mut self, token: TokenHash, user: Option<Arc<UserInfo>>, now: Instant) {
        let user_until = now + USER_TTL;
        if let Some(known) = self.known.get_mut(&token) {
            if known.user != user {
                known.access.clear();
                known.was_allowed = false;
            }
            (known.user, known.user_until) = (user, user_until);
            return;
        }
        if self.known.len() >= MAX_TOKENS {
            self.forget_one();
        }
        self.known.insert(token, Known { user, user_until, access: HashMap::new(), was_allowed: false });
    }

    /// Records whether the user of a token may read a path.
    pub(super) fn set_access(&mut self, token: TokenHash, path: &str, is_allowed: bool, now: Instant) {
        if let Some(known) = self.known.get_mut(&token) {
            let until = now + if is_allowed { ALLOWED_TTL } else { REFUSED_TTL };
            known.access.insert(path.to_owned(), (is_allowed, until));
            known.was_allowed |= is_allowed;
        }
    }

    /// Good tokens are forgotten last, so that guesses do not replace them.
    fn forget_one(&mut self) {
        let oldest = self.known.iter().min_by_key(|(_, known)| (known.was_allowed, known.user_until));
        if let Some(token) = oldest.map(|(token, _)| *token) {
            self.known.remove(&token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METRICS: &str = "/metrics";

    fn user(name: &str) -> Arc<UserInfo> {
        Arc::new(UserInfo { username: Some(name.to_owned()), ..UserInfo::default() })
    }

    #[test]
    fn a_verdict_is_known_for_a_time() {
        let (mut verdicts, start) = (Verdicts::default(), Instant::now());
        let token = verdicts.hash("good");
        assert_eq!(verdicts.get(token, METRICS, start), Verdict::Unknown);
        verdicts.set_user(token, Some(user("jane")), start);
        assert_eq!(verdicts.get(token, METRICS, start), Verdict::User(user("jane")));
        verdicts.set_access(token, METRICS, true, start);
        assert_eq!(verdicts.get(token, METRICS, start), Verdict::Allowed);
        assert_eq!(verdicts.get(token, "/debug/pprof/profile", start), Verdict::User(user("jane")));
        assert_eq!(verdicts.get(token, METRICS, start + USER_TTL), Verdict::Unknown);
        assert!(verdicts.was_allowed(token));

        // The user is the same, so that its permission is still known.
        verdicts.set_user(token, Some(user("jane")), start + USER_TTL);
        assert_eq!(verdicts.get(token, METRICS, start + USER_TTL), Verdict::Allowed);
        verdicts.set_user(token, Some(user("jane")), start + ALLOWED_TTL);
        assert_eq!(verdicts.get(token, METRICS, start + ALLOWED_TTL), Verdict::User(user("jane")));
        verdicts.set_access(token, METRICS, false, start + ALLOWED_TTL);
        assert_eq!(verdicts.get(token, METRICS, start + ALLOWED_TTL), Verdict::Refused(user("jane")));
        let later = start + ALLOWED_TTL + REFUSED_TTL;
        assert_eq!(verdicts.get(token, METRICS, later), Verdict::User(user("jane")));
    }

    #[test]
    fn a_token_of_another_user_has_none_of_the_permissions() {
        let (mut verdicts, start) = (Verdicts::default(), Instant::now());
        let token = verdicts.hash("good");
        verdicts.set_user(token, Some(user("jane")), start);
        verdicts.set_access(token, METRICS, true, start);
        verdicts.set_user(token, Some(user("john")), start);
        assert_eq!(verdicts.get(token, METRICS, start), Verdict::User(user("john")));
        verdicts.set_access(token, METRICS, true, start);
        verdicts.set_user(token, None, start);
        assert_eq!(verdicts.get(token, METRICS, start), Verdict::Unauthenticated);
        assert!(!verdicts.was_allowed(token));
    }

    #[test]
    fn guesses_do_not_replace_good_tokens() {
        let (mut verdicts, start) = (Verdicts::default(), Instant::now());
        let good = verdicts.hash("good");
        verdicts.set_user(good, Some(user("jane")), start);
        verdicts.set_access(good, METRICS, true, start);
        for guess in 0..10 * MAX_TOKENS {
            let token = verdicts.hash(&guess.to_string());
            verdicts.set_user(token, None, start + Duration::from_millis(guess as u64));
        }
        assert_eq!(verdicts.known.len(), MAX_TOKENS);
        assert_eq!(verdicts.get(good, METRICS, start), Verdict::Allowed);
        let newest = verdicts.hash(&(10 * MAX_TOKENS - 1).to_string());
        assert_eq!(verdicts.get(newest, METRICS, start), Verdict::Unauthenticated);
        assert_eq!(verdicts.get(verdicts.hash("0"), METRICS, start), Verdict::Unknown);
    }
}
