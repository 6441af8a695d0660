//! Options that apply to every request.

use std::{sync::Arc, time::Duration};

use super::{deadline::Deadline, limits::Limits, request::Query, warnings::WarningHandler, write_hook::WriteHook};
use crate::clock::Clock;

/// How the API server treats unknown and duplicate fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// The request fails.
    Strict,
    /// The fields are dropped, with a warning in the response.
    Warn,
    /// The fields are dropped.
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
    /// Whether errors quote the values of objects.
    pub(crate) quotes_values: bool,
    /// The deadline of an operation of several requests, such as discovery.
    pub(crate) deadline: Deadline,
    /// Receives the warnings of responses, which are logged otherwise.
    pub(crate) warning_handler: Option<WarningHandler>,
    /// Refuses and observes writes.
    pub(crate) write_hook: Option<Arc<dyn WriteHook>>,
    /// What the time is for those who use the client.
    pub(crate) clock: Clock,
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
            quotes_values: false,
            deadline: Deadline::default(),
            warning_handler: None,
            write_hook: None,
            clock: Clock::default(),
        }
    }
}

impl Options {
    /// Returns the query of a request that writes an object.
    pub(crate) fn write_query(&self) -> Query {
        Query::default()
            .optional("dryRun", self.dry_run.then_some("All"))
            .optional("fieldManager", self.field_manager.as_deref())
            .optional("fieldValidation", self.field_validation.map(FieldValidation::as_str))
    }

    /// Returns the query of a request that applies an object.
    pub(crate) fn apply_query(&self) -> Query {
        self.write_query().flag("force", self.force)
    }
}

/// Defines the methods that set options, for a type with a field `options`, or with the given path to it.
macro_rules! option_methods {
    () => {
        option_methods!(options);
    };
    ($($options:ident).+) => {
        /// Sets the field manager, for server-side apply and for `metadata.managedFields`.
        #[must_use]
        pub fn field_manager(&self, name: &str) -> Self {
            let mut with = self.clone();
            with.$($options).+.field_manager = Some(name.into());
            with
        }

        /// Enables dry run: the API server validates and processes requests, but stores nothing.
        #[must_use]
        pub fn dry_run(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.dry_run = true;
            with
        }

        /// Disables [dry run](Self::dry_run) for this handle.
        #[must_use]
        pub fn without_dry_run(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.dry_run = false;
            with
        }

        /// Makes applies take over fields that other managers own.
        #[must_use]
        pub fn force(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.force = true;
            with
        }

        /// Makes applies leave fields to the managers that own them: disables [`force`](Self::force) for this handle.
        #[must_use]
        pub fn without_force(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.force = false;
            with
        }

        /// Sets how the API server treats unknown fields.
        #[must_use]
        pub fn field_validation(&self, validation: $crate::client::FieldValidation) -> Self {
            let mut with = self.clone();
            with.$($options).+.field_validation = Some(validation);
            with
        }

        /// Sets the maximum number of retries of a request: 5 by default, 0 for a client that was created from kube's.
        ///
        /// A request is retried after the API server requested a delay, or, if it is safe to repeat, after there was no
        /// response.
        #[must_use]
        pub fn max_retries(&self, retries: u32) -> Self {
            let mut with = self.clone();
            with.$($options).+.max_retries = retries;
            with
        }

        /// Sets the maximum number of attempts of an update that conflicts with concurrent changes: 10 by default.
        #[must_use]
        pub fn max_attempts(&self, attempts: u32) -> Self {
            let mut with = self.clone();
            with.$($options).+.max_attempts = attempts.max(1);
            with
        }

        /// Sets the time limit until the response to a request starts, including all retries and the delays between
        /// them: 60 s by default, `Duration::MAX` for no limit. In operations of several requests, such as a list in
        /// pages or an update, the limit applies to each request.
        ///
        /// For a request that may be retried, one attempt has half of the time, so that there is time for another
        /// attempt on a fresh connection. After the limit, the request fails with
        /// [`Error::DeadlineExceeded`]($crate::client::Error::DeadlineExceeded).
        #[must_use]
        pub fn timeout(&self, timeout: std::time::Duration) -> Self {
            let mut with = self.clone();
            with.$($options).+.timeout = timeout;
            with
        }

        /// Sets how long the body of a response may stall: 30 s by default, `Duration::MAX` for no limit.
        ///
        /// A body stalls unless 1 KiB or its end arrives within this time. The limit does not apply to watches, which
        /// are silent as long as nothing changes.
        #[must_use]
        pub fn stall_timeout(&self, timeout: std::time::Duration) -> Self {
            let mut with = self.clone();
            with.$($options).+.stall_timeout = timeout;
            with
        }

        /// Sets the size limits for responses; the [defaults]($crate::client::Limits) are generous.
        #[must_use]
        pub fn limits(&self, limits: $crate::client::Limits) -> Self {
            let mut with = self.clone();
            with.$($options).+.limits = limits;
            with
        }

        /// Passes the [warnings]($crate::client::ServerWarning) of responses to a function, instead of logging each text once.
        #[must_use]
        pub fn on_warning(&self, handler: impl Fn(&$crate::client::ServerWarning) + Send + Sync + 'static) -> Self {
            let mut with = self.clone();
            with.$($options).+.warning_handler = Some($crate::client::warnings::WarningHandler(std::sync::Arc::new(handler)));
            with
        }

        /// Makes errors quote values of objects, as the API server does, instead of `[hidden]`: see
        /// [`Error`]($crate::client::Error#secrets).
        ///
        /// For tests and for programs whose output only their user reads. The clients of the API servers in `crdkit::testing` do it,
        /// and `cargo crdkit dev` makes those of the operator do it.
        #[must_use]
        pub fn quote_values(&self) -> Self {
            let mut with = self.clone();
            with.$($options).+.quotes_values = true;
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
    async fn one_call_can_override_options() {
        let stored = || Reply::json(200, json!({ "metadata": { "name": "web" } }));
        let mock = Mock::new([stored(), stored()]);
        let client = mock.client().field_manager("me").dry_run().force();
        let configs = client.resources::<ConfigMap>().namespace("prod");
        configs.apply("web", &json!({})).await.unwrap();
        let effective = configs.without_dry_run().without_force();
        effective.apply("web", &json!({})).await.unwrap();
        let path = "PATCH /api/v1/namespaces/prod/configmaps/web";
        let all = format!("{path}?dryRun=All&fieldManager=me&force=true");
        assert_eq!(mock.lines(), [all, format!("{path}?fieldManager=me")]);
    }
}
