//! Random rules in CEL: the functions of the server on values of their types, and now and then of other ones.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Value, json};

use super::rng::Rng;
use crate::base;

const FUNCTIONS: &str = include_str!("../../../../core/src/cel/functions.txt");

/// One of how many values has another type than its function takes.
const WRONG: usize = 60;

/// A type: a name or a variable, with its parameters.
#[derive(Clone, Debug, PartialEq)]
struct Type {
    name: &'static str,
    of: Vec<Type>,
}

/// A definition with one value that has rules.
pub(crate) fn ruled(rng: &mut Rng, count: usize) -> Value {
    let rules: Vec<_> = (0..count).map(|_| rule(rng)).collect();
    let mut crd = base::changed("rule", json!("true"));
    if rng.once_in(3) {
        remove_bounds(rng, spec(&mut crd));
    }
    spec(&mut crd)["x-kubernetes-validations"] = rules.into();
    crd
}

/// The same definition with each of its rules alone.
pub(crate) fn apart(crd: &Value) -> Vec<Value> {
    let mut crd = crd.clone();
    let rules = spec(&mut crd)["x-kubernetes-validations"].take();
    let alone = |rule: &Value| {
        spec(&mut crd)["x-kubernetes-validations"] = json!([rule]);
        crd.clone()
    };
    rules.as_array().expect("there are rules").iter().map(alone).collect()
}

/// The rules of a definition.
pub(crate) fn written(crd: &Value) -> &Value {
    &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["x-kubernetes-validations"]
}

fn spec(crd: &mut Value) -> &mut Value {
    &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
}

fn rule(rng: &mut Rng) -> Value {
    let mut rule = json!({ "rule": Rules::new(rng).of_type("bool") });
    if rng.once_in(5) {
        rule["messageExpression"] = Rules::new(rng).of_type("string").into();
    }
    if rng.once_in(12) {
        rule["optionalOldSelf"] = true.into();
    }
    rule
}

fn remove_bounds(rng: &mut Rng, schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, _| !name.starts_with("max") || rng.once_in(3));
            members.values_mut().for_each(|it| remove_bounds(rng, it));
        }
        Value::Array(items) => items.iter_mut().for_each(|it| remove_bounds(rng, it)),
        _ => {}
    }
}

struct Function {
    name: &'static str,
    is_method: bool,
    parameters: Vec<Type>,
    result: Type,
}

static ALL: LazyLock<Vec<Function>> = LazyLock::new(|| FUNCTIONS.lines().filter_map(function).collect());

fn function(line: &'static str) -> Option<Function> {
    let mut parts = line.splitn(4, ' ').skip(1);
    let (name, _, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let (parameters, result) = signature[2..].rsplit_once(") ")?;
    let is_written =
        !name.starts_with('@') && !name.contains(".@") && !["in", "_?._", "__not_strictly_false__"].contains(&name);
    is_written.then(|| Function {
        name,
        is_method: signature.starts_with('m'),
        parameters: types(parameters),
        result: types(result).remove(0),
    })
}

/// Expressions that hardly any rule has, of all types and none.
static ODD: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("odd.txt").lines().collect());

fn types(text: &'static str) -> Vec<Type> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices().chain([(text.len(), ',')]) {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 && at > start => {
                let (name, of) = text[start..at].split_once('(').unwrap_or((&text[start..at], ")"));
                all.push(Type { name, of: types(&of[..of.len() - 1]) });
                start = at + 1;
            }
            _ => {}
        }
    }
    all
}

impl Type {
    fn named(name: &'static str) -> Self {
        Self { name, of: Vec::new() }
    }

    fn list(items: Self) -> Self {
        Self { name: "list", of: vec![items] }
    }

    fn is_variable(&self) -> bool {
        self.name.len() == 1
    }

    /// Binds the variables such that this type is `other`, if that is possible.
    fn binds(&self, other: &Self, bound: &mut BTreeMap<&'static str, Self>) -> bool {
        if self.is_variable() {
            return bound.entry(self.name).or_insert_with(|| other.clone()) == other;
        }
        let same = self.name == other.name && self.of.len() == other.of.len();
        same && self.of.iter().zip(&other.of).all(|(one, other)| one.binds(other, bound))
    }

