//! The address of this machine.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// An address of the documentation: packets to it take the default route. None are sent.
const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// Returns the address by which other machines, and containers, reach this one.
pub(super) fn of_this_machine(api_server: &str) -> IpAddr {
    let api_server = api_server.parse().ok().filter(|address: &IpAddr| !address.is_loopback());
    let target = api_server.unwrap_or(ELSEWHERE);
    local_address(target).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// Returns the address from which packets to a target would be sent.
fn local_address(target: IpAddr) -> Option<IpAddr> {
    // Any port will do: nothing is sent. This one discards (RFC 863).
    const DISCARD: u16 = 9;
    let any = if target.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect((target, DISCARD)).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|address| !address.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_an_address() {
        assert!(!of_this_machine("127.0.0.1").is_unspecified());
        assert!(!of_this_machine("localhost").is_unspecified());
        assert_eq!(local_address(IpAddr::V4(Ipv4Addr::LOCALHOST)), Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    }
}
