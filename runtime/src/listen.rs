//! Addresses to listen at, such as `:8080` and `127.0.0.1:8080`.

use std::{
    io,
    net::{TcpListener, ToSocketAddrs},
};

/// Opens a port for a tokio listener.
pub(crate) fn bind(address: &str) -> io::Result<TcpListener> {
    let invalid = || {
        let message = "expected an address with a port, such as `:8080` or `127.0.0.1:8080`";
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let port = port_of(address).ok_or_else(invalid)?;
    let listener = match address.strip_prefix(':') {
        // All interfaces: IPv6 with IPv4, or IPv4 alone where there is no IPv6.
        Some(_) => TcpListener::bind(("::", port)).or_else(|error| match error.kind() {
            io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied => Err(error),
            _ => TcpListener::bind(("0.0.0.0", port)),
        }),
        None => TcpListener::bind(&*address.to_socket_addrs().map_err(|_| invalid())?.collect::<Vec<_>>()),
    }?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Returns the port of an address, such as `:8080`.
pub(crate) fn port_of(address: &str) -> Option<u16> {
    let (_, port) = address.rsplit_once(':')?;
    port.parse().ok()
}