    fn bound(&self, bound: &mut BTreeMap<&'static str, Self>, rng: &mut Rng) -> Self {
        if self.is_variable() {
            return bound.entry(self.name).or_insert_with(|| any(rng)).clone();
        }
        Self { name: self.name, of: self.of.iter().map(|it| it.bound(bound, rng)).collect() }
    }
}

const SCALARS: &[&str] =
    &["int", "int", "string", "string", "bool", "uint", "double", "bytes", "timestamp", "duration"];

fn any(rng: &mut Rng) -> Type {
    match rng.below(12) {
        0 => Type::list(any(rng)),
        1 => Type { name: "map", of: vec![Type::named("string"), any(rng)] },
        2 => Type { name: "optional_type", of: vec![any(rng)] },
        3 => Type::named(rng.pick::<&'static str>(&[
            "kubernetes.Quantity",
            "net.IP",
            "net.CIDR",
            "kubernetes.Semver",
            "kubernetes.URL",
        ])),
        4 => Type::named("dyn"),
        _ => Type::named(rng.pick::<&'static str>(SCALARS)),
    }
}

/// Writes expressions, with the variables that macros declare.
struct Rules<'a> {
    rng: &'a mut Rng,
    variables: Vec<(String, Type)>,
    /// Whether values have other types than their functions take.
    is_careless: bool,
}

impl<'a> Rules<'a> {
    fn new(rng: &'a mut Rng) -> Self {
        let is_careless = rng.once_in(2);
        Self { rng, variables: Vec::new(), is_careless }
    }

    /// An expression, which mostly compiles.
    fn of_type(&mut self, name: &'static str) -> String {
        let depth = 1 + self.rng.below(4);
        self.expression(&Type::named(name), depth)
    }

    fn expression(&mut self, type_: &Type, depth: usize) -> String {
        if self.is_careless && self.rng.once_in(WRONG) {
            return (*self.rng.pick(&ODD)).to_owned();
        }
        if self.is_careless && self.rng.once_in(WRONG) {
            let other = any(self.rng);
            return self.leaf(&other);
        }
        if depth == 0 {
            return self.leaf(type_);
        }
        match self.rng.below(12) {
            0 | 1 => self.leaf(type_),
            2 => {
                let [condition, one, other] =
                    [&Type::named("bool"), type_, type_].map(|it| self.expression(it, depth - 1));
                format!("({condition} ? {one} : {other})")
            }
            3..=5 => self.comprehension(type_, depth - 1).unwrap_or_else(|| self.leaf(type_)),
            _ => self.call(type_, depth - 1).unwrap_or_else(|| self.leaf(type_)),
        }
    }

    fn call(&mut self, type_: &Type, depth: usize) -> Option<String> {
        let returns = |it: &&Function| it.result.binds(type_, &mut BTreeMap::new());
        let all: Vec<_> = ALL.iter().filter(returns).collect();
        if all.is_empty() {
            return None;
        }
        let function = *self.rng.pick(&all);
        let mut bound = BTreeMap::new();
        function.result.binds(type_, &mut bound);
        let types: Vec<_> = function.parameters.iter().map(|it| it.bound(&mut bound, self.rng)).collect();
        let arguments: Vec<_> = types.iter().map(|it| self.expression(it, depth)).collect();
        Some(call(function, &arguments))
    }

