//! Access control, and the headers that protect the reader's browser.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{Request, State as Shared},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{Problem, State};

/// Scripts and styles come only from this server, inline code is forbidden, and no
/// site may frame the page. Our style sheets draw pieces from `data:` addresses. The
/// digest allows one style attribute, "color-scheme:light only", which the board sets
/// on its arrows.
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

/// Adds the headers to every response. Responses without cache control are not cached.
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

/// Rejects requests that another site makes a browser send: those under a foreign host
/// name that points at this machine (DNS rebinding), and API requests from foreign pages.
pub(crate) async fn admit(
    Shared(state): Shared<Arc<State>>,
    request: Request,
    next: Next,
) -> Response {
    if state.is_private && !names_this_machine(request.headers()) {
        let words = "this server only serves its own machine; use localhost or 127.0.0.1";
        return Problem::refused(words).into_response();
    }
    // Even a GET of the API costs computing time. Other sites may link to the page,
    // but not call the API.
    let is_open = request.method().is_safe() && !request.uri().path().starts_with("/api/");
    if !is_open && comes_from_elsewhere(request.headers()) {
        return Problem::refused("other sites may not call this API").into_response();
    }
    next.run(request).await
}

fn names_this_machine(headers: &HeaderMap) -> bool {
    // Browsers always send a host.
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
