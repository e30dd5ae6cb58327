//! Connections: how many are open, how long they may wait, and what happens when there are too many.
//!
//! A connection that sends no request is idle. If all places are taken, the connection that has
//! been idle for the longest time is closed; if none is idle, the new one is refused.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fs, io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use axum::{Router, body::Body, http::Response};
use http_body_util::BodyExt;
use hyper::{
    body::Incoming,
    rt::{Read, ReadBufCursor, Write},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Notify, watch},
    time::{self, Sleep},
};
use tower::ServiceExt;

use super::watch::Figures;

/// The time that a client has to send the head of its next request.
const HEAD: Duration = Duration::from_secs(20);

/// The time that a client may refuse to take more of an answer.
const STALL: Duration = Duration::from_secs(30);

/// The longest head of a request, and what a connection buffers.
const BUFFER: usize = 32 * 1024;

/// The greatest number of connections.
const MOST: usize = 1024;

/// File descriptors that are left for other purposes.
const SPARE: usize = 48;

/// The pause after the system refused a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// The answer to a client that finds no place.
const REFUSAL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    content-type: application/json\r\nretry-after: 1\r\nconnection: close\r\n\
    content-length: 72\r\n\r\n\
    {\"error\":\"the server has too many connections; try again in a moment\"}  ";

/// The connections of a server.
pub(crate) struct Connections {
    app: Router,
    most: usize,
    head: Duration,
    open: Mutex<BTreeMap<u64, Arc<Connection>>>,
    next: AtomicU64,
    figures: Arc<Figures>,
}

/// An open connection.
#[derive(Debug)]
struct Connection {
    /// Since when it waits for a request; `None` during an answer.
    idle_since: Mutex<Option<Instant>>,
    close: Notify,
}

impl Connection {
    fn idle_since(&self) -> MutexGuard<'_, Option<Instant>> {
        let since = self.idle_since.lock();
        since.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks a connection as busy until dropped.
struct Busy(Arc<Connection>);

impl Busy {
    fn new(connection: &Arc<Connection>) -> Busy {
        *connection.idle_since() = None;
        Busy(connection.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        *self.0.idle_since() = Some(Instant::now());
    }
}

impl Connections {
    pub(crate) fn new(app: Router, figures: Arc<Figures>) -> Arc<Connections> {
        let places = descriptors().saturating_sub(SPARE).clamp(8, MOST);
        Connections::with(app, figures, places, HEAD)
    }

    fn with(app: Router, figures: Arc<Figures>, most: usize, head: Duration) -> Arc<Connections> {
        Arc::new(Connections {
            app,
            most,
            head,
            open: Mutex::default(),
            next: AtomicU64::new(0),
            figures,
        })
    }

    /// Accepts connections without end.
    pub(crate) async fn accept(
        self: &Arc<Self>,
        listener: &TcpListener,
        ending: &watch::Receiver<bool>,
    ) {
        let mut is_failing = false;
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => {
                    is_failing = false;
                    self.welcome(stream, peer, ending);
                }
                Err(reason) => {
                    // Usually there are too many open files.
                    if !std::mem::replace(&mut is_failing, true) {
                        tracing::error!(%reason, "cannot accept connections; trying again");
                    }
                    self.close_one(&mut self.open());
                    time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Serves a connection, or refuses it.
    fn welcome(
        self: &Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        ending: &watch::Receiver<bool>,
    ) {
        match self.enter() {
            Some((number, connection)) => {
                let (all, ending) = (self.clone(), ending.clone());
                tokio::spawn(async move {
                    all.serve(stream, peer, &connection, ending).await;
                    all.open().remove(&number);
                });
            }
            None => {
                self.figures.refuse();
                tracing::warn!("all connections are busy; refusing one");
                // A client that does not listen learns it from the closed connection.
                let _ = stream.try_write(REFUSAL);
            }
        }
        self.figures.connections(self.open().len());
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self) -> Option<(u64, Arc<Connection>)> {
        let mut open = self.open();
        if open.len() >= self.most && !self.close_one(&mut open) {
            return None;
        }
        let connection = Arc::new(Connection {
            idle_since: Mutex::new(Some(Instant::now())),
            close: Notify::new(),
        });
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        open.insert(number, connection.clone());
        Some((number, connection))
    }

    /// Closes the connection that has been idle for the longest time, if one is idle.
    fn close_one(&self, open: &mut BTreeMap<u64, Arc<Connection>>) -> bool {
        let idle = open
            .iter()
            .filter_map(|(&number, it)| Some(((*it.idle_since())?, number)));
        let Some((_, number)) = idle.min() else {
            return false;
        };
        if let Some(connection) = open.remove(&number) {
            connection.close.notify_one();
        }
        true
    }

    async fn serve(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        connection: &Arc<Connection>,
        mut ending: watch::Receiver<bool>,
    ) {
        // Answers are written whole; waiting for more to send only delays them.
        let _ = stream.set_nodelay(true);
        let service = service_fn(|request| self.answer(request, peer, connection));
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head)
            .max_buf_size(BUFFER)
            .serve_connection(Stream::from(stream), service);
        let mut serving = pin!(serving);
        let mut is_ending = false;
        loop {
            tokio::select! {
                served = serving.as_mut() => {
                    if let Err(reason) = served {
                        tracing::debug!(%reason, "a connection ended early");
                    }
                    return;
                }
                () = connection.close.notified() => return,
                _ = ending.wait_for(|&it| it), if !is_ending => {
                    is_ending = true;
                    serving.as_mut().graceful_shutdown();
                }
            }
        }
    }

    async fn answer(
        &self,
        request: hyper::Request<Incoming>,
        peer: SocketAddr,
        connection: &Arc<Connection>,
    ) -> Result<Response<Body>, Infallible> {
        let busy = Busy::new(connection);
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        let response = self.app.clone().oneshot(request).await?;
        // Busy until the last byte is handed over.
        Ok(response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _ = &busy;
                frame
            }))
        }))
    }
}

