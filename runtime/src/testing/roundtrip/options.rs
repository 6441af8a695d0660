//! Options of a round-trip test.

use serde_json::Value;

use super::RoundtripTest;

/// Options.
impl RoundtripTest {
    /// Sets the seed of the random numbers; 0 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of documents; 500 by default.
    pub fn documents(mut self, documents: usize) -> Self {
        self.documents = documents;
        self
    }

    /// Sets the minimum percentage of documents that the schema must accept, and also that it must reject; 30 by default.
    ///
    /// Lower it for types that accept almost any value.
    pub fn min_percent(mut self, percent: usize) -> Self {
        self.percent = percent;
        self
    }

    /// Generates only these values at a path such as `.spec.disks[].address` or `.spec.labels[*]`, and excludes documents
    /// with other values there. Use it for constraints that a schema cannot express, such as the form of a
    /// [`SocketAddr`](std::net::SocketAddr). The path of the root is empty.
    pub fn only<V: Into<Value>>(mut self, path: &str, values: impl IntoIterator<Item = V>) -> Self {
        self.only.push((path.to_owned(), values.into_iter().map(Into::into).collect()));
        self
    }

    /// Generates no value at a path such as `.spec.template.spec.volumes[]`, and excludes documents with a value other than
    /// the default there. Use it for third-party types whose schema and decoder are inconsistent. A required field cannot
    /// be skipped: provide values with [`only`](Self::only), or skip an enclosing field.
    ///
    /// ```
    /// # use crdkit::KubeSchema;
    /// # use serde::{Deserialize, Serialize};
    /// use crdkit::testing::RoundtripTest;
    ///
    /// #[derive(KubeSchema, Serialize, Deserialize)]
    /// struct Network {
    ///     name: String,
    ///     address: Option<std::net::SocketAddr>,
    /// }
    ///
    /// RoundtripTest::of_type::<Network>().skip(".address").check();
    /// ```
    pub fn skip(mut self, path: &str) -> Self {
        self.skipped.push(path.to_owned());
        self
    }
}
