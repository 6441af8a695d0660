//! Whom a change breaks.

use crate::crd::compare::{Change, ChangeKind, Check, change::FieldContext};

/// Whom a change affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Audience {
    /// Objects that are stored: they lose values, or no longer match the schema.
    StoredObjects,
    /// Programs that create and change objects: requests are rejected, or have another effect.
    Writers,
    /// Programs that read objects: values are missing, or have a form that did not exist before.
    Readers,
}

impl Audience {
    /// Returns the name, such as `stored objects`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StoredObjects => "stored objects",
            Self::Writers => "writers",
            Self::Readers => "readers",
        }
    }
}

/// How severe a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeSeverity {
    /// Objects and programs continue to work.
    Compatible,
    /// Objects continue to be accepted, but some programs depend on what changes.
    Risky,
    /// Objects are lost or rejected, or programs fail.
    Breaking,
}

impl ChangeSeverity {
    /// Returns the name, such as `breaking`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compatible => "compatible",
            Self::Risky => "risky",
            Self::Breaking => "breaking",
        }
    }
}

/// The severity of a change, whom it affects, and why.
pub(super) struct Judgement {
    pub(super) severity: ChangeSeverity,
    pub(super) affects: &'static [Audience],
    pub(super) reason: &'static str,
}

const fn breaking(affects: &'static [Audience], reason: &'static str) -> Judgement {
    Judgement { severity: ChangeSeverity::Breaking, affects, reason }
}

const fn risky(affects: &'static [Audience], reason: &'static str) -> Judgement {
    Judgement { severity: ChangeSeverity::Risky, affects, reason }
}

const fn compatible(reason: &'static str) -> Judgement {
    Judgement { severity: ChangeSeverity::Compatible, affects: &[], reason }
}

use Audience::{Readers, StoredObjects, Writers};

/// All that a change can affect.
pub(super) const ALL: &[Audience] = &[StoredObjects, Writers, Readers];

/// Returns the judgement of a change, by what it concerns and its direction.
pub(super) fn judge(change: &Change) -> Judgement {
    use ChangeKind::{Added, Changed, Loosened, Removed, Tightened};
    match (change.check, change.kind) {
        (Check::Description | Check::Title | Check::Example | Check::ExternalDocs, _) => {
            compatible("documentation does not change which objects are accepted")
        }
        (Check::Rules, kind) => rules(change, kind),
        (Check::Default, kind) => defaults(change.field, kind),
        (Check::Nullable, Tightened) => not_nullable(change.field),
        (Check::ListMapKeys, Changed) => compatible("the order of keys has no effect"),
        (Check::ListType | Check::ListMapKeys | Check::MapType, Changed | Loosened | Added | Removed) => {
            risky(&[Writers], "server-side apply assigns and merges the fields of managers differently")
        }
        (Check::Type | Check::IntOrString, Loosened) => {
            breaking(&[Readers], "decoders fail for values of a type that they do not expect")
        }
        (Check::Type | Check::IntOrString, Changed) => {
            breaking(ALL, "values of the old type are rejected, and decoders expect them")
        }
        (Check::ExistingFieldRemoval, _) => {
            breaking(ALL, "the API server drops the value from stored objects, from requests and from responses")
        }
        (Check::NewField, _) => compatible("no object has the field yet"),
        (Check::Required, Loosened) => risky(&[Readers], "the field can be absent from objects"),
        (Check::Required, _) => breaking(&[StoredObjects, Writers], "objects without the field are rejected"),
        (Check::Nullable, Loosened) => risky(&[Readers], "the value can be null"),
        (Check::Enum, Loosened) => risky(&[Readers], "there are values that programs do not recognize"),
        (Check::Pattern | Check::Format, Loosened) => risky(&[Readers], "there are values that programs may not parse"),
        (Check::AllOf | Check::AnyOf | Check::OneOf | Check::Not, Loosened) => {
            risky(&[Readers], "there are combinations of values that programs do not expect")
        }
        (Check::Format, Changed) => risky(&[Writers, Readers], "programs interpret the value by its format"),
        (Check::UniqueItems, Added) => breaking(&[StoredObjects, Writers], "lists with duplicates are rejected"),
        (check, kind) if check.keyword().is_some() => match kind {
            Tightened => breaking(&[StoredObjects, Writers], "values that were valid are rejected"),
            _ => compatible("all valid values remain valid"),
        },
        (check, kind) => definitions(check, kind),
    }
}

