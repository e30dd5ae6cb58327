//! What a crash leaves: records the operations on a folder, and makes every folder that a crash
//! among them could leave.
//!
//! The model is the strictest that a file system may be. What was written to a file and not
//! synced may be there, be lost, or be there by half. New names, renames and removals that were
//! not followed by a sync of their folder may be lost, the later ones first.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// An operation on files; a file is known by the number of its opening.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Open(usize, PathBuf, Opening),
    Write(usize, Vec<u8>),
    Cut(usize, u64),
    Sync(usize),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    Folder(PathBuf),
    SyncFolder(PathBuf),
}

/// How a file is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opening {
    New,
    Empty,
    Append,
}

/// An open file of a recorded folder.
#[derive(Debug)]
pub(crate) struct Handle(Arc<Recorder>, usize);

/// Records what happens under a folder.
pub(crate) struct Recorder {
    root: PathBuf,
    ops: Mutex<Vec<Op>>,
    /// The number of the operation that fails.
    failing: Option<usize>,
    /// Called before each operation.
    hook: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recorder({})", self.root.display())
    }
}

static RECORDERS: Mutex<Vec<Arc<Recorder>>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn recorder(path: &Path) -> Option<Arc<Recorder>> {
    let recorders = locked(&RECORDERS);
    recorders
        .iter()
        .find(|it| path.starts_with(&it.root))
        .cloned()
}

impl Recorder {
    fn add(&self, op: impl FnOnce(usize) -> Op) -> io::Result<usize> {
        (self.hook)();
        let mut ops = locked(&self.ops);
        let number = ops.len();
        if self.failing == Some(number) {
            return Err(io::Error::other("failed on purpose"));
        }
        ops.push(op(number));
        Ok(number)
    }

    /// The number of operations so far.
    pub(crate) fn count(&self) -> usize {
        locked(&self.ops).len()
    }
}

pub(super) fn open(path: &Path, opening: Opening) -> io::Result<Option<Handle>> {
    let Some(recorder) = recorder(path) else {
        return Ok(None);
    };
    let number = recorder.add(|it| Op::Open(it, path.to_owned(), opening))?;
    Ok(Some(Handle(recorder, number)))
}

pub(super) fn on(handle: Option<&Handle>, op: impl FnOnce(usize) -> Op) -> io::Result<()> {
    if let Some(Handle(recorder, number)) = handle {
        recorder.add(|_| op(*number))?;
    }
    Ok(())
}

pub(super) fn record(path: &Path, op: impl FnOnce() -> Op) -> io::Result<()> {
    if let Some(recorder) = recorder(path) {
        recorder.add(|_| op())?;
    }
    Ok(())
}

/// Runs something and returns what it did to the files under a folder. `failing` names the
/// operation that fails, `hook` is called before each.
pub(crate) fn recorded<T>(
    root: &Path,
    failing: Option<usize>,
    hook: impl Fn() + Send + Sync + 'static,
    run: impl FnOnce(&Recorder) -> T,
) -> (T, Vec<Op>) {
    let recorder = Arc::new(Recorder {
        root: root.to_owned(),
        ops: Mutex::default(),
        failing,
        hook: Box::new(hook),
    });
    locked(&RECORDERS).push(recorder.clone());
    let result = run(&recorder);
    locked(&RECORDERS).retain(|it| !Arc::ptr_eq(it, &recorder));
    let ops = std::mem::take(&mut *locked(&recorder.ops));
    (result, ops)
}

/// The contents of a folder: files by path, folders as `None`.
pub(crate) type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Reads a folder.
pub(crate) fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tree.insert(path.clone(), None);
            tree.extend(read(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            tree.insert(path, Some(bytes));
        }
    }
    tree
}

