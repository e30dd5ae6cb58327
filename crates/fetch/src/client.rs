//! Requests over HTTP, and what their answers mean for a download.

use std::{
    io::{self, Read},
    time::Duration,
};

use ureq::{
    Agent, Body, Error,
    http::{Response, StatusCode, header},
};

use crate::FetchError;

/// The greatest number of redirects that are followed.
const REDIRECTS: u32 = 5;

/// A server may ask for a pause up to this one.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// A list of checksums is not longer.
const LONGEST_LIST: u64 = 4 << 20;

/// How patient a download is.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The time to reach the server.
    pub connect: Duration,
    /// The time without a byte after which a connection counts as cut.
    pub stall: Duration,
    /// The pauses after failures in a row; one more is an error. A byte that arrives resets the count.
    pub pauses: Vec<Duration>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            connect: Duration::from_secs(20),
            stall: Duration::from_secs(30),
            pauses: [1, 2, 5, 10, 20, 40].map(Duration::from_secs).into(),
        }
    }
}

/// Why a request did not succeed.
pub(crate) enum Trouble {
    /// It may succeed later.
    Passing {
        what: String,
        /// The pause that the server asks for.
        after: Option<Duration>,
    },
    /// The server cannot be found or does not listen.
    Unreachable(String),
    /// It will not succeed.
    Final(FetchError),
}

impl Trouble {
    pub(crate) fn passing(what: impl ToString) -> Trouble {
        Trouble::Passing {
            what: what.to_string(),
            after: None,
        }
    }
}

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Trouble {
        Trouble::Final(error)
    }
}

/// A file, or the rest of one.
pub(crate) struct Content {
    /// The bytes of the whole file, if announced.
    pub(crate) total: Option<u64>,
    /// The server's mark for this version of the file.
    pub(crate) version: Option<String>,
    pub(crate) body: Box<dyn Read + Send>,
}

/// The answer to a request for a file.
pub(crate) enum Reply {
    /// The file from its beginning.
    Whole(Content),
    /// The file from a byte on.
    Rest { start: u64, content: Content },
    /// The file has no such byte; perhaps how many it has.
    OutOfRange(Option<u64>),
    /// There is no such file.
    NotFound,
}

/// Sends requests.
pub(crate) struct Client {
    agent: Agent,
}

impl Client {
    pub(crate) fn new(settings: &Settings) -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(REDIRECTS)
            .user_agent(concat!("tabiya/", env!("CARGO_PKG_VERSION")))
            // Ranges count the bytes of the file as it is.
            .accept_encoding("identity")
            .timeout_resolve(Some(settings.connect))
            .timeout_connect(Some(settings.connect))
            .timeout_per_read(Some(settings.stall))
            .timeout_per_write(Some(settings.stall))
            .build();
        Client {
            agent: config.new_agent(),
        }
    }

    /// Asks for a file, or for the rest of it from a byte on if its version is still the same.
    pub(crate) fn get(
        &self,
        address: &str,
        from: Option<u64>,
        version: Option<&str>,
    ) -> Result<Reply, Trouble> {
        let mut request = self.agent.get(address);
        if let Some(from) = from {
            request = request.header(header::RANGE, format!("bytes={from}-"));
            if let Some(version) = version {
                request = request.header(header::IF_RANGE, version);
            }
        }
        let mut config = request.config();
        // An address that is protected does not lead to one that is not.
        config = config.https_only(address.starts_with("https://"));
        if is_loopback(address) {
            config = config.proxy(None);
        }
        let sent = config.build().call();
        let response = sent.map_err(|error| trouble(address, error))?;
        read(address, response, from.is_some())
    }

    /// The text of a small file, if it exists.
    pub(crate) fn get_text(&self, address: &str) -> Result<Option<String>, Trouble> {
        match self.get(address, None, None)? {
            Reply::Whole(content) => {
                let mut text = Vec::new();
                let mut body = content.body.take(LONGEST_LIST);
                body.read_to_end(&mut text).map_err(Trouble::passing)?;
                Ok(Some(String::from_utf8_lossy(&text).into_owned()))
            }
            _ => Ok(None),
        }
    }
}

