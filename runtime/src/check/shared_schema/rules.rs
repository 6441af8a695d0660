//! The rules of a value.

use crdkit_core::shared_schema::{Difference, IMMUTABLE, Origin, RuleFact, rule_difference};

use crate::schema::{Field, Keyword, Rule, Schema, Shape, Variant, walk::Value};

/// Returns a rule that provably only one of two values has.
pub(super) const fn difference(a: &Value, b: &Value) -> Option<Difference<'static>> {
    let (a, b) = (Rules::of(a), Rules::of(b));
    if a.are_known && b.are_known { rule_difference(a.known(), b.known()) } else { None }
}

/// The combined rules of a value's type and field.
struct Rules {
    all: [RuleFact<'static>; Self::CAPACITY],
    count: usize,
    /// Whether the list is complete.
    are_known: bool,
}

impl Rules {
    /// Const evaluation has no allocator: rendering compares values with more rules.
    const CAPACITY: usize = 16;

    const fn of(value: &Value) -> Self {
        let mut rules =
            Self { all: [RuleFact::new(Origin::Dynamic, ""); Self::CAPACITY], count: 0, are_known: value.is_known };
        rules.add_type(value.schema);
        let mut at = 0;
        while let Some(keyword) = value.added_keyword(at) {
            rules.add_keyword(keyword);
            at += 1;
        }
        rules.add_immutable(value.immutable);
        rules
    }

    const fn known(&self) -> &[RuleFact<'static>] {
        self.all.split_at(self.count).0
    }

    const fn add(&mut self, rule: RuleFact<'static>) {
        let mut at = 0;
        while at < self.count {
            if rule.is(&self.all[at]) {
                return;
            }
            at += 1;
        }
        if self.count == Self::CAPACITY {
            self.are_known = false;
            return;
        }
        self.all[self.count] = rule;
        self.count += 1;
    }

    const fn add_type(&mut self, schema: &'static Schema) {
        match schema.shape {
            Shape::Newtype(inner) => self.add_type(inner),
            Shape::Object(fields) => self.add_fields(fields),
            Shape::OneOf(_, variants) => self.add_variants(variants),
            Shape::Foreign(_) => self.are_known = false,
            _ => {}
        }
        let mut at = 0;
        while at < schema.keywords.len() {
            self.add_keyword(&schema.keywords[at]);
            at += 1;
        }
        self.add_immutable(schema.immutable);
    }

    const fn add_keyword(&mut self, keyword: &'static Keyword) {
        match keyword {
            Keyword::Rule(rule) => self.add(fact(rule)),
            Keyword::EvaluatedRule(_) => self.add(RuleFact::new(Origin::Dynamic, "")),
            Keyword::OneOf(names) => self.add(of_fields("one_of", "", names)),
            Keyword::AtMostOneOf(names) => self.add(of_fields("at_most_one_of", "", names)),
            Keyword::AtLeastOneOf(names) => self.add(of_fields("at_least_one_of", "", names)),
            Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_) => {
                self.are_known = false;
            }
            _ => {}
        }
    }

    const fn add_immutable(&mut self, immutable: bool) {
        if immutable {
            self.add(RuleFact::new(Origin::Immutable, IMMUTABLE));
        }
    }

    /// Adds the rules that the fields of an object generate.
    const fn add_fields(&mut self, fields: &'static [Field]) {
        let mut at = 0;
        while at < fields.len() {
            let field = &fields[at];
            if !field.flatten {
                self.add_field(field);
            } else if field.schema.optional {
                // The rules are conditional on the presence of the type, which makes them different rules.
                self.are_known = self.are_known && has_none(field.schema);
            } else {
                self.add_type(field.schema);
            }
            at += 1;
        }
    }

    const fn add_field(&mut self, field: &'static Field) {
        let is_always_set = field.is_required() && matches!(Value::field(field).may_be_null(), Some(false));
        if field.immutable && !is_always_set {
            self.are_known = false; // the rule that it stays set depends on its default
        }
        let mut at = 0;
        while at < field.keywords.len() {
            if let Keyword::Requires(names) = field.keywords[at] {
                let mut rest = names;
                while let [_, others @ ..] = rest {
                    let one = rest.split_at(1).0;
                    self.add(of_fields("requires", field.name, one));
                    rest = others;
                }
            }
            at += 1;
        }
    }

    /// Adds the rules of variants, which are rewritten in the enum and therefore unknown.
    const fn add_variants(&mut self, variants: &'static [Variant]) {
        let mut at = 0;
        while at < variants.len() {
            if let Some(content) = variants[at].content {
                self.are_known = self.are_known && has_none(content);
            }
            at += 1;
        }
    }
}

/// Whether a type provably has no rules.
const fn has_none(schema: &'static Schema) -> bool {
    let rules = Rules::of(&Value::of(schema));
    rules.are_known && rules.count == 0
}

const fn of_fields(text: &'static str, field: &'static str, names: &'static [&'static str]) -> RuleFact<'static> {
    let mut rule = RuleFact::new(Origin::Fields, text);
    rule.field = field;
    rule.names = names;
    rule
}

const fn fact(rule: &'static Rule) -> RuleFact<'static> {
    let mut fact = RuleFact::new(Origin::Rule, rule.rule);
    fact.optional_old_self = rule.optional_old_self;
    let reason = match rule.reason {
        Some(reason) => Some(reason.as_str()),
        None => None,
    };
    fact.failure = [rule.message, rule.message_expression, reason, rule.field_path];
    fact
}
