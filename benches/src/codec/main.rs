//! Decoding and encoding an object by serde's derives and by crdkit's, in turn, in several formats: all, or those that are named.

use std::{hint::black_box, time::Instant};

use anyhow::{Context, Result, ensure};
use crdkit::__internal::object_text;
use crdkit_benches::{
    Conditions, Results, Samples, Table,
    objects::{FastVirtualMachine, Shape, VirtualMachine},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

const ROUNDS: usize = 31;
const CALLS: usize = 400;

/// The object in each format.
struct Input {
    text: String,
    value: Value,
    cbor: Vec<u8>,
}

/// What is called: the name in the results, and the call for a type.
struct Case {
    name: &'static str,
    theirs: Box<dyn Fn()>,
    ours: Box<dyn Fn()>,
    goal: Option<f64>,
}

fn decode<T: DeserializeOwned + 'static>(name: &str, input: &'static Input) -> Box<dyn Fn()> {
    fn call<T, E: std::fmt::Debug>(read: impl Fn() -> Result<T, E> + 'static) -> Box<dyn Fn()> {
        Box::new(move || drop(black_box(read()).expect("the object is valid")))
    }
    match name {
        "from_str" => call(|| serde_json::from_str::<T>(&input.text)),
        "from_slice" => call(|| serde_json::from_slice::<T>(input.text.as_bytes())),
        "from_value" => call(|| T::deserialize(&input.value)),
        "from_cbor" => call(|| ciborium::from_reader::<T, _>(&*input.cbor)),
        _ => call(|| object_text::read::<T>(&input.text)),
    }
}

fn encode<T: Serialize + DeserializeOwned + 'static>(name: &str, input: &Input) -> Box<dyn Fn()> {
    let object: T = serde_json::from_str(&input.text).expect("the object is valid");
    match name {
        "to_string" => Box::new(move || drop(black_box(serde_json::to_string(&object)))),
        "to_value" => Box::new(move || drop(black_box(serde_json::to_value(&object)))),
        _ => Box::new(move || {
            let mut bytes = Vec::new();
            drop(black_box(ciborium::into_writer(&object, &mut bytes)));
        }),
    }
}

fn cases(input: &'static Input) -> Vec<Case> {
    let decoding = [
        ("from_str", Some(1.15)),
        ("from_slice", None),
        ("from_value", Some(1.5)),
        ("from_cbor", None),
        ("native", Some(0.75)),
    ];
    let encoding = [("to_string", Some(1.15)), ("to_value", Some(1.3)), ("to_cbor", None)];
    let decoding = decoding.map(|(name, goal)| Case {
        name,
        // What a client does with serde's derives.
        theirs: decode::<VirtualMachine>(if name == "native" { "from_str" } else { name }, input),
        ours: decode::<FastVirtualMachine>(name, input),
        goal,
    });
    let encoding = encoding.map(|(name, goal)| Case {
        name,
        theirs: encode::<VirtualMachine>(name, input),
        ours: encode::<FastVirtualMachine>(name, input),
        goal,
    });
    decoding.into_iter().chain(encoding).collect()
}

/// The microseconds of a call.
fn time(call: &dyn Fn()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_secs_f64() * 1e6 / CALLS as f64
}

fn main() -> Result<()> {
    let mut value: Value = serde_json::from_str(&Shape::VirtualMachines.json(7, 100))?;
    // Most of the time would be that of their maps, which k8s-openapi decodes with any derives.
    value["metadata"].as_object_mut().context("there is no metadata")?.remove("managedFields");
    let text = value.to_string();
    let mut cbor = Vec::new();
    ciborium::into_writer(&value, &mut cbor)?;
    let input: &'static Input = Box::leak(Box::new(Input { text, value, cbor }));
    let same = serde_json::to_value(serde_json::from_str::<VirtualMachine>(&input.text)?)?
        == serde_json::to_value(serde_json::from_str::<FastVirtualMachine>(&input.text)?)?;
    ensure!(same, "the derives differ");
    let only = std::env::args().skip(1).collect::<Vec<_>>();
    let mut cases = cases(input);
    cases.retain(|case| only.is_empty() || only.iter().any(|name| name == case.name));
    let mut times: Vec<[Samples; 2]> = cases.iter().map(|_| Default::default()).collect();
    for _ in 0..ROUNDS {
        for (case, [theirs, ours]) in cases.iter().zip(&mut times) {
            theirs.push(time(&case.theirs));
            ours.push(time(&case.ours));
        }
    }
    let mut table =
        Table::new(["format", "serde's, µs", "crdkit's, µs", "ratio (all rounds)", "goal"].map(str::to_owned));
    let mut results = Results::default();
    for (case, [theirs, ours]) in cases.iter().zip(&times) {
        let ratios = ours.over(theirs);
        table.row([
            case.name.to_owned(),
            format!("{:.2}", theirs.median()),
            format!("{:.2}", ours.median()),
            ratios.with_range(|it| format!("{it:.2}")),
            case.goal.map(|goal| format!("{goal}")).unwrap_or_default(),
        ]);
        results.figure(format!("{}_vs_serde", case.name), ratios.median());
    }
    println!("{}; {ROUNDS} rounds of {CALLS} calls\n\n{table}", Conditions::here());
    results.write("codec")
}
