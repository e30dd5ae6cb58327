//! Who sends a request, and how often.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Mutex, PoisonError},
    time::Instant,
};

use axum::http::{Extensions, HeaderMap};

/// Requests that a client may send at once.
const BURST: f64 = 300.0;

/// Requests a second that a client may send for long.
const PER_SECOND: f64 = 50.0;

/// The number of clients whose requests are counted.
const CLIENTS: usize = 10_000;

/// A client by its address; the addresses of one IPv6 network are one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Client(IpAddr);

impl From<IpAddr> for Client {
    fn from(address: IpAddr) -> Client {
        match address.to_canonical() {
            IpAddr::V6(it) => {
                let network = it.to_bits() >> 64 << 64;
                Client(IpAddr::V6(Ipv6Addr::from_bits(network)))
            }
            address => Client(address),
        }
    }
}

impl Client {
    /// This machine.
    pub(crate) const HERE: Client = Client(IpAddr::V4(Ipv4Addr::LOCALHOST));

    /// The sender of a request. Behind a reverse proxy on this machine, the proxy names it.
    pub(crate) fn of(extensions: &Extensions, headers: &HeaderMap, is_private: bool) -> Client {
        let peer = extensions.get::<SocketAddr>().map(SocketAddr::ip);
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        if is_private || !peer.is_loopback() {
            return peer.into();
        }
        let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
        let named =
            forwarded.and_then(|it| it.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        named.unwrap_or(peer).into()
    }
}

/// Counts the requests of clients.
#[derive(Debug, Default)]
pub(crate) struct Rate(Mutex<BTreeMap<Client, Bucket>>);

/// The requests that a client may still send.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn filled(self, now: Instant) -> Bucket {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        let left = (self.left + PER_SECOND * since).min(BURST);
        Bucket { left, at: now }
    }
}

impl Rate {
    /// Counts a request; false if the client sends too many.
    pub(crate) fn admits(&self, client: Client, now: Instant) -> bool {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= CLIENTS && !clients.contains_key(&client) {
            // Clients that may send a whole burst need not be remembered.
            clients.retain(|_, it| it.filled(now).left < BURST);
            if clients.len() >= CLIENTS {
                clients.clear();
            }
        }
        let full = Bucket {
            left: BURST,
            at: now,
        };
        let bucket = clients.entry(client).or_insert(full);
        *bucket = bucket.filled(now);
        let is_admitted = bucket.left >= 1.0;
        bucket.left -= f64::from(u8::from(is_admitted));
        is_admitted
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn client(text: &str) -> Client {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn a_client_that_sends_too_much_waits_and_the_others_do_not() {
        let (rate, begin) = (Rate::default(), Instant::now());
        let (a, b) = (client("192.0.2.1"), client("192.0.2.2"));
        let admitted = (0..1000).filter(|_| rate.admits(a, begin)).count();
        assert_eq!(admitted, BURST as usize);
        assert!(rate.admits(b, begin));
        let later = begin + Duration::from_secs(1);
        let admitted = (0..1000).filter(|_| rate.admits(a, later)).count();
        assert_eq!(admitted, PER_SECOND as usize);
    }

    #[test]
    fn the_number_of_clients_is_limited() {
        let (rate, now) = (Rate::default(), Instant::now());
        for number in 0..3 * CLIENTS as u32 {
            assert!(rate.admits(Client(Ipv4Addr::from_bits(number).into()), now));
        }
        assert!(rate.0.lock().unwrap().len() <= CLIENTS);
    }

    #[test]
    fn clients_are_told_apart_by_network() {
        assert_eq!(client("2001:db8::1"), client("2001:db8::2"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
    }

    #[test]
    fn a_proxy_names_the_client() {
        let mut extensions = Extensions::new();
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "10.0.0.1, 192.0.2.7".parse().unwrap());
        let of = |extensions: &_, is_private| Client::of(extensions, &headers, is_private);
        assert_eq!(of(&extensions, false), client("192.0.2.7"));
        assert_eq!(of(&extensions, true), client("127.0.0.1"));
        extensions.insert("192.0.2.9:1".parse::<SocketAddr>().unwrap());
        assert_eq!(of(&extensions, false), client("192.0.2.9"));
    }
}