/// Makes a folder that holds what a tree of another one says.
pub(crate) fn make(tree: &Tree, from: &Path, root: &Path) {
    for (path, bytes) in tree {
        let place = root.join(path.strip_prefix(from).unwrap());
        match bytes {
            Some(bytes) => fs::write(place, bytes).unwrap(),
            None => fs::create_dir(place).unwrap(),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Inode {
    is_folder: bool,
    /// What is safely on disk, and what was written since.
    bytes: Vec<u8>,
    later: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Add(Vec<u8>),
    Cut(usize),
}

impl Inode {
    fn with(&self, changes: &[Change]) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for change in changes {
            match change {
                Change::Add(more) => bytes.extend(more),
                Change::Cut(length) => bytes.truncate(*length),
            }
        }
        bytes
    }

    /// What a crash may leave of the file.
    fn after_crash(&self) -> Vec<Vec<u8>> {
        let mut all = vec![self.with(&self.later)];
        if let Some((last, before)) = self.later.split_last() {
            all.push(self.bytes.clone());
            if let Change::Add(bytes) = last {
                let half = Change::Add(bytes[..bytes.len() / 2].to_vec());
                all.push(self.with(&[before, &[half]].concat()));
            }
        }
        all.dedup();
        all
    }
}

#[derive(Clone, Debug)]
enum Naming {
    Link(PathBuf, usize),
    Unlink(PathBuf),
    Rename(PathBuf, PathBuf),
}

impl Naming {
    fn folder(&self) -> &Path {
        let (Naming::Link(path, _) | Naming::Unlink(path) | Naming::Rename(_, path)) = self;
        path.parent().unwrap()
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Naming::Link(path, inode) => drop(names.insert(path.clone(), *inode)),
            Naming::Unlink(path) => drop(names.remove(path)),
            Naming::Rename(from, to) => {
                if let Some(inode) = names.remove(from) {
                    names.insert(to.clone(), inode);
                }
            }
        }
    }
}

/// A file system on which operations are replayed.
#[derive(Clone, Debug)]
struct Disk {
    root: PathBuf,
    inodes: Vec<Inode>,
    /// The names that are safely on disk, and those that changed since.
    names: BTreeMap<PathBuf, usize>,
    later: Vec<Naming>,
    handles: BTreeMap<usize, usize>,
}

impl Disk {
    fn new(root: &Path, tree: &Tree) -> Disk {
        let mut disk = Disk {
            root: root.to_owned(),
            inodes: Vec::new(),
            names: BTreeMap::new(),
            later: Vec::new(),
            handles: BTreeMap::new(),
        };
        for (path, bytes) in tree {
            disk.names.insert(path.clone(), disk.inodes.len());
            disk.inodes.push(Inode {
                is_folder: bytes.is_none(),
                bytes: bytes.clone().unwrap_or_default(),
                later: Vec::new(),
            });
        }
        disk
    }

    fn names(&self, later: usize) -> BTreeMap<PathBuf, usize> {
        let mut names = self.names.clone();
        self.later[..later]
            .iter()
            .for_each(|it| it.apply(&mut names));
        names
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Open(number, path, opening) => {
                let found = self.names(self.later.len()).get(path).copied();
                let inode = found.unwrap_or(self.inodes.len());
                if found.is_none() {
                    self.inodes.push(Inode::default());
                    self.later.push(Naming::Link(path.clone(), inode));
                } else if matches!(opening, Opening::Empty) {
                    self.inodes[inode].later.push(Change::Cut(0));
                }
                self.handles.insert(*number, inode);
            }
            Op::Write(handle, bytes) => self.change(*handle, Change::Add(bytes.clone())),
            Op::Cut(handle, length) => self.change(*handle, Change::Cut(*length as usize)),
            Op::Sync(handle) => {
                let inode = &mut self.inodes[self.handles[handle]];
                inode.bytes = inode.with(&inode.later);
                inode.later.clear();
            }
            Op::Rename(from, to) => self.later.push(Naming::Rename(from.clone(), to.clone())),
            Op::Remove(path) => self.later.push(Naming::Unlink(path.clone())),
            Op::Folder(path) => {
                let inode = Inode {
                    is_folder: true,
                    ..Inode::default()
                };
                self.later
                    .push(Naming::Link(path.clone(), self.inodes.len()));
                self.inodes.push(inode);
            }
            Op::SyncFolder(folder) => {
                for naming in std::mem::take(&mut self.later) {
                    match naming.folder() == folder {
                        true => naming.apply(&mut self.names),
                        false => self.later.push(naming),
                    }
                }
            }
        }
    }

    fn change(&mut self, handle: usize, change: Change) {
        let inode = self.handles[&handle];
        self.inodes[inode].later.push(change);
    }

    /// Every folder that a crash may leave now.
    fn after_crash(&self) -> Vec<Tree> {
        let mut trees = Vec::new();
        for later in 0..=self.later.len() {
            let names = self.names(later);
            let is_there = |path: &Path| {
                let mut above = path.ancestors().skip(1);
                above.all(|it| self.root.starts_with(it) || names.contains_key(it))
            };
            let mut all = vec![Tree::new()];
            for (path, &inode) in names.iter().filter(|it| is_there(it.0)) {
                let inode = &self.inodes[inode];
                let choices = match inode.is_folder {
                    true => vec![None],
                    false => inode.after_crash().into_iter().map(Some).collect(),
                };
                all = all
                    .iter()
                    .flat_map(|tree| {
                        choices.iter().map(|it| {
                            let mut tree = tree.clone();
                            tree.insert(path.clone(), it.clone());
                            tree
                        })
                    })
                    .collect();
            }
            trees.extend(all);
        }
        trees
    }
}

/// Hands over every folder that a crash among the operations may leave, with the number of
/// operations before it.
pub(crate) fn for_each_crash(
    root: &Path,
    before: &Tree,
    ops: &[Op],
    mut visit: impl FnMut(usize, &Tree),
) {
    let mut disk = Disk::new(root, before);
    for done in 0..=ops.len() {
        for tree in disk.after_crash() {
            visit(done, &tree);
        }
        if let Some(op) = ops.get(done) {
            disk.apply(op);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, io::Write};

    use super::*;
    use crate::disk;

    /// What a crash may leave of a file that is replaced.
    fn left(is_synced: bool) -> BTreeSet<Option<Vec<u8>>> {
        let folder = tempfile::tempdir().unwrap();
        let (path, beside) = (folder.path().join("file"), folder.path().join("new"));
        fs::write(&path, "old").unwrap();
        let before = read(folder.path());
        let run = |_: &Recorder| {
            let mut file = disk::File::create(&beside).unwrap();
            file.write_all(b"next").unwrap();
            if is_synced {
                file.sync().unwrap();
            }
            disk::rename(&beside, &path).unwrap();
            disk::sync_folder(folder.path()).unwrap();
        };
        let ((), ops) = recorded(folder.path(), None, || (), run);
        let mut left = BTreeSet::new();
        for_each_crash(folder.path(), &before, &ops, |_, tree| {
            left.insert(tree.get(&path).cloned().flatten());
        });
        left
    }

    #[test]
    fn a_missing_sync_is_noticed() {
        let texts = |all: &[&str]| all.iter().map(|it| Some(it.as_bytes().to_vec())).collect();
        assert_eq!(left(true), texts(&["old", "next"]));
        assert_eq!(left(false), texts(&["old", "next", "ne", ""]));
    }
}
