//! The server's messages about names.

use super::{NameError, NamePartError, QualifiedNameError};

/// The server's messages about one kind of names.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    too_long: &'static str,
    malformed: &'static str,
    both: &'static str,
}

impl Wording {
    /// Returns the messages about an error.
    pub fn messages(self, error: NameError) -> impl Iterator<Item = &'static str> {
        let too_long = error.is_too_long.then_some(self.too_long);
        let malformed = error.is_malformed.then_some(self.malformed);
        too_long.into_iter().chain(malformed)
    }

    /// Returns the message about an error; two messages are joined with a comma.
    pub const fn text(self, error: NameError) -> &'static str {
        match (error.is_too_long, error.is_malformed) {
            (true, true) => self.both,
            (true, false) => self.too_long,
            (false, _) => self.malformed,
        }
    }
}

macro_rules! wording {
    ($(#[$doc:meta])* $name:ident: $limit:literal, $form:literal) => {
        $(#[$doc])*
        pub const $name: Wording = Wording {
            too_long: $limit,
            malformed: $form,
            both: concat!($limit, ",", $form),
        };
    };
}

wording! {
    /// Messages about a label of RFC 1035.
    LABEL_1035: "must be no more than 63 characters",
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end \
     with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
     '[a-z]([-a-z0-9]*[a-z0-9])?')"
}

wording! {
    /// Messages about a label of RFC 1123.
    LABEL_1123: "must be no more than 63 characters",
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an \
     alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
}

wording! {
    /// Messages about a label of RFC 1123 that is a subdomain.
    LABEL_1123_WITH_DOTS: "must be no more than 63 characters", "must not contain dots"
}

wording! {
    /// Messages about a kind.
    KIND: "may have mixed case, but should otherwise match: must be no more than 63 characters",
    "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or \
     '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex \
     used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
}

wording! {
    /// Messages about a subdomain of RFC 1123.
    SUBDOMAIN: "must be no more than 253 characters",
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end \
     with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
}

wording! {
    /// Messages about the value of a label.
    LABEL_VALUE: "must be no more than 63 bytes",
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end \
     with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
}

/// Returns the messages about a label of RFC 1123; none if it is valid.
pub fn label_1123_messages(text: &str) -> impl Iterator<Item = &'static str> {
    let error = super::label_1123(text).err();
    let is_subdomain = !super::subdomain(text).is_err_and(|error| error.is_malformed);
    let wording = if is_subdomain { LABEL_1123_WITH_DOTS } else { LABEL_1123 };
    error.into_iter().flat_map(move |error| wording.messages(error))
}

impl QualifiedNameError {
    /// Returns all messages of the server.
    pub fn messages(self) -> impl Iterator<Item = &'static str> {
        const MALFORMED: NamePartError = NamePartError::Other(NameError { is_too_long: false, is_malformed: true });
        let (prefix, name) = match self {
            Self::Slashes => (None, None),
            Self::Parts { prefix, name } => (prefix, name),
        };
        let slashes = matches!(self, Self::Slashes).then(|| self.wording());
        let of_prefix = |prefix| Self::Parts { prefix: Some(prefix), name: None }.wording();
        let of_name = |name| Self::Parts { prefix: None, name: Some(name) }.wording();
        let is_empty = name == Some(NamePartError::Empty);
        let names = name.into_iter().flat_map(NamePartError::each).chain(is_empty.then_some(MALFORMED));
        slashes
            .into_iter()
            .chain(prefix.into_iter().flat_map(NamePartError::each).map(of_prefix))
            .chain(names.map(of_name))
    }

    /// Returns the server's first message.
    pub const fn wording(self) -> &'static str {
        match self {
            Self::Slashes => {
                "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                 '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            }
            Self::Parts { prefix: Some(NamePartError::Empty), .. } => "prefix part must be non-empty",
            Self::Parts { prefix: Some(NamePartError::Other(error)), .. } if error.is_too_long => {
                "prefix part must be no more than 253 bytes"
            }
            Self::Parts { prefix: Some(NamePartError::Other(_)), .. } => {
                "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                 and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            }
            Self::Parts { name: Some(NamePartError::Empty), .. } => "name part must be non-empty",
            Self::Parts { name: Some(NamePartError::Other(error)), .. } if error.is_too_long => {
                "name part must be no more than 63 bytes"
            }
            Self::Parts { .. } => {
                "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                 '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
            }
        }
    }
}

impl NamePartError {
    /// Returns an error for each flag.
    fn each(self) -> impl Iterator<Item = Self> {
        let flags = match self {
            Self::Empty => [Some(self), None],
            Self::Other(error) => [
                error.is_too_long.then_some(Self::Other(NameError { is_malformed: false, ..error })),
                error.is_malformed.then_some(Self::Other(NameError { is_too_long: false, ..error })),
            ],
        };
        flags.into_iter().flatten()
    }
}
