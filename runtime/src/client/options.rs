//! What every request can be told.

use std::{sync::Arc, time::Duration};

use super::{deadline::Deadline, limits::Limits, request::Query};

/// What the API server does with fields that the schema does not know, and with fields that are written twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// The request fails.
    Strict,
    /// They are dropped, with a warning in the response.
    Warn,
    /// They are dropped.
    Ignore,
}

impl FieldValidation {
    fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "Strict",
            Self::Warn => "Warn",
            Self::Ignore => "Ignore",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) field_manager: Option<Arc<str>>,
    pub(crate) dry_run: bool,
    pub(crate) force: bool,
    pub(crate) field_validation: Option<FieldValidation>,
    pub(crate) max_retries: u32,
    pub(crate) max_attempts: u32,
    pub(crate) timeout: Duration,
    pub(crate) stall_timeout: Duration,
    pub(crate) limits: Limits,
    /// When what takes several requests, such as discovery, has to be over.
    pub(crate) deadline: Deadline,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            field_manager: None,
            dry_run: false,
            force: false,
            field_validation: None,
            max_retries: 5,
            max_attempts: 10,
            timeout: Duration::from_secs(60),
            stall_timeout: Duration::from_secs(30),
            limits: Limits::default(),
            deadline: Deadline::default(),
        }
    }
}

impl Options {
    /// The query of a request that writes an object.
    pub(crate) fn of_write(&self) -> Query {
        Query::default()
            .optional("dryRun", self.dry_run.then_some("All"))
            .optional("fieldManager", self.field_manager.as_deref())
            .optional(
                "fieldValidation",
                self.field_validation.map(FieldValidation::as_str),
            )
    }

    /// The query of a request that applies an object.
    pub(crate) fn of_apply(&self) -> Query {
        self.of_write().flag("force", self.force)
    }
}

/// The methods that set options, for a type with a field `options`, or with the given path to it.
macro_rules! option_methods {
    () => {
        option_methods!(options);
    };
    ($($options:ident).+) => {
        /// Names who changes fields, for server-side apply and for `metadata.managedFields`.
        #[must_use]
        pub fn field_manager(&self, name: &str) -> Self {
            let mut with = self.clone();
            with.$($options).+.field_manager = Some(name.into());
            with
        }

        /// Only tries: the API server checks requests and answers as if it had served them, and keeps nothing.
        #[must_use]
        pub fn dry_run(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.dry_run = true;
            with
        }

        /// Does what it is told, where the client or the handle would [only try](Self::dry_run).
        #[must_use]
        pub fn without_dry_run(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.dry_run = false;
            with
        }

        /// Applies take over fields that other managers own.
        #[must_use]
        pub fn force(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.force = true;
            with
        }

        /// Applies leave fields to the managers that own them, where the client or the handle would
        /// [take them over](Self::force).
        #[must_use]
        pub fn without_force(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.force = false;
            with
        }

        /// Says what the API server does with fields that it does not know.
        #[must_use]
        pub fn field_validation(&self, validation: $crate::client::FieldValidation) -> Self {
            let mut with = self.clone();
            with.$($options).+.field_validation = Some(validation);
            with
        }

        /// How often a request is sent again after the API server said to come later, or, if the request does no harm
        /// twice, after there was no answer. 5 unless set; 0 for a client that was made from kube's.
        #[must_use]
        pub fn max_retries(&self, retries: u32) -> Self {
            let mut with = self.clone();
            with.$($options).+.max_retries = retries;
            with
        }

        /// How often an update is made in all before it gives up because others change the same object. 10 unless set.
        #[must_use]
        pub fn max_attempts(&self, attempts: u32) -> Self {
            let mut with = self.clone();
            with.$($options).+.max_attempts = attempts.max(1);
            with
        }

        /// How long a request may take until its answer begins, with all retries and the pauses between them: 60 s unless
        /// set, `Duration::MAX` for no limit. What takes several requests, such as a list in pages or an update, has this
        /// time for each.
        ///
        /// A request that may be sent again has half of the time for one attempt, so that there is time for another one on a
        /// fresh connection. After it [`Error::DeadlineExceeded`]($crate::client::Error::DeadlineExceeded) is returned.
        #[must_use]
        pub fn timeout(&self, timeout: std::time::Duration) -> Self {
            let mut with = self.clone();
            with.$($options).+.timeout = timeout;
            with
        }

        /// How long the body of an answer may stand still: 30 s unless set, `Duration::MAX` for no limit. It stands still
        /// unless 1 KiB or its end comes within this time. Watches are silent as long as nothing happens: for them this
        /// is no limit.
        #[must_use]
        pub fn stall_timeout(&self, timeout: std::time::Duration) -> Self {
            let mut with = self.clone();
            with.$($options).+.stall_timeout = timeout;
            with
        }

        /// How much is read of what the API server sends; the [defaults]($crate::client::Limits) are generous.
        #[must_use]
        pub fn limits(&self, limits: $crate::client::Limits) -> Self {
            let mut with = self.clone();
            with.$($options).+.limits = limits;
            with
        }
    };
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use crate::client::mock::{Mock, Reply};

    #[tokio::test]
    async fn one_call_may_take_options_back() {
        let kept = || Reply::json(200, json!({ "metadata": { "name": "web" } }));
        let mock = Mock::new([kept(), kept()]);
        let client = mock.client().field_manager("me").dry_run().force();
        let configs = client.resources::<ConfigMap>().namespace("prod");
        configs.apply("web", &json!({})).await.unwrap();
        let earnest = configs.without_dry_run().without_force();
        earnest.apply("web", &json!({})).await.unwrap();
        let path = "PATCH /api/v1/namespaces/prod/configmaps/web";
        let all = format!("{path}?dryRun=All&fieldManager=me&force=true");
        assert_eq!(mock.lines(), [all, format!("{path}?fieldManager=me")]);
    }
}
