use super::{
    expression::Expression,
    functions::{Function, targets},
    node::{Place, Scope},
    texts::Flavor,
    types::{Bound, Type},
};
use crate::Random;

/// Writes expressions of a scope.
pub struct Writer<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) scope: &'a Scope,
    pub(crate) variables: Vec<(String, Type, Flavor)>,
    pub(crate) declared: usize,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// An overload.
    Function(&'static Function),
    /// Anything.
    Any,
}

/// One of how many arguments has another type, which is only known when the rule is evaluated.
const DYNAMIC: usize = 40;

impl<'a> Writer<'a> {
    /// A writer of expressions, which use `oldSelf` if it is there, or as an optional value.
    pub fn new(random: &'a mut Random, scope: &'a Scope, old_self: Option<bool>) -> Self {
        let flavor = scope.node.flavor();
        let mut variables = vec![("self".to_owned(), scope.type_.clone(), flavor)];
        match old_self {
            Some(false) => variables.push(("oldSelf".to_owned(), scope.type_.clone(), flavor)),
            Some(true) => variables.push(("oldSelf".to_owned(), Type::optional(scope.type_.clone()), flavor)),
            None => {}
        }
        Self { random, scope, variables, declared: 0 }
    }

    /// A rule about a target.
    pub fn rule(&mut self, target: Target) -> Expression {
        let depth = 1 + self.random.below(3);
        let Target::Function(function) = target else {
            let type_ = if self.random.once_in(2) { Type::named("bool") } else { self.any_type() };
            let expression = self.expression(&type_, depth + 1, Flavor::Any);
            return self.observed(expression);
        };
        let written = if function.is_written() {
            let mut bound = Bound::new();
            self.call(function, &mut bound, depth - 1)
        } else {
            self.called_by_macro(function, depth - 1)
        };
        self.observed(written)
    }

    /// A message.
    pub fn message(&mut self) -> Expression {
        let depth = self.random.below(3);
        self.expression(&Type::named("string"), depth, Flavor::Any)
    }

    /// An expression of the type `bool` that shows the value.
    fn observed(&mut self, of: Expression) -> Expression {
        let bool = Type::named("bool");
        let type_ = of.type_.clone();
        let shown = |template: &str| Expression::of(&bool, template, vec![of.clone()]);
        match &*type_.name {
            "bool" if !self.random.once_in(6) => of,
            "string" if self.random.once_in(2) => shown("{'': true}[§]"),
            "int" | "uint" | "double" | "bytes" | "timestamp" | "duration" | "net.IP" | "net.CIDR"
                if self.random.once_in(2) =>
            {
                shown("{'': true}[string(§)]")
            }
            "optional_type" if !type_.has_variables() => {
                if self.random.once_in(4) {
                    return shown("§.hasValue()");
                }
                let value = Expression::of(&type_.of[0], "§.value()", vec![of]);
                self.observed(value)
            }
            "kubernetes.Quantity" => shown(self.random.pick(&[
                "{'': true}[string(§.asApproximateFloat())]",
                "{0: true}[§.asInteger()]",
                "{0: true}[sign(§)]",
                "§.isInteger()",
            ])),
            "kubernetes.Semver" => shown(self.random.pick(&[
                "{0: true}[§.major()]",
                "{0: true}[§.minor()]",
                "{0: true}[§.patch()]",
                "§.isLessThan(semver('1.2.3'))",
            ])),
            "kubernetes.URL" => shown(self.random.pick(&[
                "{'': true}[§.getHost()]",
                "{'': true}[§.getEscapedPath()]",
                "{'': true}[§.getScheme()]",
                "{'': true}['%s'.format([§.getQuery()])]",
            ])),
            "kubernetes.NamedFormat" => {
                let text = self.expression(&Type::named("string"), 0, Flavor::Name);
                Expression::of(&bool, "{'': true}['%s'.format([§.validate(§).orValue([])])]", vec![of, text])
            }
            _ if self.random.once_in(3) => {
                let other = self.expression(&type_, 1, Flavor::Any);
                Expression::of(&bool, self.random.pick(&["§ == §", "§ != §", "§ in [§]"]), vec![of, other])
            }
            _ => shown("{'': true}['%s'.format([§])]"),
        }
    }

    /// An expression of a type.
    pub(crate) fn expression(&mut self, type_: &Type, depth: usize, flavor: Flavor) -> Expression {
        if self.random.once_in(DYNAMIC) {
            let other = self.any_type();
            let other = self.leaf(&other, Flavor::Any);
            return Expression::of(type_, "dyn(§)", vec![other]);
        }
        // What a function reads is hardly the result of another one.
        if depth == 0 || flavor != Flavor::Any && !self.random.once_in(6) {
            return self.leaf(type_, flavor);
        }
        match self.random.below(12) {
            0 | 1 => self.leaf(type_, flavor),
            2 => {
                let condition = self.expression(&Type::named("bool"), depth - 1, Flavor::Any);
                let [one, other] = [(); 2].map(|()| self.expression(type_, depth - 1, flavor));
                Expression::of(type_, "(§ ? § : §)", vec![condition, one, other])
            }
            3..=5 => self.comprehension(type_, depth - 1).unwrap_or_else(|| self.leaf(type_, flavor)),
            _ => self.any_call(type_, depth - 1).unwrap_or_else(|| self.leaf(type_, flavor)),
        }
    }

