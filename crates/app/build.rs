//! Puts the built page (`web/dist`) into the program, if there is one. Without
//! it, on a machine where `make web` never ran, everything else works the same.

use std::{
    env,
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    let web = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../web");
    let root = web.join("dist");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, &mut files)?;
        warn_if_outdated(&web, &files)?;
    }
    files.sort();
    let mut code = String::from("&[\n");
    for file in &files {
        let name = file
            .strip_prefix(&root)?
            .to_string_lossy()
            .replace('\\', "/");
        let path = file.canonicalize()?;
        writeln!(code, "({name:?}, include_bytes!({path:?})),")?;
    }
    code.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("page.rs"), code)?;
    Ok(())
}

/// Says so if the page is older than what it is made of.
fn warn_if_outdated(web: &Path, built: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", web.join("src").display());
    let mut sources = Vec::new();
    collect(&web.join("src"), &mut sources)?;
    let newest = |files: &[PathBuf]| {
        let times = files
            .iter()
            .filter_map(|it| it.metadata().ok()?.modified().ok());
        times.max()
    };
    if newest(&sources) > newest(built) {
        println!(
            "cargo::warning=web/dist is older than web/src; rebuild the page with: make web"
        );
    }
    Ok(())
}

/// All files below a folder, but for hidden ones.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
