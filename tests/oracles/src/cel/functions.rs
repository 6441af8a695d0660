use std::sync::LazyLock;

use super::types::Type;

const TABLE: &str = include_str!("../../../../core/src/cel/functions.txt");

/// The minor version of Kubernetes whose functions new rules may have.
const MINOR: u32 = crdkit_core::cel::MINOR;

/// An overload of a function.
#[derive(Debug)]
pub struct Function {
    /// The name of the function, or of the operator.
    pub name: &'static str,
    /// The id of the overload.
    pub id: &'static str,
    /// Whether the first argument is the receiver.
    pub is_method: bool,
    /// The types of the arguments.
    pub parameters: Vec<Type>,
    /// The type of the result.
    pub result: Type,
}

impl Function {
    /// Whether an expression can call it by its name or its operator. Macros and selections call the others.
    pub fn is_written(&self) -> bool {
        self.name == "@in" || !self.name.contains('@') && self.name != "_?._"
    }
}

/// The overloads that rules of custom resources can call.
pub fn targets() -> &'static [Function] {
    static ALL: LazyLock<Vec<Function>> = LazyLock::new(|| TABLE.lines().filter_map(function).collect());
    &ALL
}

fn function(line: &'static str) -> Option<Function> {
    let mut parts = line.splitn(4, ' ');
    let since: u32 = parts.next()?.parse().ok()?;
    let (name, id, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let (parameters, result) = signature[2..].rsplit_once(") ")?;
    let is_available = since <= MINOR && !signature.contains("authorization");
    is_available.then(|| Function {
        name,
        id,
        is_method: signature.starts_with('m'),
        parameters: Type::several(parameters),
        result: Type::several(result).remove(0),
    })
}
