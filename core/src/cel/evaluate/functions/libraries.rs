//! The API server's libraries of quantities, addresses, networks, URLs, versions, named formats and authorization.

use alloc::{string::ToString, sync::Arc};

use super::{Function, no_overload};
use crate::cel::evaluate::{
    Run,
    error::{Evaluated, Stop},
    key::Key,
    library::{
        LibraryValue,
        address::{Cidr, Ip},
        authorizer::AuthorizationStep,
        named_format::NamedFormat,
        quantity::Quantity,
        semver::Semver,
        web_address::WebAddress,
    },
    program::Call,
    value::{Map, Value},
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "quantity" => |_, args, call| of_text(args, call, |text| Quantity::parse(text).map(LibraryValue::Quantity)),
        "ip" => |_, args, call| match args {
            [Value::Library(value)] => match &**value {
                LibraryValue::Cidr(cidr) => Ok(Value::library(LibraryValue::Ip(Ip(cidr.address)))),
                _ => no_overload(call, args),
            },
            // The server has no method of texts.
            args if call.overload == "cidr_ip" => no_overload(call, args),
            args => of_text(args, call, |text| Ip::parse(text).map(LibraryValue::Ip)),
        },
        "cidr" => |_, args, call| of_text(args, call, |text| Cidr::parse(text).map(LibraryValue::Cidr)),
        "url" => |_, args, call| of_text(args, call, |text| WebAddress::parse(text).map(LibraryValue::Url)),
        "semver" => |_, args, call| {
            semver(args, call, |parsed| {
                parsed.map(|version| Value::library(LibraryValue::Semver(version))).map_err(Stop::from)
            })
        },
        "isQuantity" => |_, args, call| test(args, call, |text| Quantity::parse(text).is_ok()),
        "isIP" => |_, args, call| test(args, call, |text| Ip::parse(text).is_ok()),
        "isCIDR" => |_, args, call| test(args, call, |text| Cidr::parse(text).is_ok()),
        "isURL" => |_, args, call| test(args, call, |text| crate::literal::url::parse_request(text).is_ok()),
        "isSemver" => |_, args, call| semver(args, call, |parsed| Ok(Value::Bool(parsed.is_ok()))),
        "ip.isCanonical" => |_, args, call| match args {
            [Value::Text(text)] => {
                let ip = Ip::parse(text)?;
                Ok(Value::Bool(ip.to_string() == **text))
            }
            args => no_overload(call, args),
        },
        "format.named" => |_, args, call| match args {
            [Value::Text(name)] => {
                let format = NamedFormat::of(name).map(LibraryValue::Format);
                Ok(format.map_or(Value::Optional(None), |format| Value::some(Value::library(format))))
            }
            args => no_overload(call, args),
        },
        name if name.starts_with("format.") => |_, args, call| {
            let format = call.name.strip_prefix("format.").and_then(NamedFormat::of);
            format.map_or_else(|| no_overload(call, args), |format| Ok(Value::library(LibraryValue::Format(format))))
        },
        "check" => check,
        "serviceAccount" => service_account,
        name if is_method(name) => method,
        _ => return None,
    })
}

/// Whether a function is only called on values of libraries.
fn is_method(name: &str) -> bool {
    const METHODS: &[&str] = &[
        "add",
        "allowed",
        "asApproximateFloat",
        "asInteger",
        "compareTo",
        "containsCIDR",
        "containsIP",
        "error",
        "errored",
        "family",
        "fieldSelector",
        "getEscapedPath",
        "getHost",
        "getHostname",
        "getPort",
        "getQuery",
        "getScheme",
        "group",
        "isGlobalUnicast",
        "isGreaterThan",
        "isInteger",
        "isLessThan",
        "isLinkLocalMulticast",
        "isLinkLocalUnicast",
        "isLoopback",
        "isUnspecified",
        "labelSelector",
        "major",
        "masked",
        "minor",
        "name",
        "namespace",
        "patch",
        "path",
        "prefixLength",
        "reason",
        "resource",
        "sign",
        "sub",
        "subresource",
        "validate",
    ];
    METHODS.contains(&name)
}

