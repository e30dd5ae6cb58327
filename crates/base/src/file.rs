//! The files of a base, which differ in their endings.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The file beside another that differs in its ending, in capitals or not.
pub(crate) fn sibling(path: &Path, ending: &str) -> PathBuf {
    let exact = path.with_extension(ending);
    if exact.exists() {
        return exact;
    }
    let wanted = exact.file_name().unwrap_or_default().to_string_lossy();
    let wanted = wanted.to_lowercase();
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new(".")));
    let mut paths = entries.into_iter().flatten().flatten().map(|it| it.path());
    paths
        .find(|it| {
            let name = it.file_name().unwrap_or_default().to_string_lossy();
            name.to_lowercase() == wanted
        })
        .unwrap_or(exact)
}
