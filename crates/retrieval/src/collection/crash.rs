//! Crashes and failures at every operation of every change: the collection opens as it was
//! before or after, and the change can be made again. And two changes at once: every interleaving
//! of their operations in which the writers take turns thrice.

use std::{
    collections::{BTreeSet, VecDeque},
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
};

use tabiya_chess::{Ply, pgn::Input};
use tempfile::TempDir;

use super::{
    Collection, CollectionError, Delivery, Import, Judgment, Judgments, Progress, Writer, forget,
    merge, retain, verify,
};
use crate::{
    Filter, GameNumber,
    disk::{self, crash},
    index::{GameDigest, Segment},
    testing::{Dice, random_game},
};

const ONE: &[u8] = b"[White \"A\"]\n\n1. e4 e5 1-0\n\n[White \"B\"]\n\n1. d4 d5 *\n";
const TWO: &[u8] = b"[White \"C\"]\n\n1. c4 c5 *\n\n[White \"D\"]\n\n1. Zz9 *\n";

const THREE: &[u8] = b"[White \"E\"]\n\n1. g3 g6 *\n";

/// A change of a collection.
type Change = fn(&Path) -> Result<(), CollectionError>;

fn import(home: &Path, bytes: &'static [u8]) -> Result<(), CollectionError> {
    let name = "games";
    let import = Import {
        threads: Some(1),
        ..Import::new(vec![Input::BuiltIn { name, bytes }])
    };
    import.run(home, &Progress::default()).map(drop)
}

/// The games of a collection; nothing if there is none.
fn games(home: &Path) -> Option<Vec<GameDigest>> {
    let collection = match Collection::open(home) {
        Err(CollectionError::NotACollection(_)) => return None,
        opened => opened.unwrap(),
    };
    let digests = collection
        .segments()
        .iter()
        .flat_map(|it| it.digests().unwrap());
    Some(digests.collect())
}

/// A folder in which a change can be tried again and again.
struct Trial {
    _folder: TempDir,
    root: PathBuf,
    before: crash::Tree,
}

impl Trial {
    fn new(prepare: impl Fn(&Path)) -> Trial {
        // In memory, where the system has a folder there: real disks take their time to sync.
        let memory = Path::new("/dev/shm");
        let folder = match memory.is_dir() {
            true => tempfile::tempdir_in(memory).unwrap(),
            false => tempfile::tempdir().unwrap(),
        };
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        prepare(&root.join("home"));
        let before = crash::read(&root);
        Trial {
            _folder: folder,
            root,
            before,
        }
    }

    /// Puts the folder into a state, and returns the collection's.
    fn reset(&self, tree: &crash::Tree) -> PathBuf {
        fs::remove_dir_all(&self.root).unwrap();
        fs::create_dir(&self.root).unwrap();
        crash::make(tree, &self.root, &self.root);
        self.root.join("home")
    }
}

/// Checks a change: whatever fails and whenever the machine stops, the collection is as before
/// or as after, and the change can be made again.
fn check(prepare: impl Fn(&Path), change: Change) {
    let trial = Trial::new(prepare);
    let home = trial.reset(&trial.before);
    let before = games(&home);
    let (result, ops) = crash::recorded(&trial.root, None, || (), |_| change(&home));
    result.unwrap();
    let after = games(&home);
    assert_ne!(before, after, "the change changes something");
    assert!(verify(&Collection::open(&home).unwrap(), &Progress::default()).is_empty());
    // A new collection is empty first.
    let allowed = [before.clone(), after.clone(), Some(Vec::new())];
    let allowed = &allowed[..if before.is_none() { 3 } else { 2 }];
    let mut seen = BTreeSet::new();
    crash::for_each_crash(&trial.root, &trial.before, &ops, |done, tree| {
        if seen.insert(tree.clone()) {
            let home = trial.reset(tree);
            let left = games(&home);
            assert!(allowed.contains(&left), "after {done} of {ops:?}");
            change(&home).unwrap();
            assert_eq!(games(&home), after, "again after {done} of {ops:?}");
        }
    });
    assert!(seen.len() > ops.len() / 2, "{} crashes", seen.len());
    for failing in 0..ops.len() {
        let home = trial.reset(&trial.before);
        let _ = crash::recorded(&trial.root, Some(failing), || (), |_| change(&home));
        assert!(allowed.contains(&games(&home)), "failure at {failing}");
        change(&home).unwrap();
        assert_eq!(games(&home), after, "again after a failure at {failing}");
    }
    beside(&trial, change, allowed);
}