fn of_text<'v, E>(args: &[Value<'v>], call: &Call, parse: impl FnOnce(&str) -> Result<LibraryValue, E>) -> Evaluated<'v>
where
    Stop: From<E>,
{
    match args {
        [Value::Text(text)] => Ok(Value::library(parse(text)?)),
        args => no_overload(call, args),
    }
}

fn test<'v>(args: &[Value<'v>], call: &Call, is: fn(&str) -> bool) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::Bool(is(text))),
        args => no_overload(call, args),
    }
}

fn semver<'v>(
    args: &[Value<'v>],
    call: &Call,
    use_it: fn(Result<Semver, alloc::string::String>) -> Evaluated<'v>,
) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] | [Value::Text(text), Value::Bool(false)] => use_it(Semver::parse(text)),
        [Value::Text(text), Value::Bool(true)] => use_it(Semver::parse_tolerant(text)),
        args => no_overload(call, args),
    }
}

fn method<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let Some((Value::Library(target), others)) = args.split_first() else {
        return no_overload(call, args);
    };
    let found = match &**target {
        LibraryValue::Quantity(quantity) => of_quantity(&call.name, quantity, others),
        LibraryValue::Ip(ip) => of_ip(&call.name, ip),
        LibraryValue::Cidr(cidr) => of_cidr(&call.name, cidr, others),
        LibraryValue::Url(url) => of_url(&call.name, url),
        LibraryValue::Semver(version) => of_semver(&call.name, version, others),
        LibraryValue::Format(format) => of_format(&call.name, format, others),
        LibraryValue::Authorization(step) => of_authorization(&call.name, step, others),
    };
    found.unwrap_or_else(|| no_overload(call, args))
}

/// The result of a method; `None` if there is no overload.
type Found<'v> = Option<Evaluated<'v>>;

fn of_quantity<'v>(name: &str, quantity: &Quantity, others: &[Value<'v>]) -> Found<'v> {
    let other = match others {
        [Value::Library(other)] => match &**other {
            LibraryValue::Quantity(other) => Some(other.clone()),
            _ => return None,
        },
        [Value::Int(int)] if matches!(name, "add" | "sub") => Some(Quantity::of_int(*int)),
        [] => None,
        _ => return None,
    };
    let calculated = |quantity| Value::library(LibraryValue::Quantity(quantity));
    Some(Ok(match (name, other) {
        ("sign", None) => Value::Int(quantity.sign()),
        ("isInteger", None) => Value::Bool(quantity.as_int().is_some()),
        ("asInteger", None) => match quantity.as_int() {
            Some(int) => Value::Int(int),
            None => return Some(Err("cannot convert value to integer".into())),
        },
        ("asApproximateFloat", None) => Value::Double(quantity.as_float()),
        ("add", Some(other)) => calculated(quantity.plus(&other)),
        ("sub", Some(other)) => calculated(quantity.minus(&other)),
        ("compareTo", Some(other)) => Value::Int(quantity.order(&other) as i64),
        ("isGreaterThan", Some(other)) => Value::Bool(quantity.order(&other).is_gt()),
        ("isLessThan", Some(other)) => Value::Bool(quantity.order(&other).is_lt()),
        _ => return None,
    }))
}

fn of_ip<'v>(name: &str, ip: &Ip) -> Found<'v> {
    Some(Ok(match name {
        "family" => Value::Int(if ip.0.is_ipv4() { 4 } else { 6 }),
        "isUnspecified" => Value::Bool(ip.0.is_unspecified()),
        "isLoopback" => Value::Bool(ip.0.is_loopback()),
        "isLinkLocalMulticast" => Value::Bool(ip.is_link_local_multicast()),
        "isLinkLocalUnicast" => Value::Bool(ip.is_link_local_unicast()),
        "isGlobalUnicast" => Value::Bool(ip.is_global_unicast()),
        _ => return None,
    }))
}

