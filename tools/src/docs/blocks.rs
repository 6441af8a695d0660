//! The paragraphs, lists and code of a description.

/// A part of a description.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph(String),
    List(Vec<String>),
    /// Lines between fences.
    Code(String),
}

/// Splits a description at empty lines, at the items of lists, and at fences of code.
pub(super) fn blocks(description: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut is_open = false;
    let mut lines = description.lines();
    while let Some(line) = lines.next() {
        if let Some(fence) = fence(line) {
            let is_end =
                |line: &str| line.trim().starts_with(fence) && line.trim().trim_start_matches(fence).is_empty();
            let code: Vec<_> = lines.by_ref().take_while(|line| !is_end(line)).collect();
            blocks.push(Block::Code(code.join("\n")));
            is_open = false;
            continue;
        }
        let line = line.trim();
        match (line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")), blocks.last_mut()) {
            (Some(item), Some(Block::List(items))) => items.push(item.to_owned()),
            (Some(item), _) => blocks.push(Block::List(vec![item.to_owned()])),
            (None, _) if line.is_empty() => {}
            (None, Some(block)) if is_open => block.continue_with(line),
            (None, _) => blocks.push(Block::Paragraph(line.to_owned())),
        }
        is_open = !line.is_empty();
    }
    blocks
}

/// Returns the marks that begin code, and end it.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["`", "~"].into_iter().find_map(|mark| {
        let length = line.len() - line.trim_start_matches(mark).len();
        let is_fence = length >= 3 && !(mark == "`" && line[length..].contains('`'));
        is_fence.then(|| &line[..length])
    })
}

impl Block {
    fn continue_with(&mut self, line: &str) {
        let text = match self {
            Self::Paragraph(text) => Some(text),
            Self::List(items) => items.last_mut(),
            Self::Code(_) => None,
        };
        if let Some(text) = text {
            text.push(' ');
            text.push_str(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_have_paragraphs_and_lists() {
        let paragraph = |text: &str| Block::Paragraph(text.to_owned());
        let list = |items: &[&str]| Block::List(items.iter().map(|item| (*item).to_owned()).collect());
        let description = "How far\nit is.\n- `A`: Not\n  yet.\n\n- `B`: Now.\n\nMore.\n\n* x\n";
        let expected =
            [paragraph("How far it is."), list(&["`A`: Not yet.", "`B`: Now."]), paragraph("More."), list(&["x"])];
        assert_eq!(blocks(description), expected);
        assert_eq!(blocks("\n"), []);
        assert_eq!(blocks("-1 is none"), [paragraph("-1 is none")]);
    }

    #[test]
    fn code_is_between_fences() {
        let code = |text: &str| Block::Code(text.to_owned());
        let paragraph = |text: &str| Block::Paragraph(text.to_owned());
        assert_eq!(
            blocks("For example:\n```yaml\na:\n  - b\n```\nMore\n~~~\n```\n"),
            [paragraph("For example:"), code("a:\n  - b"), paragraph("More"), code("```")]
        );
        assert_eq!(blocks("```a`` b"), [paragraph("```a`` b")]);
    }
}
