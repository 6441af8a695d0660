//! The paragraphs and lists of a description.

/// A part of a description.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph(String),
    List(Vec<String>),
}

/// Splits a description at empty lines, and at the items of lists.
pub(super) fn blocks(description: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut is_open = false;
    for line in description.lines().map(str::trim) {
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

impl Block {
    fn continue_with(&mut self, line: &str) {
        let text = match self {
            Self::Paragraph(text) => Some(text),
            Self::List(items) => items.last_mut(),
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
}
