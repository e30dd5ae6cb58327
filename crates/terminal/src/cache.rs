//! The folder where programs keep what they can make or fetch again.

use std::{env, path::PathBuf};

/// The user's cache folder of Tabiya, if the system has one.
pub fn folder() -> Option<PathBuf> {
    let set = |name| {
        env::var_os(name)
            .filter(|it| !it.is_empty())
            .map(PathBuf::from)
    };
    let home = || set("HOME").map(|it| it.join(".cache"));
    set("XDG_CACHE_HOME")
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(home)
        .map(|it| it.join("tabiya"))
}

/// A folder that every user has, for what does not fit in the cache folder.
pub fn temporary_folder() -> PathBuf {
    env::temp_dir().join("tabiya")
}

/// The folder of unfinished downloads.
pub fn downloads() -> PathBuf {
    folder().unwrap_or_else(temporary_folder).join("downloads")
}
