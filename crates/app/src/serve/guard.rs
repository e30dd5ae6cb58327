//! Who may ask, and the headers that protect the reader's browser.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State as Shared},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{Problem, State};

/// Everything comes from ourselves, nothing is written into the page, and nobody
/// may frame it. Pieces are drawn from data: addresses in our own style sheets.
/// The digest admits one style attribute, "color-scheme:light only", which the
/// board gives its arrows.
const POLICY: &str = "default-src 'none'; script-src 'self'; \
                      style-src 'self' 'unsafe-hashes' \
                      'sha256-SyXRxMCl6H7Kgy9uTmu1UZqVBsRmMBF4sHRiTO3FQc0='; \
                      img-src 'self' data:; connect-src 'self'; manifest-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=()",
    ),
];

/// Adds the headers to every answer. What has no word on caching is not kept.
pub(crate) async fn protect(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let entry = headers.entry(header::CACHE_CONTROL);
    entry.or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Refuses what another site makes a browser ask: a foreign name that was made
/// to point at this machine, and anything of the API asked for by a foreign page.
pub(crate) async fn admit(
    Shared(state): Shared<Arc<State>>,
    request: Request,
    next: Next,
) -> Response {
    if state.is_private && !names_this_machine(request.headers()) {
        let words = "ask for localhost or 127.0.0.1; this server is for its own machine only";
        return Problem::refused(words).into_response();
    }
    // Asking costs time too, so it is not for other sites' pages; a link to the
    // page itself is.
    let is_open = request.method().is_safe() && !request.uri().path().starts_with("/api/");
    if !is_open && comes_from_elsewhere(request.headers()) {
        return Problem::refused("another site may not ask or change anything here")
            .into_response();
    }
    next.run(request).await
}

fn names_this_machine(headers: &HeaderMap) -> bool {
    // A request without a host comes from no browser.
    let Some(host) = headers.get(header::HOST) else {
        return true;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse();
    address.is_ok_and(|it: IpAddr| it.is_loopback())
        || name == "localhost"
        || name.ends_with(".localhost")
}

fn comes_from_elsewhere(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    matches!(site, Some(b"cross-site" | b"same-site"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(host: &'static str, expected: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        assert_eq!(names_this_machine(&headers), expected, "{host}");
    }

    #[test]
    fn only_names_of_this_machine_pass() {
        for host in [
            "localhost",
            "127.0.0.1:7777",
            "127.0.0.2:7777",
            "[::1]:80",
            "LOCALHOST.:80",
            "tabiya.localhost:1",
        ] {
            check(host, true);
        }
        for host in [
            "example.org",
            "127.0.0.1.example.org",
            "localhost.example:80",
            "192.168.0.1",
            "",
        ] {
            check(host, false);
        }
        assert!(names_this_machine(&HeaderMap::new()));
    }
}
