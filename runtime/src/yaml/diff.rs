//! A unified diff of lines.

use std::fmt::Write;
use std::iter::repeat_n;

/// Lines of context around each difference.
const CONTEXT: usize = 3;
/// The number of edits above which the differing lines are shown as replaced.
const MAX_EDITS: usize = 1000;
/// The maximum length of a diff.
const MAX_LINES: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Keep,
    Remove,
    Add,
}

/// Returns a unified diff from the actual to the expected content of a file.
pub fn unified(path: &str, actual: &str, expected: &str) -> String {
    let old: Vec<_> = actual.lines().collect();
    let new: Vec<_> = expected.lines().collect();
    let mut diff = Diff { old: &old, new: &new, text: format!("--- {path}\n+++ {path}, expected\n") };
    diff.hunks(&edits(&old, &new));
    truncated(diff.text)
}

/// Returns the hunks of a unified diff, without the names of the texts.
#[cfg_attr(not(feature = "client"), allow(dead_code, reason = "plans of controllers have it"))]
pub(crate) fn hunks_of(before: &str, after: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let mut diff = Diff { old: &old, new: &new, text: String::new() };
    diff.hunks(&edits(&old, &new));
    truncated(diff.text)
}

fn truncated(diff: String) -> String {
    let total = diff.lines().count();
    if total <= MAX_LINES {
        return diff;
    }
    let shown: String = diff.split_inclusive('\n').take(MAX_LINES).collect();
    format!("{shown}... and {} more lines\n", total - MAX_LINES)
}

struct Diff<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    text: String,
}

impl Diff<'_> {
    fn hunks(&mut self, edits: &[Edit]) {
        let mut old = 0;
        let mut new = 0;
        let mut at = 0;
        for hunk in hunks(edits) {
            let skipped = hunk.start - at;
            let edits = &edits[hunk.start..hunk.end];
            (old, new) = self.hunk(edits, old + skipped, new + skipped);
            at = hunk.end;
        }
    }

    /// Writes a hunk that starts at these lines, and returns the lines at which it ends.
    fn hunk(&mut self, edits: &[Edit], mut old: usize, mut new: usize) -> (usize, usize) {
        let count = |side: Edit| {
            let lines = edits.iter();
            lines.filter(|edit| [Edit::Keep, side].contains(edit)).count()
        };
        let (removed, added) = (count(Edit::Remove), count(Edit::Add));
        self.line(&format!("@@ -{} +{} @@", range(old, removed), range(new, added)));
        for edit in edits {
            match edit {
                Edit::Keep => self.line(&format!(" {}", self.old[old])),
                Edit::Remove => self.line(&format!("-{}", self.old[old])),
                Edit::Add => self.line(&format!("+{}", self.new[new])),
            }
            old += usize::from(*edit != Edit::Add);
            new += usize::from(*edit != Edit::Remove);
        }
        (old, new)
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{}", line.trim_end()).expect("a String takes everything");
    }
}

/// Formats a range. Lines are numbered from 1; an empty range is identified by the line before it.
fn range(start: usize, count: usize) -> String {
    let first = if count == 0 { start } else { start + 1 };
    format!("{first},{count}")
}

/// Returns the ranges of edits around the differences; adjacent ranges are merged.
fn hunks(edits: &[Edit]) -> Vec<std::ops::Range<usize>> {
    let mut hunks: Vec<std::ops::Range<usize>> = Vec::new();
    let differences = edits.iter().enumerate().filter(|(_, edit)| **edit != Edit::Keep);
    for (index, _) in differences {
        let start = index.saturating_sub(CONTEXT);
        let end = edits.len().min(index + 1 + CONTEXT);
        match hunks.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => hunks.push(start..end),
        }
    }
    hunks
}

/// Returns the edits that turn the old lines into the new ones.
fn edits(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let prefix = equal(old.iter(), new.iter());
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix = equal(old.iter().rev(), new.iter().rev());
    let (old, new) = (&old[..old.len() - suffix], &new[..new.len() - suffix]);

    let mut edits = vec![Edit::Keep; prefix];
    edits.extend(shortest(old, new).unwrap_or_else(|| replace(old, new)));
    edits.extend(repeat_n(Edit::Keep, suffix));
    edits
}

fn equal<'a>(old: impl Iterator<Item = &'a &'a str>, new: impl Iterator<Item = &'a &'a str>) -> usize {
    old.zip(new).take_while(|(old, new)| old == new).count()
}

fn replace(old: &[&str], new: &[&str]) -> Vec<Edit> {
    let removed = repeat_n(Edit::Remove, old.len());
    removed.chain(repeat_n(Edit::Add, new.len())).collect()
}

/// The furthest position on each diagonal: `reached[k + edits]` is the number of old lines on the diagonal with `k`
/// more old than new lines.
type Reached = Vec<isize>;

