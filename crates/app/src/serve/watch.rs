//! The log, and the figures of `/metrics` for Prometheus.

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, Instant},
};

use axum::{
    extract::{MatchedPath, Request, State as Shared},
    middleware::Next,
    response::Response,
};
use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Metric, Registry},
};

use super::State;

/// Upper bounds of the histogram buckets, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// A label's name and value.
type Label = (&'static str, String);
type Count = Gauge<u64, AtomicU64>;

/// What is counted while the server runs.
#[derive(Debug)]
pub(crate) struct Figures {
    registry: Registry,
    answers: Family<[Label; 2], Counter>,
    times: Family<[Label; 1], Histogram>,
    open: Count,
    /// Requests whose client did not wait for the answer.
    left: Counter,
    connections: Count,
    /// Connections that found no place.
    refused: Counter,
    games: Count,
    positions: Count,
}

/// Counts and logs a request.
pub(crate) async fn observe(
    Shared(state): Shared<Arc<State>>,
    request: Request,
    next: Next,
) -> Response {
    let begin = Instant::now();
    let method = request.method().clone();
    let matched = request.extensions().get::<MatchedPath>();
    // All unknown addresses share one row, so that clients cannot create rows.
    let route = matched.map_or("page".to_owned(), |it| it.as_str().to_owned());
    let open = Open::new(&state.figures);
    let response = next.run(request).await;
    open.answered();
    let (status, took) = (response.status().as_u16(), begin.elapsed());
    state.figures.count(&route, status, took);
    let ms = took.as_secs_f64() * 1000.0;
    tracing::info!(%method, route, status, ms, "answered");
    response
}

/// An open request; dropped early if the client disconnects.
struct Open<'a> {
    figures: &'a Figures,
    answered: bool,
}

impl Open<'_> {
    fn new(figures: &Figures) -> Open<'_> {
        figures.open.inc();
        Open {
            figures,
            answered: false,
        }
    }

    fn answered(mut self) {
        self.answered = true;
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.figures.open.dec();
        if !self.answered {
            self.figures.left.inc();
            tracing::info!("the client went away");
        }
    }
}

impl Default for Figures {
    fn default() -> Figures {
        let mut registry = Registry::with_prefix("tabiya");
        let times = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> _);
        let known = &mut registry;
        known.register("request_seconds", "How long answers took", times.clone());
        Figures {
            answers: add(known, "requests", "Answers by route and status"),
            times,
            open: add(known, "requests_open", "Requests being answered"),
            left: add(known, "requests_left", "Requests whose client went away"),
            connections: add(known, "connections_open", "Open connections"),
            refused: add(
                known,
                "connections_refused",
                "Connections that found no place",
            ),
            games: add(known, "games", "Games of the collection"),
            positions: add(known, "positions", "Positions of the collection"),
            registry,
        }
    }
}

/// Registers a new figure. The text has a period after the help, and `_total` after a counter's name.
fn add<M: Metric + Clone + Default>(known: &mut Registry, name: &str, help: &str) -> M {
    let figure = M::default();
    known.register(name, help, figure.clone());
    figure
}

impl Figures {
    fn count(&self, route: &str, status: u16, took: Duration) {
        let route = ("route", route.to_owned());
        let times = self.times.get_or_create(std::array::from_ref(&route));
        times.observe(took.as_secs_f64());
        let status = ("status", status.to_string());
        self.answers.get_or_create(&[route, status]).inc();
    }

    /// Sets the number of open connections.
    pub(crate) fn connections(&self, open: usize) {
        self.connections.set(open as u64);
    }

    /// Counts a connection that found no place.
    pub(crate) fn refuse(&self) {
        self.refused.inc();
    }

    /// The metrics as text.
    pub(crate) fn text(&self, games: u64, positions: u64) -> String {
        self.games.set(games);
        self.positions.set(positions);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
