//! The sources of the forms, from one template.

use crate::form::Form;

const RESOURCE: &str = include_str!("resource.rs.in");
const ENUMS: &str = include_str!("enums.rs.in");
const PROGRAM: &str = include_str!("program.rs.in");

/// Which types a custom resource has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types {
    /// A spec of 12 fields, two nested structs, an enum of plain variants, and a status.
    Plain,
    /// An enum of each form that serde has besides: external, internal, adjacent, untagged.
    WithEnums,
}

impl Types {
    /// How many types derive something for a custom resource.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Plain => 5,
            Self::WithEnums => 9,
        }
    }

    fn template(self) -> impl Iterator<Item = &'static str> {
        let enums = match self {
            Self::Plain => "",
            Self::WithEnums => ENUMS,
        };
        RESOURCE.lines().chain(enums.lines())
    }
}

/// The name of a field that is renamed between two compilations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Changed {
    Before,
    After,
}

impl Changed {
    fn field(self) -> &'static str {
        match self {
            Self::Before => "open_files",
            Self::After => "max_open_files",
        }
    }
}

/// The module of one custom resource: a line `@a,b text` of the template is there for the tags `a` and `b` of a form only, and a
/// line `@enums text` where there are enums.
pub(crate) fn module(types: Types, form: Form, number: usize, changed: Changed) -> String {
    let [first, second] = form.tags();
    let tags = [first, second, if types == Types::WithEnums { "enums" } else { "" }];
    let lines = types.template().filter_map(|line| select(line, &tags));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    text.replace("NN", &two_digits(number)).replace("CHANGED", changed.field())
}

fn select<'a>(line: &'a str, tags: &[&str]) -> Option<&'a str> {
    let Some(conditional) = line.strip_prefix('@') else {
        return Some(line);
    };
    let (required, text) = conditional.split_once(' ').unwrap_or((conditional, ""));
    required.split(',').any(|tag| tags.contains(&tag)).then_some(text)
}

/// The root module of a form; `stamp` differs wherever all is to be compiled again.
pub(crate) fn root(form: Form, crds: usize, stamp: &str) -> String {
    let modules: String = (0..crds)
        .map(|number| {
            let name = module_name(number);
            format!("pub mod {name};\n")
        })
        .collect();
    format!("//! The types in the form of {form}.\n// {stamp}\n\n{modules}")
}

/// The program that decodes and encodes all root types of a form; `stamp` differs wherever it is to be compiled again.
pub(crate) fn program(form: Form, crds: usize, stamp: &str) -> String {
    let calls = (0..crds).map(|number| format!("        round_trip::<{}>,", root_type(form, number)));
    PROGRAM.replace("STAMP", stamp).replace("ROUND_TRIPS", &calls.collect::<Vec<_>>().join("\n"))
}

/// The name of the module of a custom resource.
pub(crate) fn module_name(number: usize) -> String {
    format!("workload_{}", two_digits(number))
}

/// The root type of a custom resource.
pub(crate) fn root_type(form: Form, number: usize) -> String {
    let crate_name = form.crate_name();
    let module = module_name(number);
    format!("{crate_name}::{module}::Workload{}", two_digits(number))
}

fn two_digits(number: usize) -> String {
    format!("{number:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_forms() {
        assert_eq!(select("@serde,kube     a", &["kube"]), Some("    a"));
        assert_eq!(select("@serde,kube a", &["crdkit", "enums"]), None);
        assert_eq!(select("@enums a", &["crdkit", "enums"]), Some("a"));
        assert_eq!(select("    a", &["crdkit"]), Some("    a"));
    }

    #[test]
    fn forms_differ_in_attributes_only() {
        let fields = |form: Form| {
            let text = module(Types::WithEnums, form, 7, Changed::Before);
            let lines = text.lines().map(str::trim).skip_while(|line| !line.ends_with("struct Workload07Spec {"));
            let fields = lines.filter(|line| line.starts_with("pub "));
            fields.map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        for form in Form::ALL {
            assert_eq!(fields(form), fields(Form::Serde), "{form}");
        }
    }
}
