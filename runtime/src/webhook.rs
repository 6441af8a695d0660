//! Webhooks: functions that validate, change and convert objects before the API server stores them.
//!
//! | part | |
//! |---|---|
//! | `Webhook` | validation and defaulting of a kind: `Validate`, `Mutate`, or closures |
//! | `Webhooks` | all webhooks of a program: a tower service, and the configurations for the API server |
//! | `WebhookServer` | serves them over TLS, with the certificates of a `rustls::server::ResolvesServerCert`, which may change at any time |
