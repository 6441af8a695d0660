//! Columns that `kubectl get` prints.

/// A printer column that is declared on the type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PrinterColumn {
    /// The header.
    pub name: &'static str,
    /// `boolean`, `date`, `integer`, `number` or `string`.
    pub type_: &'static str,
    /// Where the value is.
    pub json_path: &'static str,
    /// What the column shows.
    pub description: Option<&'static str>,
    /// The column's `format`.
    pub format: Option<&'static str>,
    /// 0 is always shown, more only with `-o wide`.
    pub priority: Option<i32>,
}

impl PrinterColumn {
    /// A column with a header, a type and a path.
    pub const fn new(name: &'static str, type_: &'static str, json_path: &'static str) -> Self {
        Self {
            name,
            type_,
            json_path,
            description: None,
            format: None,
            priority: None,
        }
    }

    /// The column `Age`, which a server adds by itself only where there is no other column.
    pub const fn age() -> Self {
        Self::new("Age", "date", ".metadata.creationTimestamp")
    }

    /// The column with a description.
    #[must_use]
    pub const fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// The column with a format.
    #[must_use]
    pub const fn format(mut self, format: &'static str) -> Self {
        self.format = Some(format);
        self
    }

    /// The column with a priority: 0 is always shown, more only with `-o wide`.
    #[must_use]
    pub const fn priority(mut self, priority: i32) -> Self {
        self.priority = Some(priority);
        self
    }
}
