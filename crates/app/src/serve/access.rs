//! Who may do what: roles, the tokens that give them, and the hosts that may be named.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    net::IpAddr,
    path::Path,
};

use anyhow::{Context, bail};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use clap::ValueEnum;
use ring::rand::{SecureRandom, SystemRandom};
use serde::Serialize;
use utoipa::ToSchema;

/// What a client may do. Each role includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Ask questions
    Read,
    /// Also judge hits and train
    Judge,
    /// Also import and delete games
    Manage,
}

impl Role {
    fn words(self) -> &'static str {
        match self {
            Role::Read => "read",
            Role::Judge => "judge",
            Role::Manage => "manage",
        }
    }

    /// The role that a request needs; `None` if everybody may send it.
    pub(crate) fn needed(method: &Method, path: &str) -> Option<Role> {
        let is_public = !path.starts_with("/api/") && path != "/metrics" || PUBLIC.contains(&path);
        match method.is_safe() {
            true if is_public => None,
            true => Some(Role::Read),
            false if JUDGING.iter().any(|it| path.starts_with(it)) => Some(Role::Judge),
            false => Some(Role::Manage),
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

/// The addresses of the API that need no token.
const PUBLIC: [&str; 3] = ["/api/v1/access", "/api/v1/health", "/api/v1/openapi.json"];

/// The addresses that judges may write to; all others need [`Role::Manage`].
const JUDGING: [&str; 2] = ["/api/v1/judgments", "/api/v1/training"];

/// The cookie that keeps a browser's token.
const COOKIE: &str = "tabiya";

/// The shortest token that a file may contain.
const SHORTEST_TOKEN: usize = 16;

/// A secret, and the role that it gives.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token {
    secret: String,
    role: Role,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Token({})", self.role)
    }
}

impl Token {
    /// A new token for everything: 128 random bits.
    pub(crate) fn random() -> anyhow::Result<Token> {
        let mut bytes = [0; 16];
        let filled = SystemRandom::new().fill(&mut bytes);
        filled.map_err(|_| anyhow::anyhow!("the system gives no random numbers"))?;
        Ok(Token {
            secret: format!("{:032x}", u128::from_le_bytes(bytes)),
            role: Role::Manage,
        })
    }

    /// The text that a client sends.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// Reads a file of tokens: on each line a role and a token, or a token for everything.
    /// Writes a new token to a file that does not exist.
    pub(crate) fn read_file(path: &Path) -> anyhow::Result<Vec<Token>> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let token = Token::random()?;
                write_secretly(path, &format!("manage {}\n", token.secret))
                    .with_context(|| format!("cannot write {}", path.display()))?;
                return Ok(vec![token]);
            }
            Err(error) => bail!("cannot read {}: {error}", path.display()),
        };
        let lines = (1..).zip(text.lines().map(str::trim));
        let lines = lines.filter(|(_, it)| !it.is_empty() && !it.starts_with('#'));
        let tokens = lines.map(|(number, line)| {
            Token::parse(line).with_context(|| format!("{}, line {number}", path.display()))
        });
        let tokens = tokens.collect::<anyhow::Result<Vec<Token>>>()?;
        if tokens.is_empty() {
            bail!(
                "{} contains no token; remove it to get a new one",
                path.display()
            );
        }
        Ok(tokens)
    }

    fn parse(line: &str) -> anyhow::Result<Token> {
        let (role, secret) = line
            .split_once(char::is_whitespace)
            .unwrap_or(("manage", line));
        let Ok(role) = Role::from_str(role, true) else {
            bail!("\"{role}\" is not a role; write read, judge or manage before the token");
        };
        let secret = secret.trim();
        if secret.len() < SHORTEST_TOKEN || !secret.bytes().all(|it| it.is_ascii_alphanumeric()) {
            bail!("a token has at least {SHORTEST_TOKEN} letters and digits");
        }
        let secret = secret.to_owned();
        Ok(Token { secret, role })
    }

    /// Whether this is the token that a client sent. Takes the same time wherever they differ.
    fn is(&self, sent: &str) -> bool {
        let pairs = self.secret.bytes().zip(sent.bytes());
        let differences = pairs.fold(0, |all, (ours, theirs)| all | (ours ^ theirs));
        self.secret.len() == sent.len() && std::hint::black_box(differences) == 0
    }
}

/// Writes a new file that only its owner can read.
fn write_secretly(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Who may do what on a server.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// Whether only this machine can reach the server.
    pub(crate) is_private: bool,
    /// What clients without a token may do.
    pub(crate) anyone: Option<Role>,
    /// The tokens that are valid.
    pub(crate) tokens: Vec<Token>,
    /// The most that any client may do.
    pub(crate) most: Role,
    /// Names of the server, beside addresses.
    pub(crate) hosts: Vec<String>,
}

impl Access {
    /// Everything for everybody on this machine.
    #[cfg(test)]
    pub(crate) fn private() -> Access {
        Access {
            is_private: true,
            anyone: Some(Role::Manage),
            tokens: Vec::new(),
            most: Role::Manage,
            hosts: Vec::new(),
        }
    }

    /// What the sender of a request may do; `None` without a valid token.
    pub(crate) fn role(&self, headers: &HeaderMap) -> Option<Role> {
        let sent = sent_token(headers);
        let of_token = sent.and_then(|it| self.role_of(it));
        of_token.max(self.anyone).map(|it| it.min(self.most))
    }

    /// The role that a token gives.
    fn role_of(&self, sent: &str) -> Option<Role> {
        let valid = self.tokens.iter().filter(|it| it.is(sent));
        valid.map(|it| it.role).max()
    }