/// Checks that at every moment of a change others read the collection as it was before or after,
/// and that none of them can write.
fn beside(trial: &Trial, change: Change, allowed: &[Option<Vec<GameDigest>>]) {
    let home = trial.reset(&trial.before);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let look = {
        let (home, seen) = (home.clone(), seen.clone());
        move || {
            // Only while the collection is being made, nobody holds its lock.
            let is_free = Writer::open(&home).is_ok();
            seen.lock().unwrap().push((games(&home), is_free));
        }
    };
    let (result, _) = crash::recorded(&trial.root, None, look, |_| change(&home));
    result.unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|it| allowed.contains(&it.0)));
    let free = seen.iter().filter(|it| it.1).count();
    let is_new = allowed.len() > 2;
    assert!(free <= usize::from(is_new), "{free} times a second writer");
}

#[test]
fn a_first_import_survives() {
    check(|_| (), |home| import(home, ONE));
}

#[test]
fn an_import_survives() {
    check(|home| import(home, ONE).unwrap(), |home| import(home, TWO));
}

fn prepare_two(home: &Path) {
    import(home, ONE).unwrap();
    import(home, TWO).unwrap();
}

#[test]
fn a_merge_survives() {
    // The games stay the same, so the number of segments tells before from after.
    let trial = Trial::new(prepare_two);
    let run = |home: &Path| merge(home, &Progress::default());
    let home = trial.reset(&trial.before);
    let expected = games(&home);
    let (result, ops) = crash::recorded(&trial.root, None, || (), |_| run(&home));
    assert_eq!(result.unwrap(), (2, 1));
    let mut seen = BTreeSet::new();
    crash::for_each_crash(&trial.root, &trial.before, &ops, |done, tree| {
        if seen.insert(tree.clone()) {
            let home = trial.reset(tree);
            assert_eq!(games(&home), expected, "after {done}");
            let (_, segments) = run(&home).unwrap();
            assert_eq!((segments, games(&home)), (1, expected.clone()));
        }
    });
    for failing in 0..ops.len() {
        let home = trial.reset(&trial.before);
        let _ = crash::recorded(&trial.root, Some(failing), || (), |_| run(&home));
        assert_eq!(games(&home), expected, "failure at {failing}");
    }
}

#[test]
fn forgetting_survives() {
    check(prepare_two, |home| {
        let white = shakmaty::KnownOutcome::Decisive {
            winner: shakmaty::Color::White,
        };
        let filter = Filter {
            results: vec![white.into()],
            ..Filter::default()
        };
        forget(home, &filter).map(drop)
    });
}

#[test]
fn retaining_survives() {
    check(prepare_two, |home| {
        let game = random_game(&mut Dice::new(7), 12);
        retain(home, &[game]).map(drop)
    });
}

/// Delivers the segment of some games, as a pull does.
fn deliver(home: &Path, bytes: &'static [u8], digest: u128) -> Result<(), CollectionError> {
    let made = tempfile::tempdir().unwrap();
    import(&made.path().join("made"), bytes)?;
    let source = Collection::open(&made.path().join("made"))?;
    let delivery = Delivery::open(home)?;
    let (part, place) = (
        Delivery::part(home, digest),
        Delivery::segment(home, digest),
    );
    if !place.exists() {
        let failed = CollectionError::io(&place);
        let mut file = disk::File::create_new(&part).map_err(&failed)?;
        file.write_all(source.segments()[0].bytes())
            .map_err(&failed)?;
        file.sync().map_err(&failed)?;
        disk::rename(&part, &place).map_err(&failed)?;
    }
    delivery.finish(0, &[Segment::open(&place)?])
}

