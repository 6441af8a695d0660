//! Macros, literals, and the functions that only these call.

use super::{expression::Expression, functions::Function, node::Place, texts::Flavor, types::Type, writer::Writer};

impl Writer<'_> {
    /// A macro or a selection that calls a function.
    pub(crate) fn called_by_macro(&mut self, function: &Function, depth: usize) -> Expression {
        let bool = Type::named("bool");
        let sorted = function.id.strip_prefix("list_").and_then(|it| it.strip_suffix("_sortByAssociatedKeys"));
        if let Some(key) = sorted {
            let key = match key {
                "google.protobuf.Duration" => "duration",
                "google.protobuf.Timestamp" => "timestamp",
                key => key,
            };
            let items = self.any_type();
            return self.sorted(&items, &Type::named(key.to_owned()), depth);
        }
        match function.id {
            "@mapInsert_map_key_value" | "@mapInsert_map_map" => {
                let type_ = Type::map(Type::named("string"), self.any_type());
                self.transformed_map(&type_, depth, function.id == "@mapInsert_map_map")
            }
            "select_optional_field" => {
                let mut known = self.places();
                known.retain(|(_, it)| {
                    it.path.rfind('.').is_some_and(|at| it.path[at..].len() > 1 && !it.path[at..].contains('['))
                });
                if known.is_empty() {
                    let value = self.leaf(&Type::named("int"), Flavor::Any);
                    return Expression::of(&Type::optional(Type::named("int")), "{'a': §}.?a", vec![value]);
                }
                let (name, place) = self.random.choose(&known).clone();
                optional_place(&name, &place)
            }
            _ => {
                let quantified = self.comprehension(&bool, depth);
                quantified.expect("there are macros of the type bool")
            }
        }
    }

    /// A macro with its variables, of a type that one has.
    pub(crate) fn comprehension(&mut self, type_: &Type, depth: usize) -> Option<Expression> {
        match &*type_.name {
            "bool" if self.random.once_in(4) => Some(self.presence()),
            "bool" => Some(self.quantified(depth)),
            "list" => Some(self.list_macro(type_, depth)),
            "map" if type_.of[0].name != "dyn" => {
                let is_entry = self.random.once_in(2);
                Some(self.transformed_map(type_, depth, is_entry))
            }
            "optional_type" => Some(self.optional_macro(type_, depth)),
            _ => None,
        }
    }

    /// `has` of a field.
    fn presence(&mut self) -> Expression {
        let bool = Type::named("bool");
        let mut known = self.places();
        known.retain(|(_, it)| it.path.rfind('.').is_some_and(|at| !it.path[at..].contains('[')));
        if known.is_empty() {
            return Expression::leaf(&bool, "has({'a': 1}.b)");
        }
        let (name, place) = self.random.choose(&known);
        Expression::leaf(&bool, format!("has({name}{})", place.path))
    }

    /// A list or a map, the types of its keys and values, and what its texts are.
    fn range(&mut self, depth: usize) -> (Expression, Type, Type, Flavor) {
        let mut known = self.places();
        known.retain(|(_, it)| matches!(&*it.type_.name, "list" | "map"));
        let (range, flavor) = if !known.is_empty() && self.random.below(3) > 0 {
            let (name, place) = self.random.choose(&known);
            (Expression::leaf(&place.type_, format!("{name}{}", place.path)), place.flavor)
        } else {
            let of = self.any_type();
            let type_ = if self.random.once_in(4) { Type::map(Type::named("string"), of) } else { Type::list(of) };
            (self.expression(&type_, depth, Flavor::Any), Flavor::Any)
        };
        let (key, value) = match range.type_.of.as_slice() {
            [key, value] => (key.clone(), value.clone()),
            [item, ..] => (Type::named("int"), item.clone()),
            [] => (Type::named("dyn"), Type::named("dyn")),
        };
        (range, key, value, flavor)
    }

    fn quantified(&mut self, depth: usize) -> Expression {
        let bool = Type::named("bool");
        let (range, key, value, flavor) = self.range(depth);
        let name = *self.random.choose(&["all", "exists", "exists_one", "existsOne"]);
        if self.random.once_in(3) {
            let [k, v] = [(); 2].map(|()| self.variable());
            let of = vec![(k.clone(), key, Flavor::Any), (v.clone(), value, flavor)];
            let condition = self.within(of, &bool, depth);
            return Expression::of(&bool, &format!("§.{name}({k}, {v}, §)"), vec![range, condition]);
        }
        let x = self.variable();
        let item = if range.type_.name == "map" { (x.clone(), key, Flavor::Any) } else { (x.clone(), value, flavor) };
        let condition = self.within(vec![item], &bool, depth);
        let name = if name == "existsOne" { "exists_one" } else { name };
        Expression::of(&bool, &format!("§.{name}({x}, §)"), vec![range, condition])
    }

    fn list_macro(&mut self, type_: &Type, depth: usize) -> Expression {
        let bool = Type::named("bool");
        let result = type_.of[0].clone();
        match self.random.below(6) {
            0 => {
                let list = self.expression(type_, depth, Flavor::Any);
                let x = self.variable();
                let condition = self.within(vec![(x.clone(), result, Flavor::Any)], &bool, depth);
                Expression::of(type_, &format!("§.filter({x}, §)"), vec![list, condition])
            }
            1 => {
                let keys = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
                let key = Type::named(*self.random.choose(&keys));
                self.sorted(&result, &key, depth)
            }
            2 | 3 => {
                let (range, key, value, flavor) = self.range(depth);
                let [k, v] = [(); 2].map(|()| self.variable());
                let of = vec![(k.clone(), key, Flavor::Any), (v.clone(), value, flavor)];
                let mapped = self.within(of.clone(), &result, depth);
                if self.random.once_in(2) {
                    let condition = self.within(of, &bool, depth);
                    let template = format!("§.transformList({k}, {v}, §, §)");
                    return Expression::of(type_, &template, vec![range, condition, mapped]);
                }
                Expression::of(type_, &format!("§.transformList({k}, {v}, §)"), vec![range, mapped])
            }
            _ => {
                let (range, key, value, flavor) = self.range(depth);
                let x = self.variable();
                let is_map = range.type_.name == "map";
                let item = if is_map { (x.clone(), key, Flavor::Any) } else { (x.clone(), value, flavor) };
                let mapped = self.within(vec![item.clone()], &result, depth);
                if self.random.once_in(3) {
                    let condition = self.within(vec![item], &bool, depth);
                    return Expression::of(type_, &format!("§.map({x}, §, §)"), vec![range, condition, mapped]);
                }
                Expression::of(type_, &format!("§.map({x}, §)"), vec![range, mapped])
            }
        }
    }

    fn sorted(&mut self, items: &Type, key: &Type, depth: usize) -> Expression {
        let type_ = Type::list(items.clone());
        let list = self.expression(&type_, depth, Flavor::Any);
        let x = self.variable();
        let by = self.within(vec![(x.clone(), items.clone(), Flavor::Any)], key, depth);
        Expression::of(&type_, &format!("§.sortBy({x}, §)"), vec![list, by])
    }

    fn transformed_map(&mut self, type_: &Type, depth: usize, is_entry: bool) -> Expression {
        let (key_type, value_type) = (&type_.of[0], &type_.of[1]);
        let bool = Type::named("bool");
        let is_known = |it: &Type| match it.of.as_slice() {
            [key, _] => key == key_type,
            _ => key_type.name == "int",
        };
        let (range, key, value, flavor) = if is_entry {
            self.range(depth)
        } else {
            let (range, key, value, flavor) = self.range(depth);
            if is_known(&range.type_) {
                (range, key, value, flavor)
            } else {
                let of = self.any_type();
                let range = Type::map(key_type.clone(), of.clone());
                (self.expression(&range, depth, Flavor::Any), key_type.clone(), of, Flavor::Any)
            }
        };
        let [k, v] = [(); 2].map(|()| self.variable());
        let of = vec![(k.clone(), key, Flavor::Any), (v.clone(), value, flavor)];
        let mapped = self.within(of.clone(), value_type, depth);
        let mut parts = vec![range];
        let mut arguments = String::new();
        if self.random.once_in(3) {
            parts.push(self.within(of.clone(), &bool, depth));
            arguments.push_str("§, ");
        }
        if !is_entry {
            parts.push(mapped);
            return Expression::of(type_, &format!("§.transformMap({k}, {v}, {arguments}§)"), parts);
        }
        parts.push(self.within(of, key_type, depth));
        parts.push(mapped);
        Expression::of(type_, &format!("§.transformMapEntry({k}, {v}, {arguments}{{§: §}})"), parts)
    }

    fn optional_macro(&mut self, type_: &Type, depth: usize) -> Expression {
        let of = self.any_type();
        let optional = self.expression(&Type::optional(of.clone()), depth, Flavor::Any);
        let x = self.variable();
        let variable = vec![(x.clone(), of, Flavor::Any)];
        if self.random.once_in(2) {
            let mapped = self.within(variable, type_, depth);
            return Expression::of(type_, &format!("§.optFlatMap({x}, §)"), vec![optional, mapped]);
        }
        let mapped = self.within(variable, &type_.of[0], depth);
        Expression::of(type_, &format!("§.optMap({x}, §)"), vec![optional, mapped])
    }

    fn variable(&mut self) -> String {
        self.declared += 1;
        format!("x{}", self.declared)
    }

    fn within(&mut self, variables: Vec<(String, Type, Flavor)>, type_: &Type, depth: usize) -> Expression {
        let before = self.variables.len();
        self.variables.extend(variables);
        let expression = self.expression(type_, depth, Flavor::Any);
        self.variables.truncate(before);
        expression
    }

    /// An expression of a type that needs no variable.
    pub(crate) fn literal(&mut self, type_: &Type, flavor: Flavor) -> Expression {
        let leaf = |text: &str| Expression::leaf(type_, text);
        match &*type_.name {
            "bool" => leaf(self.random.pick(&["true", "false"])),
            "int" => leaf(self.random.pick(INTS)),
            "uint" => leaf(self.random.pick(&[
                "0u",
                "1u",
                "2u",
                "7u",
                "18446744073709551615u",
                "9223372036854775808u",
                "uint(3)",
            ])),
            "double" => leaf(self.random.pick(DOUBLES)),
            "string" => leaf(&quoted(&flavor.text(self.random))),
            "bytes" => leaf(self.random.pick(&[
                "b''",
                "b'a'",
                "b'abc'",
                "b'\\xff'",
                "b'\\303\\244'",
                "bytes('ä')",
                "b'\\x00'",
            ])),
            "null_type" => leaf("null"),
            "type" => leaf(self.random.pick(&[
                "int",
                "type(1)",
                "string",
                "type(self)",
                "type(dyn('a'))",
                "list",
                "type([1])",
                "null_type",
                "timestamp",
            ])),
            "timestamp" => self.read(type_, Flavor::Timestamp, "timestamp(§)", "timestamp(1700000000)"),
            "duration" => self.read(type_, Flavor::Duration, "duration(§)", "duration('1m')"),
            "kubernetes.Quantity" => self.read(type_, Flavor::Quantity, "quantity(§)", "quantity('1.5Gi')"),
            "net.IP" => self.read(type_, Flavor::Ip, "ip(§)", "ip('10.0.0.1')"),
            "net.CIDR" => self.read(type_, Flavor::Cidr, "cidr(§)", "cidr('10.1.2.3/8')"),
            "kubernetes.Semver" => self.read(type_, Flavor::Semver, "semver(§)", "semver('1.2.3')"),
            "kubernetes.URL" => self.read(type_, Flavor::Url, "url(§)", "url('https://a.b:1/c?d=e')"),
            "kubernetes.NamedFormat" => self.read(type_, Flavor::Format, "format.named(§).value()", "format.uuid()"),
            "list" => self.list_literal(&type_.of[0]),
            "map" => self.map_literal(&type_.of[0], &type_.of[1]),
            "optional_type" => self.optional_literal(&type_.of[0]),
            _ => {
                let scalar = Type::named(*self.random.choose(&[
                    "int",
                    "string",
                    "bool",
                    "double",
                    "uint",
                    "bytes",
                    "null_type",
                    "timestamp",
                ]));
                let value = self.leaf(&scalar, Flavor::Any);
                Expression::of(type_, "dyn(§)", vec![value])
            }
        }
    }

    /// A value that a function reads from a text: one that it can read, or any.
    fn read(&mut self, type_: &Type, flavor: Flavor, template: &str, sure: &str) -> Expression {
        if self.random.once_in(2) {
            return Expression::leaf(type_, sure);
        }
        let text = self.leaf(&Type::named("string"), flavor);
        // The compiler refuses literals that are wrong.
        let is_literal = text.to_string().starts_with('\'') && matches!(flavor, Flavor::Timestamp | Flavor::Duration);
        let template = if is_literal { template.replace('§', "[§][0]") } else { template.to_owned() };
        Expression::of(type_, &template, vec![text])
    }

    fn list_literal(&mut self, items: &Type) -> Expression {
        let type_ = Type::list(items.clone());
        let count = self.random.below(4);
        let mut templates = Vec::new();
        let mut parts = Vec::new();
        for _ in 0..count {
            if self.random.once_in(12) {
                parts.push(self.optional_literal(items));
                templates.push("?§");
            } else {
                parts.push(self.leaf(items, Flavor::Any));
                templates.push("§");
            }
        }
        Expression::of(&type_, &format!("[{}]", templates.join(", ")), parts)
    }

    fn map_literal(&mut self, key: &Type, value: &Type) -> Expression {
        let type_ = Type::map(key.clone(), value.clone());
        let count = self.random.below(3);
        let mut templates = Vec::new();
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.push(self.leaf(key, Flavor::Any));
            if self.random.once_in(12) {
                parts.push(self.optional_literal(value));
                templates.push("?§: §");
            } else {
                parts.push(self.leaf(value, Flavor::Any));
                templates.push("§: §");
            }
        }
        Expression::of(&type_, &format!("{{{}}}", templates.join(", ")), parts)
    }

    fn optional_literal(&mut self, of: &Type) -> Expression {
        let type_ = Type::optional(of.clone());
        let mut known = self.places();
        known.retain(|(_, it)| it.type_ == *of && !it.path.is_empty());
        if !known.is_empty() && self.random.below(3) > 0 {
            let (name, place) = self.random.choose(&known).clone();
            return optional_place(&name, &place);
        }
        if self.random.once_in(4) {
            return Expression::leaf(&type_, "optional.none()");
        }
        let value = self.leaf(of, Flavor::Any);
        Expression::of(&type_, self.random.pick(&["optional.of(§)", "optional.ofNonZeroValue(§)"]), vec![value])
    }
}

