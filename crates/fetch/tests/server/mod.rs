//! A server on loopback that answers as a test wants.

#![allow(dead_code, reason = "every test program uses its part")]

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// What a client asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The first byte that it wants.
    pub(crate) from: Option<usize>,
    pub(crate) if_range: Option<String>,
    pub(crate) user_agent: Option<String>,
    /// How many requests for this path came before.
    pub(crate) earlier: usize,
}

/// What the server sends.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    announces_length: bool,
    /// Bytes of the body after which it stops.
    cut: usize,
    /// Whether it then keeps the connection open and says nothing.
    hangs: bool,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status,
            headers: Vec::new(),
            body: body.into(),
            announces_length: true,
            cut: usize::MAX,
            hangs: false,
        }
    }

    /// A file, or the rest of it, as a server with ranges sends it.
    pub(crate) fn file(request: &Request, body: &[u8], tag: &str) -> Reply {
        let is_same = request.if_range.as_deref().is_none_or(|it| it == tag);
        let total = body.len();
        let reply = match request.from.filter(|_| is_same) {
            None => Reply::new(200, body),
            Some(from) if from >= total => {
                Reply::new(416, "").header("Content-Range", format!("bytes */{total}"))
            }
            Some(from) => Reply::new(206, &body[from..]).header(
                "Content-Range",
                format!("bytes {from}-{}/{total}", total - 1),
            ),
        };
        reply.header("ETag", tag)
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    /// Cuts the connection after some bytes of the body.
    pub(crate) fn cut(self, cut: usize) -> Reply {
        Reply { cut, ..self }
    }

    /// Sends some bytes of the body and then nothing, on an open connection.
    pub(crate) fn hang(self, cut: usize) -> Reply {
        Reply {
            hangs: true,
            ..self.cut(cut)
        }
    }

    /// Does not say how long the body is.
    pub(crate) fn without_length(self) -> Reply {
        Reply {
            announces_length: false,
            ..self
        }
    }

    fn send(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let mut head = format!("HTTP/1.1 {} Status\r\nConnection: close\r\n", self.status);
        if self.announces_length {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes())?;
        stream.write_all(&self.body[..self.cut.min(self.body.len())])
    }
}

/// A server that runs as long as the process.
pub(crate) struct Server {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) fn new(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (requests.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, answer) = (seen.clone(), answer.clone());
                thread::spawn(move || talk(stream.unwrap(), &seen, &*answer));
            }
        });
        Server { address, requests }
    }

    /// The requests for a path so far.
    pub(crate) fn requests(&self, path: &str) -> Vec<Request> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .filter(|it| it.path == path)
            .cloned()
            .collect()
    }
}

fn talk(mut stream: TcpStream, seen: &Mutex<Vec<Request>>, answer: &dyn Fn(&Request) -> Reply) {
    let mut request = Request::default();
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    for (number, line) in lines.map_while(Result::ok).enumerate() {
        if line.is_empty() {
            break;
        }
        if number == 0 {
            request.path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        }
        let Some((name, value)) = line.split_once(": ") else {
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "range" => {
                let from = value.trim_start_matches("bytes=").trim_end_matches('-');
                request.from = Some(from.parse().unwrap());
            }
            "if-range" => request.if_range = Some(value.to_owned()),
            "user-agent" => request.user_agent = Some(value.to_owned()),
            _ => {}
        }
    }
    {
        let mut seen = seen.lock().unwrap();
        request.earlier = seen.iter().filter(|it| it.path == request.path).count();
        seen.push(request.clone());
    }
    let reply = answer(&request);
    // A client that leaves early is what some tests are about.
    let _ = reply.send(&mut stream);
    if reply.hangs {
        // The connection stays open as long as the client wants it.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    }
}
