//! The page built into the program.

use axum::{
    http::{HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};

use super::Problem;

/// The files of `web/dist` by name; empty if the page was not built.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A notice for programs built without the page.
const UNBUILT: &str = include_str!("unbuilt.html");

/// Serves a file of the page.
pub(crate) async fn serve(method: Method, uri: Uri) -> Response {
    let path = uri.path();
    if path.starts_with("/api/") {
        let words = "no such address; see /api/v1/openapi.json for the API";
        return Problem::missing(words).into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return Problem::method().into_response();
    }
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    match FILES.iter().find(|it| it.0 == name) {
        Some((name, bytes)) => file(name, bytes),
        None if name == "index.html" => file(name, UNBUILT.as_bytes()),
        None => Problem::missing("page not found; the board is at /").into_response(),
    }
}

fn file(name: &str, bytes: &'static [u8]) -> Response {
    // Names under assets/ contain a digest of the content, so these files never change.
    let keep = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind(name))),
        (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
    ];
    (StatusCode::OK, headers, bytes).into_response()
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|it| it.1) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("json" | "webmanifest") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "text/plain; charset=utf-8",
    }
}