/// Returns the smallest number of edits, with Myers' greedy algorithm (An O(ND) Difference Algorithm, 1986).
fn shortest(old: &[&str], new: &[&str]) -> Option<Vec<Edit>> {
    let most = (old.len() + new.len()).min(MAX_EDITS);
    let mut rounds: Vec<Reached> = Vec::new();
    for edits in 0..=most {
        let last = rounds.last();
        let (reached, complete) = round(old, new, edits, last);
        rounds.push(reached);
        if complete {
            return Some(backtrack(&rounds, old.len(), new.len()));
        }
    }
    None
}

/// Extends every diagonal by one edit, and returns whether one reached the end.
fn round(old: &[&str], new: &[&str], edits: usize, last: Option<&Reached>) -> (Reached, bool) {
    let mut reached = vec![-1; 2 * edits + 1];
    let mut complete = false;
    for place in (0..=2 * edits).step_by(2) {
        let k = place as isize - edits as isize;
        let (mut x, _) = last.map_or((0, Edit::Keep), |last| step(last, place));
        while let (Ok(from), Ok(to)) = (usize::try_from(x), usize::try_from(x - k))
            && from < old.len()
            && to < new.len()
            && old[from] == new[to]
        {
            x += 1;
        }
        reached[place] = x;
        complete |= x >= old.len() as isize && x - k >= new.len() as isize;
    }
    (reached, complete)
}

/// Returns the edit that leads furthest on a diagonal, and the position. Diagonals of the previous round are shifted by
/// one place to the left.
fn step(last: &Reached, place: usize) -> (isize, Edit) {
    let below = place.checked_sub(2).and_then(|place| last.get(place));
    let above = last.get(place);
    match (below, above) {
        (Some(below), Some(above)) if below < above => (*above, Edit::Add),
        (None, Some(above)) => (*above, Edit::Add),
        (Some(below), _) => (below + 1, Edit::Remove),
        (None, None) => (0, Edit::Keep),
    }
}

fn backtrack(rounds: &[Reached], old: usize, new: usize) -> Vec<Edit> {
    let (mut x, mut y) = (old as isize, new as isize);
    let mut edits = Vec::new();
    for count in (1..rounds.len()).rev() {
        let place = (x - y + count as isize) as usize;
        let (start, edit) = step(&rounds[count - 1], place);
        edits.extend(repeat_n(Edit::Keep, (x - start) as usize));
        edits.push(edit);
        let k = x - y;
        let (before, diagonal) = match edit {
            Edit::Remove => (start - 1, k - 1),
            _ => (start, k + 1),
        };
        (x, y) = (before, before - diagonal);
    }
    edits.extend(repeat_n(Edit::Keep, x as usize));
    edits.reverse();
    edits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    fn applied<'a>(old: &[&'a str], new: &[&'a str], edits: &[Edit]) -> Vec<&'a str> {
        let (mut from, mut to, mut result) = (0, 0, Vec::new());
        for edit in edits {
            match edit {
                Edit::Keep => result.push(old[from]),
                Edit::Add => result.push(new[to]),
                Edit::Remove => {}
            }
            from += usize::from(*edit != Edit::Add);
            to += usize::from(*edit != Edit::Remove);
        }
        assert_eq!((from, to), (old.len(), new.len()));
        result
    }

    /// Returns the length of the longest common subsequence, with a simple but slow algorithm.
    fn common(old: &[&str], new: &[&str]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for from in old {
            let above = row.clone();
            for (index, to) in new.iter().enumerate() {
                row[index + 1] = if from == to { above[index] + 1 } else { row[index].max(above[index + 1]) };
            }
        }
        row[new.len()]
    }

    fn text() -> impl Strategy<Value = Vec<&'static str>> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d"]), 0..20)
    }

    proptest! {
        #[test]
        fn edits_lead_from_old_to_new_and_are_few(old in text(), new in text()) {
            let edits = edits(&old, &new);
            prop_assert_eq!(&applied(&old, &new, &edits), &new);
            let kept = edits.iter().filter(|edit| **edit == Edit::Keep).count();
            prop_assert_eq!(kept, common(&old, &new));
        }
    }

    #[test]
    fn a_diff_reads_well() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n";
        let new = "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nk\nl\nm\nn\n";
        assert_eq!(
            unified("x.yaml", old, new),
            "\
--- x.yaml
+++ x.yaml, expected
@@ -2,7 +2,7 @@
 b
 c
 d
-e
+E
 f
 g
 h
@@ -11,3 +11,4 @@
 k
 l
 m
+n
"
        );
    }

    #[test]
    fn an_empty_side_has_an_empty_range() {
        assert!(unified("x", "", "a\n").contains("@@ -0,0 +1,1 @@\n+a\n"));
        assert!(unified("x", "a\n", "").contains("@@ -1,1 +0,0 @@\n-a\n"));
    }

    #[test]
    fn too_many_differences_are_a_replacement() {
        let old: String = (0..2000).map(|line| format!("old {line}\n")).collect();
        let new: String = (0..2000).map(|line| format!("new {line}\n")).collect();
        assert_eq!(edits(&lines(&old), &lines(&new)).len(), 4000);
        let diff = unified("x", &old, &new);
        assert_eq!(diff.lines().count(), MAX_LINES + 1);
        assert!(diff.ends_with("... and 3803 more lines\n"), "{diff}");
    }
}
