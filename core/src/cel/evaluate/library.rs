//! Values of the API server's libraries.

use core::fmt;

pub(super) mod address;
pub(super) mod authorizer;
mod decimal;
pub(super) mod named_format;
pub(super) mod quantity;
pub(super) mod semver;
pub(super) mod web_address;

use address::{Cidr, Ip};
use authorizer::AuthorizationStep;
use named_format::NamedFormat;
use quantity::Quantity;
use semver::Semver;
use web_address::WebAddress;

/// A value of a library.
#[derive(Clone, Debug)]
pub(in crate::cel) enum LibraryValue {
    Quantity(Quantity),
    Ip(Ip),
    Cidr(Cidr),
    Url(WebAddress),
    Semver(Semver),
    Format(&'static NamedFormat),
    Authorization(AuthorizationStep),
}

impl LibraryValue {
    pub(super) const fn type_name(&self) -> &'static str {
        match self {
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Authorization(step) => step.type_name(),
        }
    }

    /// Returns the name of the Go type.
    pub(super) const fn go_type(&self) -> &'static str {
        match self {
            Self::Quantity(_) => "cel.Quantity",
            Self::Ip(_) => "cel.IP",
            Self::Cidr(_) => "cel.CIDR",
            Self::Url(_) => "cel.URL",
            Self::Semver(_) => "cel.Semver",
            Self::Format(_) => "*cel.Format",
            Self::Authorization(_) => "library.authorizerVal",
        }
    }

    /// Returns the number of bytes of an address.
    pub(super) fn size(&self) -> Option<usize> {
        match self {
            Self::Ip(ip) => Some(ip.size()),
            Self::Cidr(cidr) => Some(cidr.size()),
            _ => None,
        }
    }

    /// Whether values are equal; `None` if the server cannot compare them.
    pub(super) fn equal(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            // The server cannot compare a quantity with one that it has calculated.
            (Self::Quantity(_), Self::Quantity(other)) if other.is_calculated => None,
            (Self::Quantity(one), Self::Quantity(other)) => Some(one.order(other).is_eq()),
            (Self::Ip(one), Self::Ip(other)) => Some(one == other),
            (Self::Cidr(one), Self::Cidr(other)) => Some(one == other),
            (Self::Url(one), Self::Url(other)) => Some(one.text() == other.text()),
            (Self::Semver(one), Self::Semver(other)) => Some(one.order(other).is_eq()),
            (Self::Format(one), Self::Format(other)) => Some(one.name == other.name),
            _ => None,
        }
    }

    /// Returns the length of the regular expression of a named format.
    pub(super) const fn regex_size(&self) -> u64 {
        match self {
            Self::Format(format) => format.regex_size,
            _ => 0,
        }
    }
}

impl fmt::Display for LibraryValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(ip) => write!(f, "{ip}"),
            Self::Cidr(cidr) => write!(f, "{cidr}"),
            Self::Url(url) => f.write_str(&url.text()),
            value => f.write_str(value.type_name()),
        }
    }
}
