//! The types of the same definitions twice: with the derives of `crdkit::serde`, and with serde's own.

use std::{error::Error, fs, path::Path};

use crdkit_tools::import;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::roots;

/// How many definitions a program has. Each is compiled twice.
pub(crate) const PER_PROGRAM: usize = 20;

/// The functions of each program.
const COMPARISON: &str = r#"
use std::fmt::Debug;

use crdkit::{CustomResource, testing::RoundtripTest};
use serde::{Serialize, de::DeserializeOwned};

/// Reads random documents of a kind, good and bad ones, as both types, from JSON text and as clients read it. Prints `same` or
/// `differs`, how many documents there were and how many of them both read, and the first that differs.
fn compare<T, O>(name: &str)
where
    T: DeserializeOwned + Serialize + Debug,
    O: CustomResource + DeserializeOwned + Serialize + Debug,
{
    let cases = RoundtripTest::of_resource::<O>().documents(300).cases();
    let documents = cases.iter().flat_map(|case| variants(&case.document)).collect::<Vec<_>>();
    let mut read = 0;
    for document in &documents {
        let theirs = outcome(serde_json::from_str::<T>(document));
        read += usize::from(theirs.is_ok());
        let text = outcome(serde_json::from_str::<O>(document));
        let value = serde_json::from_str::<serde_json::Value>(document).map(|value| {
            (outcome(serde_json::from_value::<T>(value.clone())), outcome(serde_json::from_value::<O>(value)))
        });
        let native = outcome(crdkit::__internal::object_text::read::<O>(document));
        let same_value = value.map_or(true, |(theirs, ours)| theirs == ours);
        if text != theirs || native.is_ok() != theirs.is_ok() || (native.is_ok() && native != theirs) || !same_value {
            return println!("{name}\tdiffers\t{}\t{read}\t{document}\t{theirs:?}\t{text:?}\t{native:?}", documents.len());
        }
    }
    println!("{name}\tsame\t{}\t{read}", documents.len());
}

/// A document, the same in several lines, and one that ends too early.
fn variants(document: &serde_json::Value) -> [String; 3] {
    let text = document.to_string();
    let end = (0..=text.len() / 2).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let part = text[..end].to_owned();
    [text, format!("{document:#}"), part]
}

/// The value and what is written again, or the error.
fn outcome<T: Serialize + Debug>(read: serde_json::Result<T>) -> Result<[String; 2], String> {
    let value = read.map_err(|error| error.to_string())?;
    Ok([format!("{value:?}"), serde_json::to_string(&value).unwrap()])
}
"#;

/// Writes a program with two modules for each definition.
pub(crate) fn write_program(directory: &Path, crds: &[CustomResourceDefinition]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let (mut modules, mut calls) = (String::new(), String::new());
    for (number, crd) in crds.iter().enumerate() {
        let code = import(crd).code;
        let by_serde = with_serde(&code);
        let [ours, theirs] = [format!("d{number}"), format!("s{number}")];
        for (module, code) in [(&ours, &code), (&theirs, &by_serde)] {
            fs::write(directory.join(format!("{module}.rs")), code)?;
            modules += &format!("#[allow(dead_code)]\nmod {module};\n");
        }
        let name = crd.metadata.name.as_deref().unwrap_or_default();
        for (ours, theirs) in roots(&code, crd, &ours).iter().zip(roots(&code, crd, &theirs)) {
            calls += &format!("    compare::<{theirs}, {ours}>({name:?});\n");
        }
    }
    fs::write(directory.join("main.rs"), format!("{modules}{COMPARISON}\nfn main() {{\n{calls}}}\n"))?;
    Ok(())
}

/// Imported code with the derives of serde.
fn with_serde(code: &str) -> String {
    const IMPORT: &str = "serde::{Deserialize, Serialize}";
    let lines = code.lines().filter(|line| line.trim() != format!("{IMPORT},"));
    let lines = lines.map(|line| match line.trim() {
        "use crdkit::{" => format!("use {IMPORT};\n{line}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}
