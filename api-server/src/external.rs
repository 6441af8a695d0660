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

/// Answers by their questions.
pub(super) type Answers = HashMap<String, Answer>;

/// The answers that a request has and those that it waits for.
#[derive(Default)]
pub(super) struct External {
    answers: RefCell<Answers>,
    wanted: RefCell<Vec<(String, BoxFuture<'static, Answer>)>>,
}

impl External {
    /// Returns the answer to a question. If it is not known yet, the request has to stop, and starts again later.
    pub(super) fn answer(
        &self,
        question: String,
        ask: impl FnOnce() -> BoxFuture<'static, Answer>,
    ) -> Result<Answer, Failure> {
        if let Some(answer) = self.answers.borrow().get(&question) {
            return Ok(answer.clone());
        }
        let mut wanted = self.wanted.borrow_mut();
        if wanted.iter().all(|(other, _)| *other != question) {
            wanted.push((question, ask()));
        }
        Err(Failure::suspended())
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.wanted.borrow().is_empty()
    }

    /// Requests the answer.
    pub(super) fn ask(&mut self) -> BoxFuture<'static, Answers> {
        let (questions, answers): (Vec<_>, Vec<_>) = self.wanted.take().into_iter().unzip();
        async move { questions.into_iter().zip(join_all(answers).await).collect() }.boxed()
    }

    /// Waits for the answers.
    pub(super) async fn wait(&mut self) {
        let answers = self.ask().await;
        self.answers.get_mut().extend(answers);
    }

    /// Sets the answers.
    pub(super) fn replace(&mut self, answers: Answers) {
        *self.answers.get_mut() = answers;
    }
}
