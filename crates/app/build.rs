//! Puts the built page (`web/dist`) into the program, if there is one. Without
//! it, on a machine where `make web` never ran, everything else works the same.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../web");
    let root = web.join("dist");
    let mut files = BTreeMap::new();
    // A folder that is not there would count as changed in every build.
    let watched = match root.is_dir() {
        true => &root,
        false => &web,
    };
    println!("cargo::rerun-if-changed={}", watched.display());
    if root.is_dir() {
        collect(&root, "", &mut files)?;
    }
    let rows = files
        .iter()
        .map(|(name, path)| format!("({name:?}, include_bytes!({path:?})),"));
    let code = format!("&[{}]", rows.collect::<String>());
    fs::write(Path::new(&env::var("OUT_DIR")?).join("page.rs"), code)?;
    Ok(())
}

/// The files below a folder by their names on the server, but for hidden ones.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), files)?;
        } else if !name.starts_with('.') {
            files.insert(format!("{prefix}{name}"), entry.path());
        }
    }
    Ok(())
}
