//! Whether a client may read a path: the API server knows its token and its permissions, as for the filter of controller-runtime's
//! metrics.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::Full;
use k8s_openapi::api::{
    authentication::v1::{TokenReview, TokenReviewSpec, UserInfo},
    authorization::v1::{NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec},
};
use tokio::{
    runtime::Handle,
    sync::{self, Semaphore, SemaphorePermit},
    time::{Instant, sleep_until},
};

use super::{
    http::text,
    verdicts::{TokenHash, Verdict, Verdicts},
};
use crate::{
    Client,
    client::{self, Verb},
    controller::Access,
};

/// How long the API server may take for a review; that of controller-runtime.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two reviews of tokens that were good for nothing before: the API server has 10 of them a second, whatever is sent
/// here.
const UNKNOWN_INTERVAL: Duration = Duration::from_millis(100);
/// How many requests wait for reviews.
const MAX_WAITING: usize = 32;
/// How often the same failure is logged.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Asks the API server.
pub(super) struct Authorization {
    client: Client,
    /// Requests to the API server are not sent by the thread of the port: connections end with the runtime that has opened them.
    runtime: Handle,
    verdicts: Mutex<Verdicts>,
    /// Tokens that were good before are not delayed by those that somebody guesses.
    good: Lane,
    unknown: Lane,
    logged: Mutex<Option<(String, Instant)>>,
}

/// One review after the other, so that requests with the same token need one.
struct Lane {
    interval: Duration,
    /// Those that wait for their turn, and the one that has it.
    places: Semaphore,
    /// When the next review may be sent.
    next: sync::Mutex<Option<Instant>>,
}

/// What is reviewed meanwhile.
struct Turn<'lane> {
    interval: Duration,
    next: sync::MutexGuard<'lane, Option<Instant>>,
    _place: SemaphorePermit<'lane>,
}

/// A failed request to the API server.
struct Failure {
    /// What the client is told.
    text: String,
    error: String,
}

/// Returns the requests that it sends.
pub(super) fn accesses() -> [Access; 2] {
    [Access::to::<TokenReview>([Verb::Create]), Access::to::<SubjectAccessReview>([Verb::Create])]
}

impl Authorization {
    /// Sends requests by tasks of this runtime.
    pub(super) fn new(client: &Client) -> Self {
        Self {
            client: client.timeout(TIMEOUT),
            runtime: Handle::current(),
            verdicts: Mutex::default(),
            good: Lane::new(Duration::ZERO),
            unknown: Lane::new(UNKNOWN_INTERVAL),
            logged: Mutex::default(),
        }
    }

    /// Returns the response to a client that may not read the path.
    pub(super) async fn refusal(&self, request: &Request<()>, path: &str) -> Option<Response<Full<Bytes>>> {
        let Some(token) = bearer_token(request) else {
            return Some(unauthorized());
        };
        let hash = self.verdicts().hash(token);
        let known = self.verdicts().get(hash, path, Instant::now());
        let verdict = match known {
            Verdict::Unknown | Verdict::User(_) => self.reviewed(token, hash, path).await,
            known => Ok(known),
        };
        match verdict {
            Ok(Verdict::Allowed) => None,
            Ok(Verdict::Refused(user)) => {
                let denied = format!("Authorization denied for user {}\n", name(&user));
                tracing::debug!(path, user = name(&user), "a client may not read a path");
                Some(text(StatusCode::FORBIDDEN, denied))
            }
            Ok(Verdict::Unauthenticated | Verdict::Unknown | Verdict::User(_)) => Some(unauthorized()),
            Err(Unreviewed::TooMany) => {
                let mut response = text(StatusCode::TOO_MANY_REQUESTS, "too many requests\n");
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                Some(response)
            }
            Err(Unreviewed::Failed(failure)) => {
                self.log(path, &failure);
                Some(text(StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", failure.text)))
            }
        }
    }

    /// Asks for what is not known.
    async fn reviewed(&self, token: &str, hash: TokenHash, path: &str) -> Result<Verdict, Unreviewed> {
        let lane = if self.verdicts().was_allowed(hash) { &self.good } else { &self.unknown };
        let mut turn = lane.turn().await.ok_or(Unreviewed::TooMany)?;
        // Others with the same token may have asked meanwhile.
        let mut verdict = self.verdicts().get(hash, path, Instant::now());
        if verdict == Verdict::Unknown {
            turn.begin().await;
            let user = self.user_of(token).await?;
            self.verdicts().set_user(hash, user.map(Arc::new), Instant::now());
            verdict = self.verdicts().get(hash, path, Instant::now());
        }
        if let Verdict::User(user) = &verdict {
            let is_allowed = self.may_read(user, path).await?;
            self.verdicts().set_access(hash, path, is_allowed, Instant::now());
            verdict = if is_allowed { Verdict::Allowed } else { Verdict::Refused(user.clone()) };
        }
        Ok(verdict)
    }

    /// Returns the user of a token; `None` if it is invalid.
    async fn user_of(&self, token: &str) -> Result<Option<UserInfo>, Failure> {
        #[allow(
            clippy::useless_conversion,
            reason = "whether the token is optional depends on the version of Kubernetes"
        )]
        let review = TokenReview {
            spec: TokenReviewSpec { token: token.to_owned().into(), audiences: None },
            ..TokenReview::default()
        };
        let resources = self.client.resources();
        let reviewed = self.send(async move { resources.create(&review).await }).await;
        let reviewed = reviewed.map_err(|error| Failure { text: "Authentication failed".to_owned(), error })?;
        let status = reviewed.status.unwrap_or_default();
        Ok(if status.authenticated == Some(true) { Some(status.user.unwrap_or_default()) } else { None })
    }

