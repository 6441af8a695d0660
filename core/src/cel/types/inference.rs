//! Type inference: substitution of type variables, and assignability.

use alloc::vec::Vec;

use super::Type;

/// The known substitutions of type variables.
#[derive(Clone, Debug, Default)]
pub(in crate::cel) struct Substitution {
    types: Vec<Option<Type>>,
}

impl Substitution {
    /// Returns a new type variable.
    pub(in crate::cel) fn new_var(&mut self) -> Type {
        self.types.push(None);
        Type::Var(self.types.len() - 1)
    }

    fn get(&self, type_: &Type) -> Option<&Type> {
        match type_ {
            Type::Var(id) => self.types[*id].as_ref(),
            _ => None,
        }
    }

    /// Whether all types are assignable to the expected ones. If so, the resulting substitutions are kept.
    pub(in crate::cel) fn fit_all<'t>(
        &mut self,
        types: impl Iterator<Item = &'t Type>,
        expected: impl Iterator<Item = &'t Type>,
    ) -> bool {
        let mut found = self.clone();
        let fits = types.zip(expected).all(|(type_, expected)| found.assign(type_, expected));
        if fits {
            *self = found;
        }
        fits
    }

    /// Whether a type is assignable to the expected one.
    pub(in crate::cel) fn fit(&mut self, type_: &Type, expected: &Type) -> bool {
        self.fit_all([type_].into_iter(), [expected].into_iter())
    }

    fn assign(&mut self, type_: &Type, expected: &Type) -> bool {
        if let Type::Var(_) = expected {
            match self.unify(type_, expected) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => {}
            }
        }
        if let Type::Var(_) = type_ {
            return self.unify(expected, type_).0;
        }
        match (type_, expected) {
            (Type::Unknown, other) | (other, Type::Unknown) => {
                self.forget(other);
                true
            }
            (one, other) if one.is_dyn_or_error() || other.is_dyn_or_error() => true,
            (Type::Null, other) | (other, Type::Null) => other.is_nullable(),
            (Type::Meta(_), Type::Meta(_)) => true,
            (Type::List(_) | Type::Map(..) | Type::Optional(_), other) => {
                let (ours, theirs) = (type_.params(), other.params());
                type_.is_of_kind(other) && ours.iter().zip(theirs).all(|(one, other)| self.assign(one, other))
            }
            (one, other) => one == other,
        }
    }

    /// Whether the variable can be substituted with the type, and whether it already was.
    fn unify(&mut self, type_: &Type, var: &Type) -> (bool, bool) {
        if type_ == var {
            return (true, true);
        }
        let Some(known) = self.get(var).cloned() else {
            let is_apart = self.is_apart(var, type_);
            if is_apart {
                self.set(var, type_.clone());
            }
            return (is_apart, false);
        };
        if known == *type_ {
            return (true, true);
        }
        if !self.assign(type_, &known) {
            return (false, true);
        }
        let general = most_general(type_, &known).clone();
        if self.is_apart(var, &general) {
            self.set(var, general);
        }
        (true, true)
    }

    /// Leaves the variables of a type open that fits a value of an unknown type.
    fn forget(&mut self, type_: &Type) {
        match (self.get(type_).cloned(), type_) {
            (Some(known), _) => self.forget(&known),
            (None, Type::Var(_)) => self.set(type_, Type::Unknown),
            (None, type_) => type_.params().into_iter().for_each(|param| self.forget(param)),
        }
    }

    fn set(&mut self, var: &Type, type_: Type) {
        if let Type::Var(id) = var {
            self.types[*id] = Some(type_);
        }
    }

    /// Whether the variable does not occur in the type.
    fn is_apart(&self, var: &Type, type_: &Type) -> bool {
        if var == type_ {
            return false;
        }
        match self.get(type_) {
            Some(known) => self.is_apart(var, known),
            None => type_.params().iter().all(|param| self.is_apart(var, param)),
        }
    }

    /// Returns the type with all known substitutions.
    pub(in crate::cel) fn substitute(&self, type_: &Type) -> Type {
        match self.get(type_) {
            Some(known) => self.substitute(known),
            None => type_.with(&mut |param| self.substitute(param)),
        }
    }

    /// Returns the type with all known substitutions, and `dyn` for the remaining variables.
    pub(in crate::cel) fn finished(&self, type_: &Type) -> Type {
        match (self.get(type_), type_) {
            (Some(known), _) => self.finished(known),
            (None, Type::Var(_)) => Type::Dyn,
            (None, type_) => type_.with(&mut |param| self.finished(param)),
        }
    }
}

/// Returns the more general of two compatible types.
pub(in crate::cel) fn most_general<'t>(one: &'t Type, other: &'t Type) -> &'t Type {
    if is_less_specific(one, other) { one } else { other }
}

fn is_less_specific(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Unknown, _) => true,
        (_, Type::Unknown) => false,
        (Type::Dyn | Type::Any | Type::Var(_), _) => true,
        (_, Type::Dyn | Type::Any | Type::Var(_)) => false,
        (Type::Meta(_), Type::Meta(_)) => true,
        (Type::List(_) | Type::Map(..) | Type::Optional(_), _) => {
            let (ours, theirs) = (one.params(), other.params());
            one.is_of_kind(other) && ours.iter().zip(theirs).all(|(one, other)| is_less_specific(one, other))
        }
        _ => one == other,
    }
}

/// Whether two types are equal, where `dyn` equals any type.
pub(in crate::cel) fn is_equivalent(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Var(_), Type::Var(_)) | (Type::Unknown, _) | (_, Type::Unknown) => true,
        (Type::List(_) | Type::Map(..) | Type::Optional(_) | Type::Meta(_), _) => {
            let (ours, theirs) = (one.params(), other.params());
            one.is_of_kind(other) && ours.iter().zip(theirs).all(|(one, other)| is_equivalent(one, other))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_types_fit() {
        let mut found = Substitution::default();
        let var = found.new_var();
        assert!(found.fit(&Type::Unknown, &Type::list(var.clone())));
        assert!(found.fit(&Type::Int, &var) && found.fit(&Type::String, &var));
        assert_eq!(found.finished(&var), Type::Unknown);
        assert!(is_equivalent(&Type::list(Type::Unknown), &Type::list(Type::Int)));
        assert!(!is_equivalent(&Type::list(Type::Unknown), &Type::Int));
    }

    #[test]
    fn fitting() {
        let mut found = Substitution::default();
        let var = found.new_var();
        assert!(found.fit(&Type::list(Type::Int), &Type::list(var.clone())));
        assert!(!found.fit(&Type::String, &var));
        assert!(found.fit(&Type::Dyn, &var));
        assert_eq!(found.substitute(&var), Type::Dyn);
        let other = found.new_var();
        assert!(!found.fit(&other, &Type::list(other.clone())));
        assert_eq!(found.finished(&Type::list(other)), Type::list(Type::Dyn));
        assert!(found.fit(&Type::Null, &Type::Timestamp));
        assert!(!found.fit(&Type::Null, &Type::String));
    }
}