fn of_cidr<'v>(name: &str, cidr: &Cidr, others: &[Value<'v>]) -> Found<'v> {
    let is_inside = match (name, others) {
        ("masked", []) => return Some(Ok(Value::library(LibraryValue::Cidr(cidr.masked())))),
        ("prefixLength", []) => return Some(Ok(Value::Int(i64::from(cidr.bits)))),
        // The server loses the error of the text.
        ("containsIP", [Value::Text(text)]) => {
            Ip::parse(text).map(|ip| cidr.contains(&ip)).map_err(|_| Stop::NO_OVERLOAD)
        }
        ("containsCIDR", [Value::Text(text)]) => {
            Cidr::parse(text).map(|other| cidr.contains_network(&other)).map_err(Stop::from)
        }
        ("containsIP", [Value::Library(other)]) => match &**other {
            LibraryValue::Ip(ip) => Ok(cidr.contains(ip)),
            _ => return None,
        },
        ("containsCIDR", [Value::Library(other)]) => match &**other {
            LibraryValue::Cidr(other) => Ok(cidr.contains_network(other)),
            _ => return None,
        },
        _ => return None,
    };
    Some(is_inside.map(Value::Bool))
}

fn of_url<'v>(name: &str, url: &WebAddress) -> Found<'v> {
    Some(Ok(match name {
        "getScheme" => Value::text(url.scheme.clone()),
        "getHost" => Value::text(url.host.clone()),
        "getHostname" => Value::text(url.hostname().to_string()),
        "getPort" => Value::text(url.port().to_string()),
        "getEscapedPath" => Value::text(url.escaped_path()),
        "getQuery" => {
            let mut entries = Map::new();
            for (name, values) in url.query() {
                let values = Value::list(values.into_iter().map(Value::text).collect());
                entries.insert(Key::Text(name.into()), values);
            }
            Value::Map(Arc::new(entries))
        }
        _ => return None,
    }))
}

fn of_semver<'v>(name: &str, version: &Semver, others: &[Value<'v>]) -> Found<'v> {
    let number = |at: usize| Value::Int(version.numbers[at].cast_signed());
    let order = match others {
        [Value::Library(other)] => match &**other {
            LibraryValue::Semver(other) => version.order(other),
            _ => return None,
        },
        [] => core::cmp::Ordering::Equal,
        _ => return None,
    };
    Some(Ok(match (name, others) {
        ("major", []) => number(0),
        ("minor", []) => number(1),
        ("patch", []) => number(2),
        ("compareTo", [_]) => Value::Int(order as i64),
        ("isGreaterThan", [_]) => Value::Bool(order.is_gt()),
        ("isLessThan", [_]) => Value::Bool(order.is_lt()),
        _ => return None,
    }))
}

fn of_format<'v>(name: &str, format: &NamedFormat, others: &[Value<'v>]) -> Found<'v> {
    let ("validate", [Value::Text(text)]) = (name, others) else { return None };
    let messages = format.messages(text);
    if messages.is_empty() {
        return Some(Ok(Value::Optional(None)));
    }
    Some(Ok(Value::some(Value::list(messages.into_iter().map(Value::text).collect()))))
}

fn of_authorization<'v>(name: &str, step: &AuthorizationStep, others: &[Value<'v>]) -> Found<'v> {
    if let AuthorizationStep::Decision(decision) = step {
        return Some(Ok(match (name, others) {
            ("allowed", []) => Value::Bool(decision.allowed),
            ("reason", []) => Value::text(decision.reason.clone()),
            ("errored", []) => Value::Bool(decision.error.is_some()),
            ("error", []) => Value::text(decision.error.clone().unwrap_or_default()),
            _ => return None,
        }));
    }
    let [Value::Text(text)] = others else { return None };
    let next = step.step(name, text)?;
    Some(next.map(|step| Value::library(LibraryValue::Authorization(step))).map_err(Stop::from))
}

fn check<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let [Value::Library(target), Value::Text(verb)] = args else { return no_overload(call, args) };
    let LibraryValue::Authorization(step) = &**target else { return no_overload(call, args) };
    let Some(check) = step.check(verb) else { return no_overload(call, args) };
    let decision = run.authorizer.map(|authorizer| authorizer(&check)).unwrap_or_default();
    Ok(Value::library(LibraryValue::Authorization(AuthorizationStep::Decision(decision))))
}

fn service_account<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Library(target), Value::Text(namespace), Value::Text(name)]
            if matches!(**target, LibraryValue::Authorization(AuthorizationStep::Authorizer(_))) =>
        {
            let step = AuthorizationStep::of_service_account(namespace, name)?;
            Ok(Value::library(LibraryValue::Authorization(step)))
        }
        args => no_overload(call, args),
    }
}