fn read(address: &str, response: Response<Body>, asked_range: bool) -> Result<Reply, Trouble> {
    let status = response.status();
    let text = |name| {
        let value = response.headers().get(name);
        value.and_then(|it| it.to_str().ok()).map(str::to_owned)
    };
    let range = text(header::CONTENT_RANGE);
    // A weak tag does not promise the same bytes.
    let tag = text(header::ETAG).filter(|it| !it.starts_with("W/"));
    let version = tag.or_else(|| text(header::LAST_MODIFIED));
    let after = text(header::RETRY_AFTER).and_then(|it| it.trim().parse().ok());
    let after = after.map(|it| Duration::from_secs(it).min(LONGEST_PAUSE));
    let total = response.body().content_length();
    let content = |total| Content {
        total,
        version,
        body: Box::new(response.into_body().into_reader()),
    };
    match status {
        StatusCode::OK => Ok(Reply::Whole(content(total))),
        StatusCode::PARTIAL_CONTENT if asked_range => {
            let range = range.as_deref().and_then(parse_range);
            let (start, total) = range
                .ok_or_else(|| Trouble::passing("the server does not say which bytes it sends"))?;
            let content = content(total);
            Ok(Reply::Rest { start, content })
        }
        StatusCode::RANGE_NOT_SATISFIABLE if asked_range => {
            let total = range.as_deref().and_then(|it| it.strip_prefix("bytes */"));
            Ok(Reply::OutOfRange(total.and_then(|it| it.parse().ok())))
        }
        StatusCode::NOT_FOUND | StatusCode::GONE => Ok(Reply::NotFound),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Err(busy(status, after)),
        status if status.is_server_error() => Err(busy(status, after)),
        status => Err(Trouble::Final(FetchError::Refused {
            address: address.to_owned(),
            status: status.as_u16(),
        })),
    }
}

fn busy(status: StatusCode, after: Option<Duration>) -> Trouble {
    Trouble::Passing {
        what: format!("the server is busy (status {})", status.as_u16()),
        after,
    }
}

/// Reads `bytes 100-199/1000` or `bytes 100-199/*`: the first byte, and how many there are in all.
fn parse_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split_once('-')?.0.trim().parse().ok()?;
    Some((start, total.trim().parse().ok()))
}

fn trouble(address: &str, error: Error) -> Trouble {
    let useless = |what: String| {
        Trouble::Final(FetchError::Address {
            address: address.to_owned(),
            what,
        })
    };
    match error {
        Error::HostNotFound | Error::ConnectionFailed => Trouble::Unreachable(error.to_string()),
        Error::TooManyRedirects => useless(format!("more than {REDIRECTS} redirects")),
        Error::Timeout(_) | Error::Protocol(_) => Trouble::passing(error),
        Error::Io(error) => match error.kind() {
            io::ErrorKind::InvalidData => Trouble::Final(FetchError::Certificate {
                address: address.to_owned(),
                what: error.to_string(),
            }),
            io::ErrorKind::TimedOut
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof => Trouble::passing(error),
            // No such host, no route to it, or nobody listens.
            _ => Trouble::Unreachable(error.to_string()),
        },
        error => useless(error.to_string()),
    }
}

/// Whether an address is on this machine, where no proxy is needed.
fn is_loopback(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |it| it.1);
    let host = host.split('/').next().unwrap_or(host);
    host.starts_with("127.") || host.starts_with("[::1]") || host.starts_with("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!(parse_range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(parse_range("bytes 5-9/*"), Some((5, None)));
        for text in ["", "bytes", "bytes */10", "lines 1-2/3", "bytes x-9/10"] {
            assert_eq!(parse_range(text), None, "{text}");
        }
    }
}