    fn any_call(&mut self, type_: &Type, depth: usize) -> Option<Expression> {
        let returns = |it: &&Function| it.is_written() && it.result.binds(type_, &mut Bound::new());
        let all: Vec<_> = targets().iter().filter(returns).collect();
        // One of its overloads, so that operators of many types are not the only ones.
        let mut names: Vec<_> = all.iter().map(|it| it.name).collect();
        names.dedup();
        let name = *self.random.choose(if names.is_empty() { return None } else { &names });
        let named: Vec<_> = all.into_iter().filter(|it| it.name == name).collect();
        let function = *self.random.choose(&named);
        let mut bound = Bound::new();
        function.result.binds(type_, &mut bound);
        Some(self.call(function, &mut bound, depth))
    }

    fn call(&mut self, function: &Function, bound: &mut Bound, depth: usize) -> Expression {
        if function.id == "string_format" {
            return self.format_call(depth);
        }
        let mut arguments = Vec::new();
        for (at, parameter) in function.parameters.iter().enumerate() {
            self.bind_key(parameter, bound);
            let type_ = parameter.bound(bound, &mut || self.any_type());
            let argument = self.argument(function, at, &type_, depth);
            arguments.push(argument);
        }
        let result = function.result.bound(bound, &mut || self.any_type());
        Expression::of(&result, &template(function, arguments.len()), arguments)
    }

    /// Mostly lets the keys of a map have a type that the server can find.
    fn bind_key(&mut self, parameter: &Type, bound: &mut Bound) {
        let map = if parameter.name == "optional_type" { &parameter.of[0] } else { parameter };
        if map.name == "map" && map.of[0].has_variables() && !self.random.once_in(12) {
            let key = self.random.pick::<str>(&["string", "string", "string", "int", "bool", "uint", "double"]);
            bound.entry(map.of[0].name.clone()).or_insert_with(|| Type::named(key.to_owned()));
        }
    }

    /// An argument, such as a function mostly has it.
    fn argument(&mut self, function: &Function, at: usize, type_: &Type, depth: usize) -> Expression {
        let flavor = flavor(function, at);
        if (function.id, at) == ("list_flatten_int", 0) {
            let list = self.expression(&Type::list(Type::list(Type::named("int"))), depth, Flavor::Any);
            return Expression::of(type_, self.random.pick(&["dyn(§)", "[dyn(§)]", "[dyn(§), dyn(1)]"]), vec![list]);
        }
        let is_size = matches!(&*type_.name, "int") && !function.id.contains("_int64") && !self.random.once_in(6);
        if is_size && is_counting(function.id) {
            return Expression::leaf(type_, *self.random.choose(&["0", "1", "2", "3", "-1", "5"]));
        }
        self.expression(type_, depth, flavor)
    }

    /// A call of `format` whose arguments mostly fit.
    fn format_call(&mut self, depth: usize) -> Expression {
        const ODD: &[&str] = &["%%", "a", "é", " ", "%", "%q", "%d", "%s", "%.3s", "%."];
        let mut text = String::new();
        let mut arguments = Vec::new();
        for _ in 0..self.random.below(4) {
            let (verbs, type_): (&[&str], _) = match self.random.below(6) {
                0 => (&["%d", "%x", "%X", "%o", "%b", "%f", "%e", "%s", "%.3f"], Type::named("int")),
                1 => (&["%d", "%x", "%X", "%o", "%b", "%f", "%s", "%.2e"], Type::named("uint")),
                2 => (&["%f", "%e", "%.2f", "%.0e", "%.10f", "%s", "%.0f", "%d"], Type::named("double")),
                3 => (&["%s", "%x", "%X"], Type::named("string")),
                4 => {
                    (&["%s", "%x", "%b"], Type::named(*self.random.choose(&["bytes", "bool", "timestamp", "duration"])))
                }
                _ => (&["%s"], self.any_type()),
            };
            let verbs = if self.random.once_in(16) { ODD } else { verbs };
            text.push_str(self.random.choose::<&str>(verbs));
            if self.random.once_in(3) {
                text.push_str(self.random.choose::<&str>(&ODD[..4]));
            }
            arguments.push(self.expression(&type_, depth.min(1), Flavor::Any));
        }
        let places = vec!["dyn(§)"; arguments.len()].join(", ");
        // The compiler checks a literal, and not this.
        let receiver = if self.random.once_in(2) { format!("'{text}'") } else { format!("['{text}'][0]") };
        Expression::of(&Type::named("string"), &format!("{receiver}.format([{places}])"), arguments)
    }

