//! A pattern as a parameter, and the user's own patterns.

use std::{env, fs, path::PathBuf, sync::OnceLock};

use clap::Args;
use serde::Serialize;
use tabiya_pattern::{Names, Pattern};

use crate::Invalid;

/// A pattern.
#[derive(Clone, Debug, Default, Args, Serialize)]
pub struct PatternParameter {
    /// The pattern, such as 'flipcolor {Pd4 pd5 not Pc1-8}', or the name of one, such as @iqp
    #[arg(value_name = "QUERY")]
    query: Option<String>,
}

impl PatternParameter {
    /// Sets the text.
    pub fn set(&mut self, query: String) {
        self.query = Some(query);
    }

    /// Checks that there is a pattern.
    ///
    /// # Errors
    ///
    /// When it is missing or wrong; the message says where.
    pub fn settle(&self) -> Result<(), Invalid> {
        self.pattern().map(drop)
    }

    /// The pattern.
    ///
    /// # Errors
    ///
    /// When it is missing or wrong.
    pub fn pattern(&self) -> Result<Pattern, Invalid> {
        let text = self.query.as_deref().unwrap_or_default();
        if text.trim().is_empty() {
            let remedy = "give a pattern such as 'Pd4 pd5', or the name of one, such as @iqp";
            return Err(Invalid::new("query", remedy));
        }
        read_pattern(text).map_err(|message| Invalid::new("query", message))
    }
}

/// Reads a pattern that may use built-in names and the user's own.
///
/// # Errors
///
/// What is wrong with the pattern, or with the user's file if it uses a name.
pub fn read_pattern(text: &str) -> Result<Pattern, String> {
    let names = match text.contains('@') {
        true => names()?,
        false => Names::built_in(),
    };
    Pattern::read(text, names).map_err(|error| error.to_string())
}

/// The built-in patterns and the user's own, read once.
///
/// # Errors
///
/// When the user's file cannot be read.
pub fn names() -> Result<&'static Names, String> {
    static NAMES: OnceLock<Result<Names, String>> = OnceLock::new();
    let read = || {
        let built_in = Names::built_in();
        let Some(path) = user_file().filter(|it| it.exists()) else {
            return Ok(built_in.clone());
        };
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| named(&error))?;
        let own = Names::read(&text).map_err(|error| named(&error))?;
        Ok(built_in.and(&own))
    };
    NAMES.get_or_init(read).as_ref().map_err(Clone::clone)
}

/// The file of the user's patterns: `TABIYA_PATTERNS`, or `tabiya/patterns.txt` in the configuration folder.
fn user_file() -> Option<PathBuf> {
    if let Some(path) = env::var_os("TABIYA_PATTERNS") {
        return Some(path.into());
    }
    let config = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".config"));
    Some(config.or_else(home)?.join("tabiya").join("patterns.txt"))
}
