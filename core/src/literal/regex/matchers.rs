//! A cache of compiled expressions.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use super::{Matcher, parse};

/// Compiled expressions by their text; the errors in Go's wording.
#[derive(Debug, Default)]
pub(crate) struct Matchers {
    indexes: BTreeMap<String, usize>,
    compiled: Vec<Result<Matcher, String>>,
}

impl Matchers {
    /// Returns the matcher of an expression, which is compiled once.
    pub(crate) fn of(&mut self, expression: &str) -> &Result<Matcher, String> {
        let index = match self.indexes.get(expression) {
            Some(index) => *index,
            None => self.compile(expression),
        };
        &self.compiled[index]
    }

    fn compile(&mut self, expression: &str) -> usize {
        let matcher = parse(expression).map(|ast| ast.matcher());
        self.compiled.push(matcher.map_err(|error| format!("{}", error.go())));
        let index = self.compiled.len() - 1;
        self.indexes.insert(expression.into(), index);
        index
    }
}