    /// A type of which there are expressions.
    pub(crate) fn any_type(&mut self) -> Type {
        const SCALARS: &[&str] =
            &["int", "int", "string", "string", "bool", "uint", "double", "bytes", "timestamp", "duration", "dyn"];
        const OPAQUE: &[&str] = &["kubernetes.Quantity", "net.IP", "net.CIDR", "kubernetes.Semver", "kubernetes.URL"];
        match self.random.below(16) {
            0 | 1 => Type::list(self.any_type()),
            2 => {
                let key = self.random.pick::<str>(&["string", "string", "int", "bool", "uint"]).to_owned();
                Type::map(Type::named(key), self.any_type())
            }
            3 => Type::optional(self.any_type()),
            4 => Type::named(*self.random.choose(OPAQUE)),
            5 | 6 => {
                let known = self.places();
                let place = self.random.choose(&known);
                place.1.type_.clone()
            }
            7 => {
                let objects = self.scope.object_types();
                if objects.is_empty() { Type::named("int") } else { self.random.choose(&objects).clone() }
            }
            _ => Type::named(*self.random.choose(SCALARS)),
        }
    }

    /// All that variables lead to.
    pub(crate) fn places(&self) -> Vec<(String, Place)> {
        let of = |(name, type_, flavor): &(String, Type, Flavor)| {
            let places = self.scope.places(type_, *flavor);
            places.into_iter().map(|it| (name.clone(), it)).collect::<Vec<_>>()
        };
        self.variables.iter().flat_map(of).collect()
    }

    pub(crate) fn leaf(&mut self, type_: &Type, flavor: Flavor) -> Expression {
        let mut known = self.places();
        known.retain(|(_, it)| it.type_ == *type_ && (flavor == Flavor::Any || it.flavor == flavor));
        if !known.is_empty() && (type_.is_object() || self.random.below(4) > 0) {
            // The last variables are those of macros.
            let at = if self.random.once_in(2) { known.len() - 1 } else { self.random.below(known.len()) };
            let (name, place) = &known[at];
            return Expression::leaf(type_, format!("{name}{}", place.path));
        }
        self.literal(type_, flavor)
    }
}

/// Where a call has its arguments.
fn template(function: &Function, count: usize) -> String {
    let name = function.name;
    match (name, count) {
        ("_?_:_", _) => "(§ ? § : §)".to_owned(),
        ("_[_]", _) => "§[§]".to_owned(),
        ("_[?_]", _) => "§[?§]".to_owned(),
        ("@in", _) => "(§ in §)".to_owned(),
        (name, 1) if name.len() == 2 && name.ends_with('_') => format!("{}(§)", &name[..1]),
        (name, 2) if name.len() > 2 && name.starts_with('_') && name.ends_with('_') => {
            format!("(§ {} §)", &name[1..name.len() - 1])
        }
        (name, count) if function.is_method => format!("§.{name}({})", vec!["§"; count - 1].join(", ")),
        (name, count) => format!("{name}({})", vec!["§"; count].join(", ")),
    }
}

/// Whether the numbers that a function takes are positions or counts.
fn is_counting(id: &str) -> bool {
    const OF: &[&str] =
        &["char_at", "index", "substring", "split", "replace", "find_all", "slice", "flatten", "range", "optindex"];
    OF.iter().any(|it| id.contains(it)) && !id.contains("map")
}

/// What a text that a function takes is.
fn flavor(function: &Function, at: usize) -> Flavor {
    match (function.id, at) {
        ("string_to_bool", _) => Flavor::Truth,
        ("string_to_int64" | "string_to_uint64" | "string_to_double", _) => Flavor::Number,
        ("string_to_timestamp", _) => Flavor::Timestamp,
        ("string_to_duration", _) => Flavor::Duration,
        ("string_to_quantity" | "is_quantity_string", _) => Flavor::Quantity,
        ("string_to_ip" | "is_ip" | "ip_is_canonical", _) | ("cidr_contains_ip_string", 1) => Flavor::Ip,
        ("string_to_cidr" | "is_cidr", _) | ("cidr_contains_cidr_string", 1) => Flavor::Cidr,
        ("string_to_url" | "is_url_string", _) => Flavor::Url,
        ("string_to_semver" | "string_bool_to_semver" | "is_semver_string" | "is_semver_string_bool", 0) => {
            Flavor::Semver
        }
        ("format-named", _) => Flavor::Format,
        ("format-validate", 1) => Flavor::Name,
        (
            "matches"
            | "matches_string"
            | "string_find_string"
            | "string_find_all_string"
            | "string_find_all_string_int",
            1,
        ) => Flavor::Regex,
        (id, 1) if id.ends_with("_tz") => Flavor::Zone,
        _ => Flavor::Any,
    }
}
