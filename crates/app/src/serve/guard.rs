//! Access control, and the headers that protect the reader's browser.

use std::{sync::Arc, time::Instant};

use axum::{
    extract::{Request, State as Shared},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{Problem, State, access::Role, client::Client, work::CLIENT};

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

/// Rejects requests that the client may not send: too many, without the right token, or made by
/// another site in the client's browser.
pub(crate) async fn admit(
    Shared(state): Shared<Arc<State>>,
    request: Request,
    next: Next,
) -> Response {
    if let Err(problem) = check(&state, &request) {
        return problem.into_response();
    }
    if let Some(cookie) = cookie(&state, &request) {
        let headers = [
            (header::SET_COOKIE, cookie),
            (header::LOCATION, HeaderValue::from_static("/")),
        ];
        return (StatusCode::SEE_OTHER, headers).into_response();
    }
    let client = Client::of(
        request.extensions(),
        request.headers(),
        state.access.is_private,
    );
    CLIENT.scope(client, next.run(request)).await
}

fn check(state: &State, request: &Request) -> Result<(), Problem> {
    let (access, headers, path) = (&state.access, request.headers(), request.uri().path());
    let client = Client::of(request.extensions(), headers, access.is_private);
    if !access.is_private && !state.rate.admits(client, Instant::now()) {
        return Err(Problem::too_many());
    }
    let host = host(request)?;
    // A foreign name may point at this machine (DNS rebinding).
    if host.is_some_and(|it| !access.admits_host(it)) {
        return Err(Problem::refused(if access.is_private {
            "this server only serves its own machine; use localhost or 127.0.0.1"
        } else {
            "the server does not know this host name; start it with --host NAME"
        }));
    }
    // Even a GET of the API costs computing time. Other sites may link to the page,
    // but not call the API.
    let is_open = request.method().is_safe() && !path.starts_with("/api/");
    if !is_open && comes_from_elsewhere(headers, host) {
        return Err(Problem::refused("other sites may not call this API"));
    }
    let Some(needed) = Role::needed(request.method(), path) else {
        return Ok(());
    };
    match access.role(headers) {
        Some(role) if role >= needed => Ok(()),
        Some(role) => Err(Problem::refused(format!(
            "you may only {role} here, and this request needs the role {needed}"
        ))),
        None => Err(Problem::unknown()),
    }
}

/// The host that a request names. Browsers always name one.
fn host(request: &Request) -> Result<Option<&str>, Problem> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next().map(|it| it.to_str()).transpose();
    let host = host.map_err(|_| Problem::request("the host is not a name"))?;
    let authority = request.uri().authority().map(|it| it.as_str());
    if hosts.next().is_some() || authority.is_some_and(|it| host.is_some_and(|host| host != it)) {
        return Err(Problem::request("the request names two hosts"));
    }
    Ok(host.or(authority))
}

/// The cookie for a token that the address of the page contains.
fn cookie(state: &State, request: &Request) -> Option<HeaderValue> {
    let uri = request.uri();
    let is_page = request.method() == Method::GET && uri.path() == "/";
    state.access.cookie(uri.query().filter(|_| is_page)?)
}

/// Whether a page of another site makes the browser send this request.
fn comes_from_elsewhere(headers: &HeaderMap, host: Option<&str>) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let is_foreign = |origin: &HeaderValue| {
        let origin = origin.to_str().ok().and_then(|it| it.split_once("://"));
        origin.is_none_or(|it| host.is_none_or(|host| !host.eq_ignore_ascii_case(it.1)))
    };
    matches!(site, Some(b"cross-site" | b"same-site"))
        || headers.get_all(header::ORIGIN).iter().any(is_foreign)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn pages_of_other_sites_are_recognized() {
        #[track_caller]
        fn check(name: &'static str, value: &'static str, expected: bool) {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            let found = comes_from_elsewhere(&headers, Some("localhost:7777"));
            assert_eq!(found, expected, "{name}: {value}");
        }
        check("origin", "http://localhost:7777", false);
        check("origin", "https://LOCALHOST:7777", false);
        check("origin", "http://localhost:7778", true);
        check("origin", "http://localhost", true);
        check("origin", "https://evil.example", true);
        check("origin", "null", true);
        check("sec-fetch-site", "same-origin", false);
        check("sec-fetch-site", "none", false);
        check("sec-fetch-site", "same-site", true);
        check("sec-fetch-site", "cross-site", true);
        assert!(!comes_from_elsewhere(&HeaderMap::new(), None));
    }

    #[test]
    fn a_request_names_one_host() {
        let of = |uri: &str, hosts: &[&str]| {
            let request = Request::get(uri);
            let request = hosts
                .iter()
                .fold(request, |it, host| it.header(header::HOST, *host));
            host(&request.body(Body::empty()).unwrap()).map(|it| it.map(str::to_owned))
        };
        assert_eq!(of("/", &["a"]).unwrap().as_deref(), Some("a"));
        assert_eq!(of("http://a/", &["a"]).unwrap().as_deref(), Some("a"));
        assert_eq!(of("http://a/", &[]).unwrap().as_deref(), Some("a"));
        assert_eq!(of("/", &[]).unwrap(), None);
        assert!(of("/", &["a", "a"]).is_err());
        assert!(of("http://a/", &["b"]).is_err());
    }
}
