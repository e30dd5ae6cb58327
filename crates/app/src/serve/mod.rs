//! The server behind `tabiya serve`: the page and, under `/api/v1`, an API that answers
//! questions with the JSON of `tabiya VERB --json`.
//!
//! | file | contents |
//! |---|---|
//! | `ask` | a route for each question |
//! | `route/` | the other routes: judgments, collections, health |
//! | `state` | the state that all requests share |
//! | `shelf`, `import` | the collections, and games that become part of them |
//! | `work` | concurrency limits, timeouts and cancellation |
//! | `request`, `problem` | reading requests, and reporting errors |
//! | `access` | roles, tokens and known hosts |
//! | `guard` | access control and security headers |
//! | `client` | who asks, and how often |
//! | `connection` | how many connections, and for how long |
//! | `watch` | the log and the metrics |
//! | `page` | the page built into the program |

pub(crate) mod access;
mod ask;
mod client;
mod connection;
mod guard;
mod import;
mod page;
mod problem;
mod request;
mod route;
mod shelf;
mod state;
mod watch;
mod work;

#[cfg(test)]
mod tests;

use std::{future::Future, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    middleware::{from_fn, from_fn_with_state},
    routing::get,
};
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;
use utoipa::OpenApi;
use utoipa_axum::{
    router::{OpenApiRouter, UtoipaMethodRouterExt},
    routes,
};

use connection::Connections;
use problem::Problem;
pub(crate) use shelf::Shelf;
pub(crate) use state::State;

/// The longest request body; imports of judgments have their own limit.
const LONGEST_BODY: usize = 64 * 1024;

/// The time that open requests get to finish at shutdown.
const FAREWELL: Duration = Duration::from_secs(10);

/// The head of the API description.
#[derive(OpenApi)]
#[openapi(
    components(schemas(route::analyze::EngineLine)),
    info(
        title = "Tabiya",
        description = "A memory for chess players: find similar positions in real games. \
                   The answer to a question is what the verb of the same name prints with --json."
    )
)]
struct Description;

/// The routes that are not questions, with their descriptions.
fn api() -> OpenApiRouter<Arc<State>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(route::pool::pool))
        .routes(routes!(route::judgments::list, route::judgments::keep))
        .routes(
            routes!(route::judgments::export, route::judgments::import)
                .layer(route::judgments::room()),
        )
        .routes(routes!(route::collections::collections))
        .routes(routes!(
            route::collections::rename,
            route::collections::delete
        ))
        .routes(routes!(route::collections::upload))
        .routes(routes!(
            route::collections::imports,
            route::collections::begin
        ))
        .routes(routes!(route::collections::cancel))
        .routes(routes!(route::games::games))
        .routes(routes!(route::games::pgn))
        .routes(routes!(route::analyze::analyze))
        .routes(routes!(route::training::session, route::training::attempt))
        .routes(routes!(route::training::progress))
        .routes(routes!(route::training::check))
        .routes(routes!(route::training::set))
        .routes(routes!(route::health::health))
        .routes(routes!(route::access::access))
}

/// The routes that are not questions, and the description of all routes.
fn described() -> (Router<Arc<State>>, utoipa::openapi::OpenApi) {
    let (routes, mut description) = api().split_for_parts();
    tabiya_question::describe::add(&mut description);
    (routes, description)
}

/// The whole server without its socket.
pub(crate) fn app(state: Arc<State>) -> Router {
    let (routes, description) = described();
    let description = Json(description);
    routes
        .merge(ask::routes())
        .route("/api/v1/openapi.json", get(move || async { description }))
        .route("/metrics", get(route::metrics::metrics))
        .fallback(page::serve)
        .method_not_allowed_fallback(|| async { Problem::method() })
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(state.clone(), watch::observe))
        .layer(from_fn_with_state(state.clone(), guard::admit))
        .layer(from_fn(guard::protect))
        .layer(CompressionLayer::new())
        .with_state(state)
}

/// Serves until `ended`, then gives open requests time to finish.
pub(crate) async fn run(
    listener: TcpListener,
    state: Arc<State>,
    ended: impl Future<Output = ()> + Send + 'static,
) {
    let (ending, is_ending) = tokio::sync::watch::channel(false);
    let connections = Connections::new(app(state.clone()), state.figures.clone());
    tokio::spawn(state.watch());
    tokio::select! {
        () = connections.accept(&listener, &is_ending) => {}
        () = ended => {}
    }
    drop((listener, is_ending));
    // Every open connection holds a receiver.
    let _ = ending.send(true);
    let _ = tokio::time::timeout(FAREWELL, ending.closed()).await;
}

/// Waits for Ctrl-C or SIGTERM.
pub(crate) async fn interrupted() {
    let interrupt = async {
        // Without a handler the signal ends the program, which is harmless.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