#[test]
fn a_delivery_survives() {
    check(
        |home| deliver(home, ONE, 1).unwrap(),
        |home| deliver(home, TWO, 2),
    );
}

#[test]
fn confirmed_judgments_survive() {
    let trial = Trial::new(prepare_two);
    let home = trial.reset(&trial.before);
    let collection = Collection::open(&home).unwrap();
    let judgment = |grade: u8| Judgment {
        assessor: "Anna".to_owned(),
        query: "8/8/4k3/8/8/4K3/8/8 w - -".to_owned(),
        digest: games(&home).unwrap()[0],
        game: Some(GameNumber(1)),
        ply: Ply::after(grade.into()),
        grade,
        time: 1,
    };
    let (confirmed, ops) = crash::recorded(
        &trial.root,
        None,
        || (),
        |recorder| {
            let mut judgments = Judgments::open(&collection).unwrap();
            let add = |it| {
                judgments.add(&collection, [judgment(it)]).unwrap();
                recorder.count()
            };
            (0..3).map(add).collect::<Vec<_>>()
        },
    );
    let mut seen = BTreeSet::new();
    crash::for_each_crash(&trial.root, &trial.before, &ops, |done, tree| {
        let safe = confirmed.iter().filter(|&&it| it <= done).count();
        if seen.insert((safe, tree.clone())) {
            let collection = Collection::open(&trial.reset(tree)).unwrap();
            let mut judgments = Judgments::open(&collection).unwrap();
            let count = judgments.iter().count();
            assert!(count >= safe, "{count} of {safe} after {done} of {ops:?}");
            judgments.add(&collection, [judgment(4)]).unwrap();
            let again = Judgments::open(&collection).unwrap();
            assert_eq!((again.iter().count(), again.unreadable()), (count + 1, 0));
        }
    });
    assert!(seen.len() >= 9, "{}", seen.len());
}

/// Whose turn it is of two writers, so that every interleaving of their operations can be tried.
struct Turns {
    state: Mutex<Turn>,
    changed: Condvar,
}

struct Turn {
    /// The writer that runs.
    running: usize,
    /// How many operations each has begun, and whether it has ended.
    begun: [usize; 2],
    ended: [bool; 2],
    /// Before which operation of which writer the other one gets the turn.
    switches: VecDeque<(usize, usize)>,
}

impl Turns {
    fn new(switches: [(usize, usize); 2]) -> Turns {
        Turns {
            state: Mutex::new(Turn {
                running: 0,
                begun: [0; 2],
                ended: [false; 2],
                switches: switches.into(),
            }),
            changed: Condvar::new(),
        }
    }

    /// Called before each operation of the writer that runs: all others wait.
    fn operation(&self) {
        let mut turn = self.state.lock().unwrap();
        let me = turn.running;
        turn.begun[me] += 1;
        if turn.switches.front() == Some(&(me, turn.begun[me])) {
            turn.switches.pop_front();
            self.give(turn, me);
            self.wait(me);
        }
    }

    fn give(&self, mut turn: MutexGuard<'_, Turn>, me: usize) {
        if !turn.ended[1 - me] {
            turn.running = 1 - me;
            self.changed.notify_all();
        }
    }

    fn wait(&self, me: usize) {
        let turn = self.state.lock().unwrap();
        let is_other = |it: &mut Turn| it.running != me;
        drop(self.changed.wait_while(turn, is_other).unwrap());
    }

