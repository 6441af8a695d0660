//! How the time of a check grows with the size of one type, with crdkit's derives beside serde's alone.

use std::fmt;

use anyhow::Result;
use crdkit_benches::{Detail, GeneratedWorkspace, Results, Samples, Table};

use crate::{form::Form, project::manifest};

/// What a type has many of.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Variants,
    Fields,
    Levels,
    Rules,
    Values,
}

/// The seconds of checks of one shape, in each round.
#[derive(Debug, Default)]
struct Checks {
    once: Samples,
    twice: Samples,
}

/// The checks of all shapes.
#[derive(Debug)]
pub(crate) struct Growth(Vec<(Shape, Form, Checks)>);

const CRATE: &str = "growth";

/// The derives that are compared.
const FORMS: [Form; 2] = [Form::Serde, Form::Crdkit];

impl Shape {
    const ALL: [Self; 5] = [Self::Variants, Self::Fields, Self::Levels, Self::Rules, Self::Values];

    fn key(self) -> &'static str {
        match self {
            Self::Variants => "variants",
            Self::Fields => "fields",
            Self::Levels => "levels",
            Self::Rules => "rules",
            Self::Values => "values",
        }
    }

    /// How many there are the first time.
    fn count(self) -> usize {
        match self {
            Self::Variants => 300,
            Self::Fields => 500,
            Self::Levels => 100,
            Self::Rules => 400,
            Self::Values => 50_000,
        }
    }

    /// The crate with `count` of them. A spec has one field of the type, so that all is checked from the root.
    fn source(self, form: Form, count: usize) -> String {
        let (imports, derive, root) = if form == Form::Crdkit {
            (
                "use crdkit::{CustomResource, KubeSchema};\n",
                "#[derive(Clone, Debug, Deserialize, KubeSchema, Serialize)]\n",
                "#[derive(CustomResource)]\n#[crd(group = \"example.com\", version = \"v1\", kind = \"Growth\")]\n",
            )
        } else {
            ("", "#[derive(Clone, Debug, Deserialize, Serialize)]\n", "")
        };
        let many = |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
        let attribute = |text: String| if form == Form::Crdkit { format!("#[crd({text})]\n") } else { String::new() };
        let first = match self {
            Self::Variants => {
                let variants = many(&|at| format!("    V{at} {{ a{at}: String, b{at}: Option<i32> }},\n"));
                format!("{derive}#[serde(tag = \"type\")]\npub enum First {{\n{variants}}}\n")
            }
            Self::Fields => {
                let fields = many(&|at| format!("    pub field{at}: Option<String>,\n"));
                format!("{derive}pub struct First {{\n{fields}}}\n")
            }
            Self::Levels => {
                let level = |at| {
                    let next = at + 1;
                    format!(
                        "{derive}pub struct Level{at} {{\n    pub name: String,\n    pub next: Option<Level{next}>,\n}}\n"
                    )
                };
                let last = format!("{derive}pub struct Level{count} {{\n    pub name: String,\n}}\n");
                many(&level) + &last + "pub type First = Level0;\n"
            }
            Self::Rules => {
                // In one attribute: the compiler itself allows 128 attributes of a derive on a type.
                let rules = attribute(many(&|at| format!("validation = \"self.name != '{at}'\", ")));
                format!("{derive}{rules}pub struct First {{\n    pub name: String,\n}}\n")
            }
            Self::Values => {
                let values = attribute(format!("enum_values = [{}]", many(&|at| format!("\"value-{at}\", "))));
                format!("{derive}pub struct First {{\n    {values}    pub name: String,\n}}\n")
            }
        };
        // Each level of types is some levels of queries to the compiler, of which it allows 128 by default.
        format!(
            "#![recursion_limit = \"1024\"]\n{imports}use serde::{{Deserialize, Serialize}};\n\n{first}\n{derive}{root}pub struct \
             Spec {{\n    pub first: First,\n}}\n"
        )
    }
}

impl Growth {
    /// Checks each shape with its count and with twice that, in interleaved rounds.
    pub(crate) fn measure(rounds: usize) -> Result<Self> {
        let workspace = GeneratedWorkspace::new(CRATE, &(manifest(CRATE, &["crdkit"], &[]) + "\n[workspace]\n"))?;
        check(&workspace, Shape::Fields, Form::Crdkit, 1)?;
        let cases = Shape::ALL.into_iter().flat_map(|shape| FORMS.map(|form| (shape, form, Checks::default())));
        let mut growth = Self(cases.collect());
        for round in 1..=rounds {
            eprintln!("round {round} of {rounds}");
            for (shape, form, checks) in &mut growth.0 {
                checks.once.push(check(&workspace, *shape, *form, shape.count())?);
                checks.twice.push(check(&workspace, *shape, *form, 2 * shape.count())?);
            }
        }
        Ok(growth)
    }

    /// States the median seconds, and the growth from once to twice as many.
    pub(crate) fn state(&self, results: &mut Results) {
        for (shape, form, checks) in &self.0 {
            let key = format!("{}_{}", shape.key(), form.name());
            results.figure(format!("{key}_s"), checks.once.median());
            results.figure(format!("{key}_growth"), checks.twice.over(&checks.once).median());
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["one type with", "derives", "s", "s with twice as many", "growth"]);
        for (shape, form, Checks { once, twice }) in &self.0 {
            let growth = twice.over(once);
            table.row([
                format!("{} {}", shape.count(), shape.key()),
                form.name().to_owned(),
                format!("{:.2}", once.median()),
                format!("{:.2}", twice.median()),
                growth.with_range(|it| format!("{it:.2}")),
            ]);
        }
        write!(f, "{table}")
    }
}

/// Returns the seconds that the compiler takes for the crate, of which nothing is left from before.
fn check(workspace: &GeneratedWorkspace, shape: Shape, form: Form, count: usize) -> Result<f64> {
    workspace.write("src/lib.rs", "")?;
    workspace.compile(&["check"], CRATE, Detail::None)?;
    workspace.write("src/lib.rs", &shape.source(form, count))?;
    Ok(workspace.compile(&["check"], CRATE, Detail::None)?.wall)
}
