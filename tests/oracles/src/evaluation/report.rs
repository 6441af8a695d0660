//! What disagreements are shown.

use std::{env, fmt::Write as _, fs};

use super::{
    comparison::{Disagreement, grouped},
    shrink::shrunk,
};
use crate::{Oracle, cel::Expression};

/// How many groups of disagreements are shown, and how many of them are shrunk.
const SHOWN: usize = 400;
const SHRUNK: usize = 50;

/// The smallest disagreement of each group, whose rule is made smaller if its expression is known. `CRDKIT_ORACLE_REPORT` names a file to write them to.
///
/// # Panics
///
/// If the file cannot be written.
pub fn shown<'a>(
    oracle: &Oracle,
    different: Vec<Disagreement>,
    expression: impl Fn(&Disagreement) -> Option<&'a Expression>,
) -> String {
    let mut text = String::new();
    for (at, (group, all)) in grouped(different).into_iter().take(SHOWN).enumerate() {
        let smallest = match expression(&all[0]) {
            Some(expression) if at < SHRUNK => &shrunk(oracle, &all[0], expression),
            _ => &all[0],
        };
        writeln!(text, "{} x {group}\n{}", all.len(), smallest.shown()).unwrap();
    }
    if let Some(file) = env::var_os("CRDKIT_ORACLE_REPORT") {
        fs::write(file, &text).expect("the report can be written");
    }
    text
}
