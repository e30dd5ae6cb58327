//! The folder where programs keep what belongs to the user.

use std::{env, path::PathBuf};

/// The user's data folder of Tabiya, if the system has one.
pub fn folder() -> Option<PathBuf> {
    let set = |name| {
        env::var_os(name)
            .filter(|it| !it.is_empty())
            .map(PathBuf::from)
    };
    let home = || set("HOME").map(|it| it.join(".local/share"));
    set("XDG_DATA_HOME")
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(home)
        .map(|it| it.join("tabiya"))
}
