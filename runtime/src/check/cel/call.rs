//! Calls: the overloads that fit the arguments, in the notation of the table of functions.

use crdkit_core::{
    cel::{MAX_ARGS, Scalar, TypeStep, TypeStepKind},
    text::equal,
};

use super::{
    report::Report,
    types::{CelType, Holder, common, fits},
};
use crate::check::Message;

/// The number of type parameters of a function with the most of them.
const MAX_PARAMETERS: usize = 2;

/// A call of a function.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) function: &'c str,
    pub(super) args: [CelType; MAX_ARGS],
    pub(super) arity: usize,
}

impl Call<'_> {
    /// Returns the type of the result, if one of the overloads fits.
    pub(super) const fn result(&self, overloads: &[TypeStep<'_>], report: Report<'_>) -> Result<CelType, Message> {
        let mut found: Option<CelType> = None;
        let mut at = 0;
        while at < overloads.len() {
            if let TypeStepKind::Overload(signature) = overloads[at].kind
                && let Some(result) = self.applied(signature)
            {
                found = Some(match found {
                    None => result,
                    Some(before) if fits(&before, &result) => common(&before, &result),
                    Some(_) => CelType::UNKNOWN,
                });
            }
            at += 1;
        }
        match found {
            Some(result) => Ok(result),
            None => Err(report.no_overload(self, overloads)),
        }
    }

    /// Returns the result of an overload such as `m(list(A),int) A`, if it fits.
    const fn applied(&self, signature: &str) -> Option<CelType> {
        let mut parameters = Parameters { names: [0; MAX_PARAMETERS], types: [CelType::UNKNOWN; MAX_PARAMETERS] };
        // The notation starts with `f(` or `m(`.
        let mut notation = Notation { text: signature, at: 2 };
        let mut arg = 0;
        while arg < self.arity {
            if !notation.matches(&self.args[arg], &mut parameters) {
                return None;
            }
            notation.at += 1;
            arg += 1;
        }
        if self.arity == 0 {
            notation.at += 1;
        }
        notation.at += 1;
        Some(notation.type_(&parameters))
    }
}

/// The types of type parameters.
struct Parameters {
    names: [u8; MAX_PARAMETERS],
    types: [CelType; MAX_PARAMETERS],
}

impl Parameters {
    /// Whether a type fits the parameter. If so, the parameter has the type.
    const fn take(&mut self, name: u8, type_: &CelType) -> bool {
        let mut at = 0;
        while at < MAX_PARAMETERS {
            if self.names[at] == name {
                if !fits(&self.types[at], type_) {
                    return false;
                }
                self.types[at] = common(&self.types[at], type_);
                return true;
            }
            if self.names[at] == 0 {
                self.names[at] = name;
                self.types[at] = *type_;
                return true;
            }
            at += 1;
        }
        true
    }

    const fn get(&self, name: u8) -> CelType {
        let mut at = 0;
        while at < MAX_PARAMETERS {
            if self.names[at] == name {
                return self.types[at];
            }
            at += 1;
        }
        CelType::UNKNOWN
    }
}

/// The rest of a signature.
struct Notation<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> Notation<'s> {
    /// Reads a name, and returns it.
    const fn word(&mut self) -> &'s str {
        let bytes = self.text.as_bytes();
        let start = self.at;
        while self.at < bytes.len() && !matches!(bytes[self.at], b'(' | b')' | b',' | b' ') {
            self.at += 1;
        }
        self.text.split_at(start).1.split_at(self.at - start).0
    }

    const fn opens(&self) -> bool {
        self.at < self.text.len() && self.text.as_bytes()[self.at] == b'('
    }

    /// Reads the type of an argument, and whether the given one fits. If not, the rest cannot be read.
    const fn matches(&mut self, arg: &CelType, parameters: &mut Parameters) -> bool {
        let word = self.word();
        if self.opens() {
            return self.matches_holder(word, arg, parameters);
        }
        if let [letter] = word.as_bytes() {
            return parameters.take(*letter, arg);
        }
        if let Some(scalar) = Scalar::named(word) {
            return fits(arg, &CelType::scalar(scalar));
        }
        // Types of libraries are unknown here, and null is assignable to them.
        equal(word, "dyn") || arg.is_unknown() || arg.is_null()
    }

    const fn matches_holder(&mut self, word: &str, arg: &CelType, parameters: &mut Parameters) -> bool {
        let is_any = arg.is_unknown() || (arg.is_null() && equal(word, "optional_type"));
        let mut key = CelType::UNKNOWN;
        let held = match arg.opened() {
            Some((Holder::List, item)) if equal(word, "list") => item,
            Some((Holder::Optional, value)) if equal(word, "optional_type") => value,
            Some((Holder::Map(of), value)) if equal(word, "map") => {
                if let Some(of) = of {
                    key = CelType::scalar(of);
                }
                value
            }
            _ if is_any => CelType::UNKNOWN,
            _ => return false,
        };
        self.at += 1;
        if equal(word, "map") {
            if !self.matches(&key, parameters) {
                return false;
            }
            self.at += 1;
        }
        let fits = self.matches(&held, parameters);
        self.at += 1;
        fits
    }

    /// Reads a type.
    const fn type_(&mut self, parameters: &Parameters) -> CelType {
        let word = self.word();
        if !self.opens() {
            return match (word.as_bytes(), Scalar::named(word)) {
                ([letter], _) => parameters.get(*letter),
                (_, Some(scalar)) => CelType::scalar(scalar),
                _ => CelType::UNKNOWN,
            };
        }
        self.at += 1;
        let mut key = None;
        if equal(word, "map") {
            key = self.type_(parameters).as_scalar();
            self.at += 1;
        }
        let held = self.type_(parameters);
        self.at += 1;
        if equal(word, "list") {
            held.held_by(Holder::List)
        } else if equal(word, "map") {
            held.held_by(Holder::Map(key))
        } else if equal(word, "optional_type") {
            held.held_by(Holder::Optional)
        } else {
            CelType::UNKNOWN
        }
    }
}
