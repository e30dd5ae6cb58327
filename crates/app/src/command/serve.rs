//! `tabiya serve`: the web page and the HTTP API.

use std::{
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use tokio::net::TcpListener;
use tracing_subscriber::filter::LevelFilter;

use tabiya_terminal::{data, progress::grouped, sample};

use crate::serve::{
    self, Shelf, State,
    access::{Access, Role, Token},
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tabiya serve
  tabiya serve --db my-games --db masters --port 8080
  tabiya serve --home collections --engine stockfish
  tabiya serve --address 0.0.0.0 --token-file tokens
  curl \"http://127.0.0.1:7777/api/v1/search?fen=4k3/8/8/8/8/8/4P3/4K3%20w&top=3\"

The page sets up, searches and judges positions. /api/v1/openapi.json describes the API,
/metrics reports metrics for Prometheus.")]
pub(crate) struct Options {
    /// Directory of a collection; may be repeated [default: the built-in games]
    #[arg(long, value_name = "DIR", env = "TABIYA_DB", hide_env_values = true)]
    db: Vec<PathBuf>,

    /// Directory of the collections that the page imports, renames and deletes [default: the user's
    /// data directory, unless --db is given]
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,

    /// UCI engine that analyzes positions [default: the built-in engine]
    #[arg(long, value_name = "PATH")]
    engine: Option<PathBuf>,

    /// Address to listen on; any other address exposes the server to your network, so clients
    /// then need a token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,

    /// Port to listen on; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 7777)]
    port: u16,

    /// Name of the server, for example behind a reverse proxy; clients then need a token
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,

    /// File of tokens, on each line a role (read, judge, manage) and a token; written with a new
    /// token if it does not exist
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Let nobody judge, train, import or delete
    #[arg(long)]
    read_only: bool,

    /// Let clients without a token do this much
    #[arg(
        long,
        value_name = "ROLE",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "read"
    )]
    open: Option<Role>,

    /// Log level on standard error
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    log: Log,

    /// Print the address and the log as JSON lines
    #[arg(long)]
    json: bool,
}

/// The log level.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Log {
    /// Nothing
    Off,
    /// Errors
    Error,
    /// Errors and warnings
    #[default]
    Warn,
    /// Also every request
    Info,
    /// Everything
    Debug,
}

impl Log {
    const fn filter(self) -> LevelFilter {
        match self {
            Log::Off => LevelFilter::OFF,
            Log::Error => LevelFilter::ERROR,
            Log::Warn => LevelFilter::WARN,
            Log::Info => LevelFilter::INFO,
            Log::Debug => LevelFilter::DEBUG,
        }
    }
}

impl Options {
    /// Who may do what. On the loopback address, everybody may do everything.
    fn access(&self) -> anyhow::Result<Access> {
        let is_private = self.address.is_loopback() && self.hosts.is_empty();
        let is_free = is_private && self.token_file.is_none();
        let tokens = match &self.token_file {
            Some(path) => Token::read_file(path)?,
            None if is_free => Vec::new(),
            None => vec![Token::random()?],
        };
        Ok(Access {
            is_private,
            anyone: self.open.or(is_free.then_some(Role::Manage)),
            tokens,
            most: if self.read_only {
                Role::Read
            } else {
                Role::Manage
            },
            hosts: self.hosts.clone(),
        })
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    start_log(options);
    let mut state = State::new(shelf(options)?, options.access()?);
    state.engine.clone_from(&options.engine);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(options, Arc::new(state)));
    // Nobody waits for unfinished work any more.
    runtime.shutdown_background();
    served
}

/// The collections to serve: those given, and those of the home; without either, the built-in games.
fn shelf(options: &Options) -> anyhow::Result<Shelf> {
    let given = options.db.iter().filter(|it| !it.as_os_str().is_empty());
    let named = |it: &PathBuf| {
        let name = it
            .file_name()
            .map_or("games".into(), |it| it.to_string_lossy());
        (name.replace(',', " "), it.clone())
    };
    let mut given: Vec<(String, PathBuf)> = given.map(named).collect();
    let home = match &options.home {
        Some(home) => Some(home.clone()),
        None if given.is_empty() => data::folder().map(|it| it.join("collections")),
        None => None,
    };
    if given.is_empty() {
        given.push(("sample".to_owned(), sample::open()?.folder().to_owned()));
    }
    Ok(Shelf::new(given, home)?)
}

async fn serve(options: &Options, state: Arc<State>) -> anyhow::Result<()> {
    let address = SocketAddr::new(options.address, options.port);
    let listener = TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address}; choose another --port, or 0 for a free one")
    })?;
    announce(options, listener.local_addr()?, &state)?;
    serve::run(listener, state, serve::interrupted()).await;
    Ok(())
}

/// Prints the address of the page, with the token if it is new.
fn announce(options: &Options, address: SocketAddr, state: &State) -> io::Result<()> {
    let url = format!("http://{address}");
    let all = state.shelf.all();
    let games = all.iter().map(|it| it.collection().games()).sum();
    let token = state.access.tokens.first().map(Token::secret);
    let token = token.filter(|_| options.token_file.is_none());
    if options.json {
        say!(
            "{}",
            serde_json::json!({ "address": url, "games": games, "token": token })
        );
    } else {
        let entry = token.map_or(String::new(), |it| format!("/?token={it}"));
        say!(
            "Tabiya is running at {url}{entry} ({} games); press Ctrl-C to stop",
            grouped(games)
        );
    }
    // Programs that wait for the address read it from a pipe.
    io::stdout().flush()
}

fn start_log(options: &Options) {
    let log = tracing_subscriber::fmt()
        .with_max_level(options.log.filter())
        .with_writer(io::stderr)
        .with_target(false);
    // A process has one log; if it is already set up, that one serves.
    let _ = if options.json {
        log.json().try_init()
    } else {
        log.try_init()
    };
}
