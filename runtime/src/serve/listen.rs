//! Addresses to listen at, such as `:8080` and `127.0.0.1:8080`.

#[cfg(any(feature = "controller", feature = "webhook"))]
use std::net::{Ipv4Addr, Ipv6Addr, ToSocketAddrs};
use std::{io, net::SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

/// How many connections can wait until they are accepted. Linux takes at most `net.core.somaxconn`, 4096 by default. A client whose
/// connection finds no place tries again after a second.
const BACKLOG: u32 = 4096;

/// Opens a port. It must be called in a tokio runtime.
#[cfg(any(feature = "controller", feature = "webhook"))]
pub(crate) fn bind(address: &str) -> io::Result<TcpListener> {
    let invalid = || {
        let message = "expected an address with a port, such as `:8080` or `127.0.0.1:8080`";
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    if let Some(port) = address.strip_prefix(':') {
        let port = port.parse().map_err(|_| invalid())?;
        // All interfaces: IPv6 with IPv4, or IPv4 alone where there is no IPv6.
        return open((Ipv6Addr::UNSPECIFIED, port).into()).or_else(|error| match error.kind() {
            io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied => Err(error),
            _ => open((Ipv4Addr::UNSPECIFIED, port).into()),
        });
    }
    let mut opened = Err(invalid());
    for address in address.to_socket_addrs().map_err(|_| invalid())? {
        opened = open(address);
        if opened.is_ok() {
            break;
        }
    }
    opened
}

/// Opens a port at one address. It must be called in a tokio runtime.
pub fn open(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // As the standard library does it: on Windows, it would let several programs have one port.
    if cfg!(unix) {
        socket.set_reuseaddr(true)?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Returns the port of an address, such as `:8080`.
#[cfg(any(feature = "controller", feature = "webhook"))]
pub(crate) fn port_of(address: &str) -> Option<u16> {
    let (_, port) = address.rsplit_once(':')?;
    port.parse().ok()
}
