//! The charts of the figures.

use std::fs;

use anyhow::Result;
use crdkit_benches::{Measured, workspace};

use crate::chart::{Bar, Chart, Colour, Group, Scale};

/// A bar's title, its run and its colour.
type Row = (&'static str, &'static str, Colour);

const OURS: Colour = Colour::Ours;
const OTHERS: Colour = Colour::Others;
const BOUND: Colour = Colour::Bound;

/// Draws the charts. A chart without all figures is not replaced.
pub(crate) fn draw(measured: &Measured, events: usize) -> Result<()> {
    let folder = workspace().join("benches/informer");
    let charts = [
        ("sync", sync(measured)),
        ("watch", watch(measured, events)),
        ("memory", memory(measured)),
        ("lookups", lookups(measured)),
    ];
    for (name, chart) in charts {
        if let Some(chart) = chart {
            fs::write(folder.join(format!("{name}.svg")), chart.to_string())?;
        }
    }
    Ok(())
}

fn sync(measured: &Measured) -> Option<Chart> {
    let rows = [
        ("client-go, streamed", "client-go", OTHERS),
        ("client-go, in pages", "client-go-pages", OTHERS),
        ("kube, in pages", "kube", OTHERS),
        ("kube, streamed", "kube-stream", OTHERS),
        ("kube on one thread, in pages", "kube-one-thread", OTHERS),
        ("kube on one thread, streamed", "kube-one-thread-stream", OTHERS),
        ("crdkit, in pages", "crdkit-pages", OURS),
        ("crdkit, streamed", "crdkit", OURS),
        ("crdkit, derived decoder", "decode", OURS),
        ("crdkit, the same on one thread", "decode-1", OURS),
        ("crdkit, Compact", "compact", OURS),
        ("receive only", "floor", BOUND),
    ];
    Some(Chart {
        title: "Initial list, in seconds",
        scale: Scale::Linear,
        groups: vec![group("", &rows, measured, "sync_wall", |seconds| (seconds, format!("{seconds:.2} s")))?],
    })
}

fn watch(measured: &Measured, events: usize) -> Option<Chart> {
    let rows = [
        ("client-go", "client-go", OTHERS),
        ("kube", "kube", OTHERS),
        ("kube on one thread", "kube-one-thread", OTHERS),
        ("crdkit", "crdkit", OURS),
        ("crdkit, derived decoder", "decode", OURS),
        ("crdkit, Compact", "compact", OURS),
        ("receive only", "floor", BOUND),
    ];
    let rate = |seconds: f64| {
        let rate = events as f64 / seconds;
        (rate, thousands(rate))
    };
    Some(Chart {
        title: "Events per second",
        scale: Scale::Linear,
        groups: vec![group("", &rows, measured, "watch_wall", rate)?],
    })
}

fn memory(measured: &Measured) -> Option<Chart> {
    let rows = [
        ("client-go", "client-go", OTHERS),
        ("kube", "kube", OTHERS),
        ("crdkit", "crdkit", OURS),
        ("crdkit, Compact", "compact", OURS),
    ];
    let megabytes = |megabytes: f64| (megabytes, format!("{megabytes:.0} MB"));
    let figures = [
        ("Peak during the initial list", "sync_peak"),
        ("After the initial list", "settled"),
        ("Peak during a relist", "relist_changed_peak"),
    ];
    let groups = figures.map(|(title, figure)| group(title, &rows, measured, figure, megabytes));
    Some(Chart {
        title: "Memory of the process",
        scale: Scale::Linear,
        groups: groups.into_iter().collect::<Option<_>>()?,
    })
}

fn lookups(measured: &Measured) -> Option<Chart> {
    let rows = [("client-go", "client-go", OTHERS), ("kube", "kube", OTHERS), ("crdkit", "crdkit", OURS)];
    let time = |micros: f64| (micros, micros_in_words(micros));
    let figures = [
        ("One object, by a random key", "get_random"),
        ("All objects of a namespace", "by_namespace"),
        ("All objects with a label", "by_label"),
        ("A snapshot of all objects", "snapshot"),
    ];
    let groups = figures.map(|(title, figure)| group(title, &rows, measured, figure, time));
    Some(Chart {
        title: "Lookups, on a logarithmic scale",
        scale: Scale::Logarithmic,
        groups: groups.into_iter().collect::<Option<_>>()?,
    })
}

/// The bars of a figure; `None` without crdkit's.
fn group(
    title: &str,
    rows: &[Row],
    measured: &Measured,
    figure: &str,
    format_figure: impl Fn(f64) -> (f64, String),
) -> Option<Group> {
    let bars: Vec<_> = rows
        .iter()
        .filter_map(|(title, run, colour)| {
            let (figure, label) = format_figure(measured.of(run, figure)?.median());
            Some(Bar { title, figure, label, colour: *colour })
        })
        .collect();
    let has = |colour| bars.iter().any(|bar| bar.colour == colour);
    let title = title.to_owned();
    (has(OURS) && has(OTHERS)).then_some(Group { title, bars })
}

fn thousands(figure: f64) -> String {
    let figure = figure.round() as u64;
    match figure / 1000 {
        0 => figure.to_string(),
        thousands => format!("{thousands},{:03}", figure % 1000),
    }
}

fn micros_in_words(micros: f64) -> String {
    match micros {
        ..1.0 => format!("{:.0} ns", micros * 1e3),
        ..1000.0 => format!("{micros:.1} µs"),
        _ => format!("{:.1} ms", micros / 1e3),
    }
}
