//! The server behind `tabiya serve`: the page, and under `/api/v1` the answers of
//! the verbs, in the shapes of their `--json`.
//!
//! | file | what |
//! |---|---|
//! | `ask` | every question as a route |
//! | `route/` | what is not a question: judgments, the collection, health |
//! | `state` | what all requests share |
//! | `work` | who may compute, how long, and until when somebody waits for it |
//! | `request`, `problem` | what is asked, and what is said if it makes no sense |
//! | `guard` | who may ask, and the headers that protect the reader |
//! | `watch` | the log and the figures of `/metrics` |
//! | `page` | the built page inside the program |

mod ask;
mod guard;
mod page;
mod problem;
mod request;
mod route;
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

use problem::Problem;
pub(crate) use state::State;

/// No request of ours is longer; imports of judgments have a limit of their own.
const LONGEST_BODY: usize = 64 * 1024;

/// How long open requests may go on after the end was asked for.
const FAREWELL: Duration = Duration::from_secs(10);

/// What the description of the API says of the whole.
#[derive(OpenApi)]
#[openapi(info(
    title = "Tabiya",
    description = "A memory for chess players: similar positions from an archive of real games. \
                   Every answer has the shape that the verb of the same name prints with --json."
))]
struct Description;

/// All routes, and the description that is made from them.
fn api() -> OpenApiRouter<Arc<State>> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(route::pool::pool))
        .routes(routes!(route::judgments::list, route::judgments::keep))
        .routes(
            routes!(route::judgments::export, route::judgments::import)
                .layer(route::judgments::room()),
        )
        .routes(routes!(route::collections::collections))
        .routes(routes!(route::health::health))
}

/// All routes but those of the questions, and the description of all.
fn described() -> (Router<Arc<State>>, utoipa::openapi::OpenApi) {
    let (routes, mut description) = api().split_for_parts();
    tabiya_question::describe::add(&mut description);
    (routes, description)
}

/// The whole server, but for its socket.
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

/// Serves until `ended`, then lets open requests finish for a while.
pub(crate) async fn run(
    listener: TcpListener,
    state: Arc<State>,
    ended: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let (ending, mut told) = tokio::sync::watch::channel(false);
    let shutdown = async move {
        ended.await;
        // Without a receiver the server is gone already.
        let _ = ending.send(true);
    };
    let serving = axum::serve(listener, app(state)).with_graceful_shutdown(shutdown);
    let overdue = async move {
        let _ = told.wait_for(|&it| it).await;
        tokio::time::sleep(FAREWELL).await;
    };
    tokio::select! {
        served = serving => served,
        () = overdue => Ok(()),
    }
}

/// Waits for Ctrl-C or a polite kill.
pub(crate) async fn interrupted() {
    let interrupt = async {
        // Without a handler the signal ends the program, which harms nothing.
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