/// The number of files that the process may open.
fn descriptors() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find_map(|it| it.strip_prefix("Max open files"));
    let soft = line.and_then(|it| it.split_whitespace().next()?.parse().ok());
    soft.unwrap_or(MOST)
}

/// A stream that fails if the client takes nothing for a long time.
struct Stream {
    inner: TokioIo<TcpStream>,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl From<TcpStream> for Stream {
    fn from(stream: TcpStream) -> Stream {
        Stream {
            inner: TokioIo::new(stream),
            stalled: None,
        }
    }
}

impl Stream {
    fn watched<T>(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TokioIo<TcpStream>>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let written = write(Pin::new(&mut self.inner), context);
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(time::sleep(STALL)));
        let is_over = stalled.as_mut().poll(context).is_ready();
        match is_over {
            true => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            false => Poll::Pending,
        }
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl Write for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.watched(context, |it, context| it.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.watched(context, Write::poll_flush)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.watched(context, Write::poll_shutdown)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.watched(context, |it, context| {
            it.poll_write_vectored(context, parts)
        })
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        sync::Semaphore,
    };

    use super::*;

    /// A server with two places: `/` answers at once, `/slow` never does. The semaphore gets a permit
    /// for each slow request.
    async fn server() -> (SocketAddr, Arc<Semaphore>) {
        let arrived = Arc::new(Semaphore::new(0));
        let begun = arrived.clone();
        let slow = async move || {
            begun.add_permits(1);
            std::future::pending::<()>().await;
        };
        let app = Router::new()
            .route("/", get(|| async { "hello" }))
            .route("/slow", get(slow));
        let connections = Connections::with(app, Arc::default(), 2, HEAD / 10);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (_ending, is_ending) = watch::channel(false);
            connections.accept(&listener, &is_ending).await;
        });
        (address, arrived)
    }

    async fn asks(address: SocketAddr, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    async fn answer(mut stream: TcpStream) -> String {
        let mut text = String::new();
        // The connection of a client that is refused may be reset.
        let _ = stream.read_to_string(&mut text).await;
        text
    }

    #[tokio::test]
    async fn idle_connections_make_room() {
        let (address, _) = server().await;
        let mut idle = Vec::new();
        for _ in 0..20 {
            idle.push(TcpStream::connect(address).await.unwrap());
        }
        assert!(answer(asks(address, "/").await).await.ends_with("hello"));
        // The oldest are closed.
        assert_eq!(answer(idle.swap_remove(0)).await, "");
    }

    #[tokio::test]
    async fn busy_connections_stay_and_new_ones_are_refused() {
        let (address, arrived) = server().await;
        let busy = [asks(address, "/slow").await, asks(address, "/slow").await];
        let _both = arrived.acquire_many(2).await.unwrap();
        let mut refused = TcpStream::connect(address).await.unwrap();
        let mut text = String::new();
        refused.read_to_string(&mut text).await.unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())));
        assert!(
            serde_json::from_str::<serde_json::Value>(body).is_ok(),
            "{body}"
        );
        drop(busy);
        // Their places are free once the server notices.
        while !answer(asks(address, "/").await).await.ends_with("hello") {
            time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn a_slow_head_is_cut_off() {
        let (address, _) = server().await;
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HTTP/1.1\r\nhost: ").await.unwrap();
        let text = time::timeout(HEAD, answer(slow)).await;
        assert!(!text.expect("closed early").contains("hello"));
    }
}