    async fn may_read(&self, user: &UserInfo, path: &str) -> Result<bool, Failure> {
        let spec = SubjectAccessReviewSpec {
            user: user.username.clone(),
            uid: user.uid.clone(),
            groups: user.groups.clone(),
            extra: user.extra.clone(),
            non_resource_attributes: Some(NonResourceAttributes {
                path: Some(path.to_owned()),
                verb: Some(Verb::Get.as_str().to_owned()),
            }),
            ..SubjectAccessReviewSpec::default()
        };
        let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
        let resources = self.client.resources();
        let reviewed = self.send(async move { resources.create(&review).await }).await;
        let failure = |error| Failure { text: format!("Authorization for user {} failed", name(user)), error };
        Ok(reviewed.map_err(failure)?.status.is_some_and(|status| status.allowed))
    }

    async fn send<K: Send + 'static>(
        &self,
        request: impl Future<Output = Result<K, client::Error>> + Send + 'static,
    ) -> Result<K, String> {
        match self.runtime.spawn(request).await {
            Ok(response) => response.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn verdicts(&self) -> MutexGuard<'_, Verdicts> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Scrapes fail again and again while the API server does not respond.
    fn log(&self, path: &str, failure: &Failure) {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let is_repeated =
            logged.as_ref().is_some_and(|(error, time)| *error == failure.error && time.elapsed() < LOG_INTERVAL);
        if !is_repeated {
            tracing::error!(path, error = failure.error, "{}", failure.text);
            *logged = Some((failure.error.clone(), Instant::now()));
        }
    }
}

/// Why nothing is known about a request.
enum Unreviewed {
    TooMany,
    Failed(Failure),
}

impl From<Failure> for Unreviewed {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Lane {
    fn new(interval: Duration) -> Self {
        Self { interval, places: Semaphore::new(MAX_WAITING), next: sync::Mutex::default() }
    }

    /// Waits until the reviews before have ended; `None` if too many wait.
    async fn turn(&self) -> Option<Turn<'_>> {
        let place = self.places.try_acquire().ok()?;
        Some(Turn { interval: self.interval, next: self.next.lock().await, _place: place })
    }
}

impl Turn<'_> {
    /// Waits until a review may be sent.
    async fn begin(&mut self) {
        if let Some(next) = *self.next {
            sleep_until(next).await;
        }
        *self.next = Some(Instant::now() + self.interval);
    }
}

/// Returns the token of a request, as Kubernetes reads it.
fn bearer_token(request: &Request<()>) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let mut words = value.trim().split(' ');
    let is_bearer = words.next()?.eq_ignore_ascii_case("bearer");
    words.next().filter(|token| is_bearer && !token.is_empty())
}

fn name(user: &UserInfo) -> &str {
    user.username.as_deref().unwrap_or_default()
}

fn unauthorized() -> Response<Full<Bytes>> {
    let mut response = text(StatusCode::UNAUTHORIZED, "Unauthorized\n");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_as_by_kubernetes() {
        let token = |value: &'static str| {
            let request = Request::get("/metrics").header(header::AUTHORIZATION, value).body(()).unwrap();
            bearer_token(&request).map(str::to_owned)
        };
        assert_eq!(token("Bearer abc"), Some("abc".into()));
        assert_eq!(token(" bearer abc def"), Some("abc".into()));
        for none in ["", "abc", "Bearer", "Bearer ", "Bearer  abc", "Basic abc"] {
            assert_eq!(token(none), None, "{none:?}");
        }
        assert_eq!(bearer_token(&Request::new(())), None);
    }

    #[tokio::test(start_paused = true)]
    async fn reviews_are_sent_one_after_the_other_and_not_too_often() {
        let lane = Lane::new(UNKNOWN_INTERVAL);
        let start = Instant::now();
        let review = async || {
            let mut turn = lane.turn().await?;
            turn.begin().await;
            Some(start.elapsed())
        };
        let all = futures_util::future::join_all((0..MAX_WAITING + 3).map(|_| review())).await;
        let sent: Vec<_> = all.iter().flatten().collect();
        // The first one does not wait.
        assert_eq!(sent.len(), MAX_WAITING + 1);
        assert_eq!(*sent[0], Duration::ZERO);
        assert_eq!(*sent[MAX_WAITING], UNKNOWN_INTERVAL * MAX_WAITING as u32);
        // The places are free again.
        assert!(review().await.is_some());
    }
}