    /// The cookie for a token that came with the address of the page.
    pub(crate) fn cookie(&self, query: &str) -> Option<HeaderValue> {
        let mut fields = query.split('&');
        let token = fields.find_map(|it| it.strip_prefix("token="))?;
        self.role_of(token)?;
        let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict");
        HeaderValue::from_str(&cookie).ok()
    }

    /// Whether requests may name this host. An address cannot be made to point elsewhere, a name can.
    pub(crate) fn admits_host(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => name,
            _ => host,
        };
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let address = name.trim_start_matches('[').trim_end_matches(']').parse();
        address.is_ok_and(|it: IpAddr| it.is_loopback() || !self.is_private)
            || name == "localhost"
            || name.ends_with(".localhost")
            || self.hosts.iter().any(|it| it.eq_ignore_ascii_case(&name))
    }
}

/// The token that a client sent as a header or a cookie.
fn sent_token(headers: &HeaderMap) -> Option<&str> {
    let text = |name| headers.get(name).and_then(|it| it.to_str().ok());
    let bearer = text(header::AUTHORIZATION).and_then(|it| it.strip_prefix("Bearer "));
    let cookies = headers.get_all(header::COOKIE).iter();
    let mut cookies = cookies
        .filter_map(|it| it.to_str().ok())
        .flat_map(|it| it.split(';'));
    let cookie = || cookies.find_map(|it| it.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    bearer.map(str::trim).or_else(cookie)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access() -> Access {
        let token = |line: &str| Token::parse(line).unwrap();
        Access {
            is_private: false,
            anyone: None,
            tokens: vec![
                token("read aaaaaaaaaaaaaaaa"),
                token("judge bbbbbbbbbbbbbbbb"),
                token("cccccccccccccccc"),
            ],
            hosts: vec!["chess.example".to_owned()],
            ..Access::private()
        }
    }

    fn sent(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn tokens_give_roles() {
        let access = access();
        for (name, value, role) in [
            (
                header::AUTHORIZATION,
                "Bearer aaaaaaaaaaaaaaaa",
                Some(Role::Read),
            ),
            (
                header::AUTHORIZATION,
                "Bearer bbbbbbbbbbbbbbbb",
                Some(Role::Judge),
            ),
            (
                header::COOKIE,
                "a=1; tabiya=cccccccccccccccc",
                Some(Role::Manage),
            ),
            (header::COOKIE, "tabiyaa=cccccccccccccccc", None),
            (header::AUTHORIZATION, "Bearer cccccccccccccccC", None),
            (header::AUTHORIZATION, "Bearer cccccccccccccccc0", None),
            (header::AUTHORIZATION, "Bearer ", None),
            (header::AUTHORIZATION, "cccccccccccccccc", None),
        ] {
            assert_eq!(access.role(&sent(name, value)), role, "{value}");
        }
        assert_eq!(access.role(&HeaderMap::new()), None);
        let open = Access {
            anyone: Some(Role::Judge),
            most: Role::Read,
            ..access
        };
        let most = sent(header::AUTHORIZATION, "Bearer cccccccccccccccc");
        assert_eq!(open.role(&most), Some(Role::Read));
        assert_eq!(open.role(&HeaderMap::new()), Some(Role::Read));
    }

    #[test]
    fn every_write_needs_a_role() {
        for (method, path, role) in [
            (Method::GET, "/", None),
            (Method::GET, "/api/v1/health", None),
            (Method::GET, "/metrics", Some(Role::Read)),
            (Method::GET, "/api/v1/search", Some(Role::Read)),
            (Method::POST, "/api/v1/judgments", Some(Role::Judge)),
            (Method::PUT, "/api/v1/judgments/qrels", Some(Role::Judge)),
            (Method::POST, "/api/v1/health", Some(Role::Manage)),
            (Method::DELETE, "/api/v1/collections/x", Some(Role::Manage)),
        ] {
            assert_eq!(Role::needed(&method, path), role, "{method} {path}");
        }
    }

    #[test]
    fn files_of_tokens_are_made_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let made = Token::read_file(&path).unwrap();
        assert_eq!(Token::read_file(&path).unwrap(), made);
        fs::write(&path, "# mine\n\nread aaaaaaaaaaaaaaaa\nAAAAAAAAAAAAAAAA\n").unwrap();
        let roles = Token::read_file(&path).unwrap();
        let roles: Vec<Role> = roles.iter().map(|it| it.role).collect();
        assert_eq!(roles, [Role::Read, Role::Manage]);
        for (text, words) in [
            ("", "contains no token"),
            ("\nread short", "line 2"),
            ("write aaaaaaaaaaaaaaaa", "line 1"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Token::read_file(&path).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn only_known_hosts_pass() {
        #[track_caller]
        fn check(host: &str, private: bool, public: bool) {
            assert_eq!(Access::private().admits_host(host), private, "{host}");
            assert_eq!(access().admits_host(host), public, "{host}");
        }
        for host in [
            "localhost",
            "127.0.0.1:7777",
            "127.0.0.2:7777",
            "[::1]:80",
            "LOCALHOST.:80",
            "tabiya.localhost:1",
        ] {
            check(host, true, true);
        }
        for host in [
            "chess.example",
            "Chess.Example:443",
            "192.168.0.1",
            "[fe80::1]:80",
        ] {
            check(host, false, true);
        }
        for host in [
            "example.org",
            "127.0.0.1.example.org",
            "localhost.example:80",
            "",
        ] {
            check(host, false, false);
        }
    }
}
