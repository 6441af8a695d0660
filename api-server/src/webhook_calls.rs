//! Answers of webhooks, which a request waits for.
//!
//! A request that needs an answer stops before it writes anything, and starts again when the answer is there. In the meantime the
//! server processes other requests.

use std::{cell::RefCell, collections::HashMap};

use futures_util::{
    FutureExt,
    future::{BoxFuture, join_all},
};
use serde_json::Value;

use super::failure::Failure;

/// What a webhook returned, or why it could not be called.
pub(super) type Answer = Result<Value, String>;

/// Why a request goes no further.
pub(super) enum Stop {
    Fails(Failure),
    /// It starts again when webhooks have answered.
    AwaitsWebhooks,
}

impl Stop {
    /// Changes the failure, if there is one.
    pub(super) fn map_failure(self, change: impl FnOnce(Failure) -> Failure) -> Self {
        match self {
            Self::Fails(failure) => Self::Fails(change(failure)),
            Self::AwaitsWebhooks => self,
        }
    }

    /// Returns the failure of a request that cannot wait.
    pub(super) fn into_failure(self) -> Failure {
        match self {
            Self::Fails(failure) => failure,
            Self::AwaitsWebhooks => Failure::internal("the request waits for a webhook"),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Fails(failure)
    }
}

/// Returns all results. The questions of all of them are collected first, so that a request waits only once for their answers.
pub(super) fn all<T>(results: impl Iterator<Item = Result<T, Stop>>) -> Result<Vec<Result<T, Failure>>, Stop> {
    let results: Vec<_> = results.collect();
    let known = results.into_iter().map(|result| match result {
        Ok(value) => Ok(Ok(value)),
        Err(Stop::Fails(failure)) => Ok(Err(failure)),
        Err(Stop::AwaitsWebhooks) => Err(Stop::AwaitsWebhooks),
    });
    known.collect()
}

/// Answers by their questions.
pub(super) type Answers = HashMap<String, Answer>;

/// The answers that a request has and those that it waits for.
#[derive(Default)]
pub(super) struct WebhookCalls {
    answers: RefCell<Answers>,
    pending: RefCell<Vec<(String, BoxFuture<'static, Answer>)>>,
}

impl WebhookCalls {
    /// Returns the answer to a question, if it is known.
    pub(super) fn answer(
        &self,
        question: String,
        start: impl FnOnce() -> BoxFuture<'static, Answer>,
    ) -> Result<Answer, Stop> {
        if let Some(answer) = self.answers.borrow().get(&question) {
            return Ok(answer.clone());
        }
        let mut pending = self.pending.borrow_mut();
        if pending.iter().all(|(other, _)| *other != question) {
            pending.push((question, start()));
        }
        Err(Stop::AwaitsWebhooks)
    }

    /// Stops the request if something went on without an answer.
    pub(super) fn require_answers(&self) -> Result<(), Stop> {
        if self.pending.borrow().is_empty() { Ok(()) } else { Err(Stop::AwaitsWebhooks) }
    }

    /// Requests the answer.
    pub(super) fn start(&mut self) -> BoxFuture<'static, Answers> {
        let (questions, answers): (Vec<_>, Vec<_>) = self.pending.take().into_iter().unzip();
        async move { questions.into_iter().zip(join_all(answers).await).collect() }.boxed()
    }

    /// Waits for the answers.
    pub(super) async fn wait(&mut self) {
        let answers = self.start().await;
        self.answers.get_mut().extend(answers);
    }

    /// Sets the answers.
    pub(super) fn replace(&mut self, answers: Answers) {
        *self.answers.get_mut() = answers;
    }
}