fn rules(change: &Change, kind: ChangeKind) -> Judgement {
    let is_transition = change.to.as_deref().is_some_and(|rule| rule.contains("oldSelf"));
    match kind {
        ChangeKind::Tightened if is_transition => breaking(&[Writers], "updates that were accepted are rejected"),
        ChangeKind::Tightened => breaking(&[StoredObjects, Writers], "objects that were valid are rejected"),
        ChangeKind::Loosened => risky(&[Readers], "there are values that the rule excluded"),
        _ => compatible("the rule accepts the same values"),
    }
}

/// Null of a field is dropped, or replaced by the default; null in a list is not.
const fn not_nullable(field: FieldContext) -> Judgement {
    if field.is_item {
        breaking(&[StoredObjects, Writers], "lists that contain null are rejected")
    } else if field.has_default {
        breaking(&[StoredObjects, Writers], "null is replaced by the default")
    } else if field.is_required {
        breaking(&[StoredObjects, Writers], "objects with null as the value are rejected")
    } else {
        risky(&[StoredObjects, Writers], "null is dropped, as if the field were absent")
    }
}

const fn defaults(field: FieldContext, kind: ChangeKind) -> Judgement {
    match kind {
        ChangeKind::Added if field.was_required => compatible("all objects have the field already"),
        ChangeKind::Removed if field.is_required => breaking(&[Writers], "requests without the field are rejected"),
        ChangeKind::Added => risky(&[StoredObjects, Readers], "objects without the field now have the default"),
        ChangeKind::Removed => breaking(&[Writers, Readers], "the field is absent from objects that do not set it"),
        _ => breaking(&[Writers], "requests without the field have another effect"),
    }
}

fn definitions(check: Check, kind: ChangeKind) -> Judgement {
    use ChangeKind::{Added, Changed, Loosened, Removed, Tightened};
    match (check, kind) {
        (Check::Definition, Removed) => breaking(ALL, "all objects are deleted with the definition"),
        (Check::Scope | Check::Kind, _) => breaking(ALL, "the definition, and so all objects, must be created again"),
        (Check::Names, Removed) => risky(&[Readers], "commands and scripts use the name"),
        (Check::Names, Changed) => risky(&[Readers], "decoders of lists and commands use the name"),
        (Check::Conversion, Removed) => breaking(ALL, "fields that differ between the versions are lost"),
        (Check::Conversion, Added) => risky(&[Writers, Readers], "requests fail while the webhook is unavailable"),
        (Check::StoredVersionRemoval, _) => breaking(
            &[StoredObjects],
            "the API server rejects the definition as long as objects may be stored in the version",
        ),
        (Check::ServedVersionRemoval, Removed) => {
            breaking(&[Writers, Readers], "requests for the version fail with 404")
        }
        (Check::StorageVersion, _) => {
            risky(&[StoredObjects], "existing objects remain in the old version until they are written again")
        }
        (Check::ServedVersions, _) => breaking(
            &[StoredObjects, Readers],
            "objects that one version accepts do not match the other, and nothing converts them",
        ),
        (Check::Deprecation, Removed) => compatible("requests no longer return a warning"),
        (Check::Deprecation, _) => compatible("requests return a warning"),
        (Check::Status, Added) => breaking(&[Writers], "writes of the object no longer change its status"),
        (Check::Status, Removed) => breaking(&[Writers], "requests for the status fail with 404"),
        (Check::Scale, Removed) => {
            breaking(&[Writers, Readers], "requests for the scale, such as those of autoscalers, fail with 404")
        }
        (Check::Scale, Changed) => risky(&[Writers, Readers], "autoscalers read and write other fields"),
        (Check::Columns, Removed | Changed) => risky(&[Readers], "scripts may parse the output of `kubectl get`"),
        (Check::SelectableFields, Removed) => {
            breaking(&[Readers], "lists and watches with such a field selector fail with 400")
        }
        (_, Added | Loosened) => compatible("nothing that existed changes"),
        (_, Tightened | Changed | Removed) => risky(ALL, "objects are processed differently"),
    }
}