    /// A macro with its variables, of a type that one has.
    fn comprehension(&mut self, type_: &Type, depth: usize) -> Option<String> {
        let items = match (type_.name, self.rng.below(3)) {
            ("list", 0) => type_.of[0].clone(),
            _ => any(self.rng),
        };
        let (range, key) = match self.rng.below(4) {
            0 => (Type { name: "map", of: vec![Type::named("string"), items.clone()] }, Type::named("string")),
            _ => (Type::list(items.clone()), Type::named("int")),
        };
        let is_map = range.name == "map";
        let over = self.expression(&range, depth);
        let item = if is_map { &key } else { &items };
        let bool = Type::named("bool");
        Some(match type_.name {
            "bool" => {
                let name = *self.rng.pick(&["all", "exists", "exists_one", "existsOne"]);
                if self.rng.once_in(3) {
                    self.with([&key, &items], |it, [k, v]| {
                        format!("{over}.{name}({k}, {v}, {})", it.expression(&bool, depth))
                    })
                } else {
                    self.with([item], |it, [x]| format!("{over}.{name}({x}, {})", it.expression(&bool, depth)))
                }
            }
            "list" => {
                let result = type_.of[0].clone();
                match self.rng.below(4) {
                    0 if !is_map && items == result => {
                        self.with([&items], |it, [x]| format!("{over}.filter({x}, {})", it.expression(&bool, depth)))
                    }
                    1 => self.with([&key, &items], |it, [k, v]| {
                        format!("{over}.transformList({k}, {v}, {})", it.expression(&result, depth))
                    }),
                    2 if !is_map && items == result => {
                        let by = Type::named(self.rng.pick::<&'static str>(&["int", "string", "bool", "double"]));
                        self.with([&items], |it, [x]| format!("{over}.sortBy({x}, {})", it.expression(&by, depth)))
                    }
                    3 => self.with([item], |it, [x]| {
                        format!("{over}.map({x}, {}, {})", it.expression(&bool, depth), it.expression(&result, depth))
                    }),
                    _ => self.with([item], |it, [x]| format!("{over}.map({x}, {})", it.expression(&result, depth))),
                }
            }
            "map" if is_map || type_.of[0].name == "int" => {
                let result = type_.of[1].clone();
                self.with([&key, &items], |it, [k, v]| {
                    format!("{over}.transformMap({k}, {v}, {})", it.expression(&result, depth))
                })
            }
            "optional_type" => {
                let result = type_.of[0].clone();
                let optional = self.expression(&Type { name: "optional_type", of: vec![items.clone()] }, depth);
                self.with([&items], |it, [x]| format!("{optional}.optMap({x}, {})", it.expression(&result, depth)))
            }
            _ => return None,
        })
    }

    fn with<const N: usize>(
        &mut self,
        types: [&Type; N],
        write: impl FnOnce(&mut Self, [String; N]) -> String,
    ) -> String {
        let before = self.variables.len();
        let names: [String; N] = std::array::from_fn(|at| format!("x{}", before + at));
        self.variables.extend(names.iter().cloned().zip(types.into_iter().cloned()));
        let text = write(self, names);
        self.variables.truncate(before);
        text
    }

    fn leaf(&mut self, type_: &Type) -> String {
        let known: Vec<_> =
            self.variables.iter().filter(|(_, its)| its == type_).map(|(name, _)| name.clone()).collect();
        if !known.is_empty() && self.rng.below(3) > 0 {
            return self.rng.pick(&known).clone();
        }
        let part = |at: usize| type_.of.get(at).cloned().unwrap_or_else(|| Type::named("int"));
        let texts: &[&str] = match type_.name {
            "int" => &["self.i", "self.j", "1", "-3", "self.o.i", "self.os[0].i", "0x1F", "self.mi['a']", "self.is[0]"],
            "uint" => &["1u", "0u", "uint(self.i)"],
            "double" => &["self.n", "1.5", "1e3", "self.ns[0]", ".5"],
            "bool" => {
                &["self.b", "true", "has(self.o.s)", "has(self.nul)", "self.bs[0]", "false", "has(self.a__dot__b)"]
            }
            "string" => &[
                "self.s",
                "self.t",
                "self.e",
                "'a'",
                "\"b\"",
                "r'\\d+'",
                "self.a__dash__b",
                "self.__namespace__",
                "self.namespace",
                "self.ms['k']",
                "self.o.o.s",
                "self.os[0].s",
                "'''é'''",
                "'\\u00e9'",
                "self.ip",
                "self.nul",
                "self.ml['a'][0]",
                "self.datetime",
                "'1.2.3.4'",
                "'10.0.0.0/8'",
                "'1h'",
                "'2020-01-01T00:00:00Z'",
                "'^a+$'",
                "self.pu.s",
                "self.er.kind",
                "self.er.metadata.name",
                "self.a-b",
                "self.`a-b`",
                "self._x",
            ],
            "bytes" => &["self.by", "b'a'", "b'\\xff'", "self.bys[0]"],
            "timestamp" => &["self.dt", "self.d", "timestamp('2020-01-01T00:00:00Z')", "self.dts[0]", "timestamp(0)"],
            "duration" => &["self.du", "duration('1h')", "duration('1.5s')"],
            "dyn" => &["self.x", "dyn(1)", "self.xs[0]", "dyn(self.s)"],
            "null_type" => &["null"],
            "kubernetes.Quantity" => &["quantity('1Gi')", "quantity(self.s)"],
            "net.IP" => &["ip('::1')", "ip(self.ip)", "cidr('10.0.0.0/8').ip()"],
            "net.CIDR" => &["cidr('10.0.0.0/8')", "cidr(self.s)"],
            "kubernetes.Semver" => &["semver('1.2.3')", "semver(self.s, true)"],
            "kubernetes.URL" => &["url('https://a.b/c')", "url(self.s)"],
            "kubernetes.NamedFormat" => &["format.uuid()", "format.dns1123Label()"],
            "type" => return format!("type({})", self.leaf(&part(0))),
            "optional_type" => return self.optional(&part(0)),
            "list" => return self.list(&part(0)),
            "map" => return self.map(&part(0), &part(1)),
            _ => &["authorizer", "oldSelf", "self.nothing", "nothing"],
        };
        (*self.rng.pick(texts)).to_owned()
    }

    fn optional(&mut self, of: &Type) -> String {
        let field = match of.name {
            "string" => "self.?s",
            "int" => "self.?o.?i",
            "bool" => "self.?b",
            _ => "",
        };
        match self.rng.below(3) {
            0 if !field.is_empty() => field.to_owned(),
            1 => format!("optional.ofNonZeroValue({})", self.leaf(of)),
            _ => format!("optional.of({})", self.leaf(of)),
        }
    }

    fn list(&mut self, items: &Type) -> String {
        let field = match items.name {
            "int" => "self.is",
            "string" => "self.ss",
            "double" => "self.ns",
            "bool" => "self.bs",
            "timestamp" => "self.dts",
            "bytes" => "self.bys",
            "dyn" => "self.xs",
            "list" if items.of[0].name == "string" => "self.ll",
            _ => "",
        };
        match self.rng.below(4) {
            0 => format!("[{}]", self.leaf(items)),
            1 => format!("[{}, {}]", self.leaf(items), self.leaf(items)),
            _ if !field.is_empty() => field.to_owned(),
            2 => format!("[?optional.of({})]", self.leaf(items)),
            _ => format!("[{}]", self.leaf(items)),
        }
    }

    fn map(&mut self, keys: &Type, values: &Type) -> String {
        let field = match (keys.name, values.name) {
            ("string", "int") => "self.mi",
            ("string", "string") => "self.ms",
            ("string", "list") if values.of[0].name == "string" => "self.ml",
            _ => "",
        };
        match self.rng.below(3) {
            _ if field.is_empty() => format!("{{{}: {}}}", self.leaf(keys), self.leaf(values)),
            0 => format!("{{{}: {}}}", self.leaf(keys), self.leaf(values)),
            _ => field.to_owned(),
        }
    }
}

fn call(function: &Function, arguments: &[String]) -> String {
    match (function.name, arguments) {
        ("_?_:_", [condition, one, other]) => format!("({condition} ? {one} : {other})"),
        ("_[_]", [list, index]) => format!("{list}[{index}]"),
        ("_[?_]", [list, index]) => format!("{list}[?{index}]"),
        (name, [one]) if name.len() == 2 && name.ends_with('_') => format!("{}({one})", &name[..1]),
        (name, [one, other])
            if name.len() > 2 && name.starts_with('_') && name.ends_with('_') && !name.starts_with("__") =>
        {
            format!("({one} {} {other})", &name[1..name.len() - 1])
        }
        (name, [receiver, rest @ ..]) if function.is_method => format!("{receiver}.{name}({})", rest.join(", ")),
        (name, arguments) => format!("{name}({})", arguments.join(", ")),
    }
}
