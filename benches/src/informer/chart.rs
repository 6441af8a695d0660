//! Bars beside each other, as SVG that reads well on a light and on a dark page.

use std::fmt;

/// A chart of horizontal bars in groups.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    pub(crate) scale: Scale,
    pub(crate) groups: Vec<Group>,
}

/// How long a bar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    /// Ten times as much is always as much longer.
    Logarithmic,
}

pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) bars: Vec<Bar>,
}

pub(crate) struct Bar {
    pub(crate) title: &'static str,
    pub(crate) figure: f64,
    /// The figure in words.
    pub(crate) label: String,
    pub(crate) colour: Colour,
}

/// Colours that stand out from white and from black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Ours,
    Others,
    Bound,
}

const WIDTH: f64 = 760.0;
const TITLES: f64 = 210.0;
const LABELS: f64 = 110.0;
const LINE: f64 = 22.0;
const TOP: f64 = 44.0;

const STYLE: &str = "text { font: 13px system-ui, sans-serif; fill: #1f2328 } \
    .title { font-size: 15px; font-weight: 600 } .group { font-weight: 600 } .end { text-anchor: end } \
    .ours { fill: #d9622b } .others { fill: #7d8ba1 } .bound { fill: #b9a23c } \
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }";

impl Chart {
    fn lines(&self) -> usize {
        self.groups.iter().map(|group| group.bars.len() + usize::from(!group.title.is_empty())).sum()
    }

    /// How much of the room a figure takes, from 0 to 1.
    fn share(&self, figure: f64) -> f64 {
        let figures = self.groups.iter().flat_map(|group| &group.bars).map(|bar| bar.figure);
        let most = figures.clone().fold(0.0, f64::max);
        match self.scale {
            Scale::Linear => figure / most,
            Scale::Logarithmic => {
                let least = figures.fold(most, f64::min) / 3.0;
                (figure / least).ln() / (most / least).ln()
            }
        }
    }
}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let height = TOP + LINE * self.lines() as f64 + 12.0;
        let title = escaped(self.title);
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{title}">"#
        )?;
        writeln!(f, "<style>{STYLE}</style>")?;
        writeln!(f, r#"<text class="title" x="12" y="24">{title}</text>"#)?;
        let mut y = TOP;
        for group in &self.groups {
            if !group.title.is_empty() {
                writeln!(f, r#"<text class="group" x="12" y="{}">{}</text>"#, y + 15.0, escaped(&group.title))?;
                y += LINE;
            }
            for bar in &group.bars {
                bar.draw(f, y, self.share(bar.figure))?;
                y += LINE;
            }
        }
        writeln!(f, "</svg>")
    }
}

impl Bar {
    fn draw(&self, f: &mut fmt::Formatter<'_>, y: f64, share: f64) -> fmt::Result {
        let class = match self.colour {
            Colour::Ours => "ours",
            Colour::Others => "others",
            Colour::Bound => "bound",
        };
        let length = (share * (WIDTH - TITLES - LABELS)).max(1.0);
        let (title, label) = (escaped(self.title), escaped(&self.label));
        let base = y + 15.0;
        writeln!(f, r#"<text class="end" x="{}" y="{base}">{title}</text>"#, TITLES - 10.0)?;
        writeln!(f, r#"<rect class="{class}" x="{TITLES}" y="{}" width="{length:.1}" height="16" rx="2"/>"#, y + 3.0)?;
        writeln!(f, r#"<text x="{:.1}" y="{base}">{label}</text>"#, TITLES + length + 8.0)
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(figure: f64) -> Bar {
        Bar { title: "a & b", figure, label: figure.to_string(), colour: Colour::Ours }
    }

    fn chart(scale: Scale) -> Chart {
        let bars = vec![bar(10.0), bar(1000.0)];
        let title = "µs".to_owned();
        Chart { title: "Times", scale, groups: vec![Group { title, bars }] }
    }

    #[test]
    fn bars_are_as_long_as_their_figures() {
        let linear = chart(Scale::Linear);
        assert_eq!([linear.share(10.0), linear.share(1000.0)], [0.01, 1.0]);
        let logarithmic = chart(Scale::Logarithmic);
        assert_eq!(logarithmic.share(1000.0), 1.0);
        let steps = [10.0, 100.0, 1000.0].map(|figure| logarithmic.share(figure));
        assert!((steps[2] - steps[1] - (steps[1] - steps[0])).abs() < 1e-9);
    }

    #[test]
    fn text_is_escaped() {
        let svg = chart(Scale::Linear).to_string();
        assert!(svg.contains("a &amp; b") && svg.ends_with("</svg>\n"));
    }
}
