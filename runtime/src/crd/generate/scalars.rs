//! Random numbers and texts.

use crdkit_core::schema::AppliesTo;
use serde_json::{Number, Value, json};

use crate::{
    crd::generate::{
        TRIES, formats,
        node::{SchemaNode, is},
        random::Random,
        sizes,
        value::check,
    },
    schema::DURATION,
};

pub(super) fn integer(all: &[&SchemaNode], random: &mut Random) -> Value {
    let is_small = all.iter().any(|node| node.is_int32 || node.keywords.format.as_deref() == Some("int32"));
    let (first, last) = if is_small { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (i64::MIN, i64::MAX) };
    // The server compares integers with the bound without its fraction.
    let low = lows(all).map(
        |(bound, excluded)| {
            if excluded { (bound as i64).saturating_add(1) } else { bound.ceil() as i64 }
        },
    );
    let high = highs(all).map(
        |(bound, excluded)| {
            if excluded { (bound as i64).saturating_sub(1) } else { bound.floor() as i64 }
        },
    );
    let low = low.max().unwrap_or(first).max(first);
    let high = high.min().unwrap_or(last).min(last).max(low);
    let candidate = match random.below(5) {
        0 => low,
        1 => high,
        2 => 0,
        3 => random.between(-300, 300),
        _ => random.between(low, high),
    };
    let drawn = candidate.clamp(low, high);
    match factor(all).map(|factor| factor as i64).filter(|factor| *factor > 0) {
        Some(factor) => {
            let least = low.div_euclid(factor) + i64::from(low.rem_euclid(factor) > 0);
            // The quotient was rounded toward zero.
            (drawn / factor).max(least).min(high.div_euclid(factor)).saturating_mul(factor).into()
        }
        None => drawn.into(),
    }
}

pub(super) fn number(all: &[&SchemaNode], random: &mut Random) -> Value {
    let low = lows(all).map(|(bound, excluded)| if excluded { bound.next_up() } else { bound }).reduce(f64::max);
    let high = highs(all).map(|(bound, excluded)| if excluded { bound.next_down() } else { bound }).reduce(f64::min);
    let below = |high: f64| (2.0 * high).clamp(f64::MIN, -1e9);
    let low = low.unwrap_or_else(|| high.map_or(-1e9, below));
    let high = high.unwrap_or_else(|| (2.0 * low).clamp(1e9, f64::MAX)).max(low);
    let part = random.below(1025) as f64 / 1024.0;
    let candidate = match random.below(5) {
        0 => low,
        1 => high,
        2 => 0.5,
        3 => (part * 100.0).trunc(),
        _ => low + (high - low) * part,
    };
    let drawn = candidate.clamp(low, high);
    let drawn = factor(all).map_or(drawn, |factor| {
        // The quotient was rounded toward zero.
        (drawn / factor).trunc().max((low / factor).ceil()).min((high / factor).floor()) * factor
    });
    let drawn = if all.iter().any(|node| node.keywords.format.as_deref() == Some("float")) {
        let single = drawn as f32;
        f64::from(match f64::from(single) {
            rounded if rounded < low => single.next_up(),
            rounded if rounded > high => single.next_down(),
            _ => single,
        })
    } else {
        drawn
    };
    Number::from_f64(drawn).map_or(json!(0), Value::Number)
}

/// Returns the lower bounds, and whether they are exclusive.
fn lows<'a>(all: &'a [&SchemaNode]) -> impl Iterator<Item = (f64, bool)> + 'a {
    let keywords = all.iter().map(|node| &node.keywords);
    keywords.filter_map(|it| Some((it.minimum?, is(it.exclusive_minimum))))
}

fn highs<'a>(all: &'a [&SchemaNode]) -> impl Iterator<Item = (f64, bool)> + 'a {
    let keywords = all.iter().map(|node| &node.keywords);
    keywords.filter_map(|it| Some((it.maximum?, is(it.exclusive_maximum))))
}

/// Returns the factor of which the number is a multiple; for several integers, their product.
fn factor(all: &[&SchemaNode]) -> Option<f64> {
    let factors = all.iter().filter_map(|node| node.keywords.multiple_of);
    factors.reduce(|one, other| if one.fract() == 0.0 && other.fract() == 0.0 { one * other } else { one })
}

pub(super) fn text(all: &[&SchemaNode], random: &mut Random) -> String {
    let (min, max) = sizes(all, AppliesTo::Text);
    let max = max.max(min);
    let mut text = String::new();
    for _ in 0..TRIES {
        text = one_text(all, (min, max), random);
        let is_good = |node: &&SchemaNode| check(node, &text.clone().into()).is_ok();
        if all.iter().all(is_good) {
            break;
        }
    }
    text
}

fn one_text(all: &[&SchemaNode], (min, max): (usize, usize), random: &mut Random) -> String {
    let mut formats = all.iter().filter_map(|node| node.keywords.format.as_deref());
    if let Some(format) = formats.find_map(formats::format) {
        return (*random.pick(format.samples)).to_owned();
    }
    if let Some(pattern) = all.iter().find_map(|node| node.pattern.as_ref()) {
        return if all.iter().any(|node| is_duration(node)) { duration(random) } else { pattern.sample(random) };
    }
    const LETTERS: &[char] = &['a', 'b', 'Z', '0', '1', '-', '.', '/', ' ', 'ß', '☃', '"', '\\', '\n'];
    let length = match random.below(3) {
        0 => min,
        _ => min + random.below(max.saturating_sub(min).min(8) + 1),
    };
    (0..length).map(|_| *random.pick(LETTERS)).collect()
}

fn is_duration(node: &SchemaNode) -> bool {
    node.keywords.pattern.as_deref() == Some(DURATION)
}

/// Returns a number with one unit: kube's `Duration` calculates in floating point, and cannot read back what it writes
/// for years and nanoseconds together.
fn duration(random: &mut Random) -> String {
    const UNITS: &[&str] = &["ns", "us", "µs", "ms", "s", "m", "h"];
    const NUMBERS: &[&str] = &["0", "1", "1.5", ".25", "10", "300", "9999"];
    let sign = random.pick(&["", "", "-", "+"]);
    format!("{sign}{}{}", random.pick(NUMBERS), random.pick(UNITS))
}
