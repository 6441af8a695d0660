//! Reads metrics in OpenMetrics, and fails for what the specification forbids.

use std::collections::{BTreeMap, BTreeSet};

/// Parsed metrics.
pub(crate) struct Exposition {
    families: Vec<Family>,
}

#[derive(Default)]
struct Family {
    name: String,
    help: String,
    type_: String,
    samples: Vec<Sample>,
}

struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    value: f64,
    text: String,
}

impl Exposition {
    /// # Panics
    ///
    /// If the text is invalid.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.strip_suffix("# EOF\n").expect("the end is marked");
        let mut families = Vec::<Family>::new();
        for line in text.lines() {
            if let Some(description) = line.strip_prefix("# ") {
                describe(&mut families, description);
            } else {
                let family = families.last_mut().expect("a sample has a description");
                family.samples.push(Sample::parse(line));
            }
        }
        let names: BTreeSet<_> = families.iter().map(|family| &family.name).collect();
        assert_eq!(names.len(), families.len(), "each name is described once");
        families.iter().for_each(Family::check);
        Self { families }
    }

    /// Returns the type, the name and the labels of each family that has samples.
    pub(crate) fn descriptions(&self) -> BTreeSet<String> {
        let families = self.families.iter();
        families.flat_map(|family| family.samples.iter().map(|sample| family.describe(sample))).collect()
    }

    /// Returns the bounds of the buckets of a histogram's first series, without the last one, which has none.
    pub(crate) fn bounds(&self, histogram: &str) -> Vec<f64> {
        let family = self.families.iter().find(|family| family.name == histogram).expect("there is such a histogram");
        let bounds = family.samples.iter().filter_map(|sample| sample.labels.iter().find(|(name, _)| name == "le"));
        bounds.map_while(|(_, bound)| bound.parse().ok().filter(|bound: &f64| bound.is_finite())).collect()
    }

    /// Returns the value of a sample, such as `adds_total{name="a"}`.
    pub(crate) fn value(&self, sample: &str) -> f64 {
        let mut samples = self.families.iter().flat_map(|family| &family.samples);
        let found = samples.find(|found| found.text == sample);
        found.unwrap_or_else(|| panic!("{sample} is missing")).value
    }
}

fn describe(families: &mut Vec<Family>, description: &str) {
    let mut parts = description.splitn(3, ' ');
    let (Some(keyword), Some(name), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        panic!("`{description}` is incomplete");
    };
    match keyword {
        "HELP" => families.push(Family { name: name.to_owned(), help: rest.to_owned(), ..Family::default() }),
        "TYPE" => {
            let family = families.last_mut().expect("HELP is first");
            assert_eq!(family.name, name);
            family.type_ = rest.to_owned();
        }
        other => panic!("unexpected {other}"),
    }
}

impl Family {
    fn describe(&self, sample: &Sample) -> String {
        let suffix = if self.type_ == "counter" { "_total" } else { "" };
        let names: BTreeSet<_> = sample.labels.iter().map(|(name, _)| name.as_str()).collect();
        let labels: Vec<_> = names.into_iter().filter(|label| *label != "le").collect();
        format!("{} {}{suffix} {}", self.type_, self.name, labels.join(","))
    }

    fn check(&self) {
        let name = &self.name;
        assert!(!self.help.is_empty(), "{name} has no help");
        let texts: BTreeSet<_> = self.samples.iter().map(|sample| &sample.text).collect();
        assert_eq!(texts.len(), self.samples.len(), "{name} has a sample twice");
        let suffixes: &[&str] = match &*self.type_ {
            "counter" => &["_total"],
            "gauge" => &[""],
            "histogram" => &["_bucket", "_count", "_sum"],
            other => panic!("{name} has the type {other}"),
        };
        for sample in &self.samples {
            let suffix = sample.name.strip_prefix(&**name);
            assert!(suffix.is_some_and(|suffix| suffixes.contains(&suffix)), "{} is not of {name}", sample.name);
            assert!(self.type_ == "gauge" || sample.value >= 0.0, "{}", sample.text);
        }
        if self.type_ == "histogram" {
            self.check_histograms();
        }
    }

    fn check_histograms(&self) {
        let mut series = BTreeMap::<Vec<_>, (Vec<(f64, f64)>, Option<f64>)>::new();
        for sample in &self.samples {
            let labels: Vec<_> = sample.labels.iter().filter(|(name, _)| name != "le").collect();
            let (buckets, count) = series.entry(labels).or_default();
            match sample.labels.iter().find(|(name, _)| name == "le") {
                Some((_, bound)) => buckets.push((bound.replace("+Inf", "inf").parse().unwrap(), sample.value)),
                None if sample.name.ends_with("_count") => *count = Some(sample.value),
                None => {}
            }
        }
        for (labels, (buckets, count)) in series {
            assert!(buckets.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{} {labels:?} {buckets:?}", self.name);
            assert_eq!(buckets.last().copied(), count.map(|count| (f64::INFINITY, count)), "{} {labels:?}", self.name);
        }
    }
}

impl Sample {
    fn parse(line: &str) -> Self {
        let (text, value) = line.rsplit_once(' ').expect("a sample has a value");
        let (name, labels) = text.split_once('{').unwrap_or((text, "}"));
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        assert!(is_name(name), "{line}");
        let list = labels.strip_suffix('}').expect("labels end");
        // No value has a comma or an escaped character.
        let labels = list.split(',').filter(|label| !label.is_empty()).map(|label| {
            let (name, value) = label.split_once('=').expect("a label has a value");
            let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
            assert!(is_name(name), "{line}");
            (name.to_owned(), value.expect("values are quoted").to_owned())
        });
        Self {
            name: name.to_owned(),
            labels: labels.collect(),
            value: value.parse().expect("a number"),
            text: text.to_owned(),
        }
    }
}