/// The last step of a path as an optional one.
fn optional_place(variable: &str, place: &Place) -> Expression {
    let type_ = Type::optional(place.type_.clone());
    let at = place.path.rfind(['.', '[']).unwrap_or(0);
    let (before, last) = place.path.split_at(at);
    let last = if last.starts_with('.') { last.replacen('.', ".?", 1) } else { last.replacen('[', "[?", 1) };
    Expression::leaf(&type_, format!("{variable}{before}{last}"))
}

const INTS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-5",
    "7",
    "10",
    "100",
    "9223372036854775807",
    "-9223372036854775808",
    "1700000000",
    "0x1F",
    "3600",
    "253402300800",
    "4611686018427387904",
    "size('abc')",
];

const DOUBLES: &[&str] = &[
    "0.0",
    "1.0",
    "1.5",
    "-2.5",
    "1e308",
    "-0.0",
    "double('NaN')",
    "double('inf')",
    "-double('inf')",
    "0.1",
    "9223372036854775807.0",
    "9223372036854774784.0",
    "18446744073709551615.0",
    "1e-320",
    "3.0",
    "1e21",
    "123456789.0",
    "0.000001",
    "double(1)",
];

/// A text as a literal.
pub(crate) fn quoted(text: &str) -> String {
    let mut literal = String::from("'");
    for letter in text.chars() {
        match letter {
            '\\' => literal.push_str("\\\\"),
            '\'' => literal.push_str("\\'"),
            '§' => literal.push_str("\\u00a7"),
            letter if letter < ' ' || letter == '\u{7f}' => literal.push_str(&format!("\\x{:02x}", u32::from(letter))),
            letter => literal.push(letter),
        }
    }
    literal.push('\'');
    literal
}
