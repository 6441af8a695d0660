//! Columns that `kubectl get` prints.

/// A printer column declared on the type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PrinterColumn {
    /// The header.
    pub name: &'static str,
    /// `boolean`, `date`, `integer`, `number` or `string`.
    pub type_: &'static str,
    /// The JSON path of the value.
    pub json_path: &'static str,
    /// A description of the column.
    pub description: Option<&'static str>,
    /// The column's `format`.
    pub format: Option<&'static str>,
    /// Columns with a priority above 0 are shown only with `-o wide`.
    pub priority: Option<i32>,
}

impl PrinterColumn {
    /// Creates a column with a header, a type and a path.
    pub const fn new(name: &'static str, type_: &'static str, json_path: &'static str) -> Self {
        Self { name, type_, json_path, description: None, format: None, priority: None }
    }

    /// Creates the column `Age`. The API server adds it by default only if there are no other columns.
    pub const fn age() -> Self {
        Self::new("Age", "date", ".metadata.creationTimestamp")
    }

    /// Sets the description.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// Sets the format.
    #[must_use]
    pub const fn format(mut self, format: &'static str) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the priority: columns with a priority above 0 are shown only with `-o wide`.
    #[must_use]
    pub const fn priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }
}
