//! The log, and the metrics of `/metrics` in the Prometheus text format.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    extract::{MatchedPath, Request, State as Shared},
    middleware::Next,
    response::Response,
};

use super::State;

/// Upper bounds of the histogram buckets, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Counts and times of requests.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Responses by route and status.
    answers: Mutex<BTreeMap<(String, u16), u64>>,
    times: Mutex<BTreeMap<String, Times>>,
    open: AtomicU64,
    /// Requests whose client disconnected.
    left: AtomicU64,
}

/// The response times of a route.
#[derive(Clone, Debug, Default)]
struct Times {
    buckets: [u64; BUCKETS.len()],
    count: u64,
    sum: f64,
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
        figures.open.fetch_add(1, Ordering::Relaxed);
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
        self.figures.open.fetch_sub(1, Ordering::Relaxed);
        if !self.answered {
            self.figures.left.fetch_add(1, Ordering::Relaxed);
            tracing::info!("the client disconnected");
        }
    }
}

/// A thread that panics while counting leaves nothing half written.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Figures {
    fn count(&self, route: &str, status: u16, took: Duration) {
        let row = (route.to_owned(), status);
        *lock(&self.answers).entry(row).or_default() += 1;
        let seconds = took.as_secs_f64();
        let mut times = lock(&self.times);
        let times = times.entry(route.to_owned()).or_default();
        times.count += 1;
        times.sum += seconds;
        let fitting = BUCKETS.iter().zip(&mut times.buckets);
        fitting
            .filter(|it| seconds <= *it.0)
            .for_each(|it| *it.1 += 1);
    }

    /// The metrics as text.
    pub(crate) fn text(&self, games: u64, positions: u64) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        for (name, help, value) in [
            ("games", "Games in the collection.", games),
            ("positions", "Positions in the collection.", positions),
        ] {
            let _ = gauge(&mut text, name, help, value);
        }
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        head(
            text,
            "requests_total",
            "counter",
            "Responses by route and status.",
        )?;
        for ((route, status), count) in &*lock(&self.answers) {
            writeln!(
                text,
                "tabiya_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"
            )?;
        }
        head(
            text,
            "request_seconds",
            "histogram",
            "Response times by route.",
        )?;
        for (route, times) in &*lock(&self.times) {
            times.write(text, route)?;
        }
        let open = self.open.load(Ordering::Relaxed);
        gauge(text, "requests_open", "Open requests.", open)?;
        head(
            text,
            "requests_left_total",
            "counter",
            "Requests whose client disconnected.",
        )?;
        let left = self.left.load(Ordering::Relaxed);
        writeln!(text, "tabiya_requests_left_total {left}")
    }
}

impl Times {
    fn write(&self, text: &mut String, route: &str) -> std::fmt::Result {
        let name = "tabiya_request_seconds";
        for (end, count) in BUCKETS.iter().zip(self.buckets) {
            writeln!(
                text,
                "{name}_bucket{{route=\"{route}\",le=\"{end}\"}} {count}"
            )?;
        }
        let Times { count, sum, .. } = self;
        writeln!(
            text,
            "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}"
        )?;
        writeln!(text, "{name}_sum{{route=\"{route}\"}} {sum}")?;
        writeln!(text, "{name}_count{{route=\"{route}\"}} {count}")
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) -> std::fmt::Result {
    writeln!(
        text,
        "# HELP tabiya_{name} {help}\n# TYPE tabiya_{name} {kind}"
    )
}

fn gauge(text: &mut String, name: &str, help: &str, value: u64) -> std::fmt::Result {
    head(text, name, "gauge", help)?;
    writeln!(text, "tabiya_{name} {value}")
}