    fn run(&self, me: usize, change: Change, home: &Path) -> Result<(), CollectionError> {
        self.wait(me);
        let result = change(home);
        let mut turn = self.state.lock().unwrap();
        turn.ended[me] = true;
        self.give(turn, me);
        result
    }
}

/// Checks two changes at once: the first runs up to each of its operations, then the second up to
/// each of its own, then the first to its end and the second to its. A change succeeds, or finds
/// another writer and changes nothing: the collection is what the successful ones make of it, one
/// after the other.
fn check_two(prepare: impl Fn(&Path), changes: [Change; 2]) {
    let trial = Trial::new(prepare);
    let one_by_one = |order: &[usize]| {
        let home = trial.reset(&trial.before);
        let made: Result<(), _> = order.iter().try_for_each(|&it| changes[it](&home));
        made.ok().map(|()| games(&home))
    };
    let alone = [[0], [1]].map(|it| one_by_one(&it));
    let both = [[0, 1], [1, 0]].map(|it| one_by_one(&it));
    let mut tried = 0;
    for (first, second) in (1..).map(|it| (it, 1..)) {
        let mut is_beyond = false;
        for second in second {
            let home = trial.reset(&trial.before);
            let turns = Arc::new(Turns::new([(0, first), (1, second)]));
            let hook = {
                let turns = turns.clone();
                move || turns.operation()
            };
            let (results, _) = crash::recorded(&trial.root, None, hook, |_| {
                thread::scope(|scope| {
                    let (turns, home) = (&turns, &home);
                    let run = |it: usize| scope.spawn(move || turns.run(it, changes[it], home));
                    [run(0), run(1)].map(|it| it.join().unwrap())
                })
            });
            tried += 1;
            let left = Some(games(&home));
            let words = format!("{first}, {second}: {results:?}");
            match &results {
                [Ok(()), Ok(())] => assert!(both.contains(&left), "{words}"),
                [Ok(()), Err(error)] => {
                    assert!(is_refusal(error) && left == alone[0], "{words}");
                }
                [Err(error), Ok(())] => {
                    assert!(is_refusal(error) && left == alone[1], "{words}");
                }
                [Err(_), Err(_)] => panic!("nobody can write: {words}"),
            }
            assert!(verify(&Collection::open(&home).unwrap(), &Progress::default()).is_empty());
            let turn = turns.state.lock().unwrap();
            is_beyond = turn.begun[0] < first;
            // The second writer ended before this operation of its own.
            if turn.begun[1] < second {
                break;
            }
        }
        if is_beyond {
            break;
        }
    }
    assert!(tried > 10, "{tried} interleavings");
}

/// Whether a change found another writer, or what another writer had made.
fn is_refusal(error: &CollectionError) -> bool {
    matches!(error, CollectionError::Locked(_)) || error.to_string().contains("games of its own")
}

#[test]
fn two_first_imports_at_once() {
    check_two(|_| (), [|it| import(it, ONE), |it| import(it, TWO)]);
}

#[test]
fn two_imports_at_once() {
    let prepare = |home: &Path| import(home, THREE).unwrap();
    check_two(prepare, [|it| import(it, ONE), |it| import(it, TWO)]);
}

#[test]
fn an_import_and_a_merge_at_once() {
    let run = |home: &Path| merge(home, &Progress::default()).map(drop);
    check_two(prepare_two, [|it| import(it, THREE), run]);
    check_two(prepare_two, [run, |it| import(it, THREE)]);
}

#[test]
fn a_first_import_and_a_delivery_at_once() {
    let changes: [Change; 2] = [|it| import(it, ONE), |it| deliver(it, TWO, 2)];
    check_two(|_| (), changes);
    check_two(|_| (), [changes[1], changes[0]]);
}

#[test]
fn two_deliveries_at_once() {
    let prepare = |home: &Path| deliver(home, THREE, 3).unwrap();
    check_two(
        prepare,
        [|it| deliver(it, ONE, 1), |it| deliver(it, TWO, 2)],
    );
}
