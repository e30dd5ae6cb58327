//! The guarantees of a depot under faults and concurrency.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use object_store::ObjectStoreExt;
use tabiya_chess::position;
use tabiya_retrieval::{
    Collection, CollectionError, Hit, Query, Statistics, collection::verify, index::Segment,
};

use crate::{
    Depot, DepotError, ShardEntry, Transfer,
    testing::{Faulty, make_collection},
};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Makes a collection with a number of segments.
    fn collection(&self, name: &str, first: usize, segments: usize) -> PathBuf {
        let folder = self.at(name);
        make_collection(&folder, first, segments);
        folder
    }
}

fn answers(folder: &Path) -> Vec<Hit> {
    let collection = Collection::open(folder).unwrap();
    assert!(verify(&collection, &Default::default()).is_empty());
    let position = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4";
    let query = Query::new(position::parse(position).unwrap());
    collection.search(&query).unwrap()
}

fn push(depot: &Depot, folder: &Path) -> Result<u64, DepotError> {
    let pushed = depot.push(folder, &Transfer::default())?;
    Ok(pushed.generation)
}

fn pull(depot: &Depot, generation: Option<u64>, folder: &Path) -> Result<u64, DepotError> {
    let pulled = depot.pull(generation, folder, &Transfer::default())?;
    Ok(pulled.generation)
}

#[track_caller]
fn check(error: &DepotError, words: &str) {
    assert!(error.to_string().contains(words), "{error}");
}

fn is_not_a_collection(folder: &Path) -> bool {
    matches!(
        Collection::open(folder),
        Err(CollectionError::NotACollection(_))
    )
}

#[test]
fn generations_coexist_and_come_back_unchanged() {
    let place = Place::new();
    let (depot, _) = Faulty::depot();
    let here = place.collection("here", 1, 3);
    assert!(matches!(
        pull(&depot, None, &place.at("nothing")),
        Err(DepotError::NoGeneration {
            generation: None,
            ..
        })
    ));
    assert_eq!(push(&depot, &here).unwrap(), 1);
    let old = answers(&here);
    make_collection(&here, 10, 2);
    let again = Transfer::default();
    let pushed = depot.push(&here, &again).unwrap();
    assert_eq!((pushed.generation, pushed.is_new), (2, true));
    assert_eq!(
        (pushed.manifest.games(), pushed.manifest.shards.len()),
        (5, 5)
    );
    // Only new shards are sent.
    assert!(again.moved() < again.done() && again.done() == again.total());
    // A push without changes makes no generation.
    assert!(!depot.push(&here, &Transfer::default()).unwrap().is_new);
    assert_eq!(depot.generations().unwrap(), [1, 2]);
    let (one, two) = (place.at("one"), place.at("two"));
    assert_eq!(pull(&depot, None, &two).unwrap(), 2);
    assert_eq!(pull(&depot, Some(1), &one).unwrap(), 1);
    assert_eq!(
        (answers(&one), answers(&two)),
        (old.clone(), answers(&here))
    );
    // Forward and back in the same folder.
    assert_eq!(pull(&depot, Some(2), &one).unwrap(), 2);
    assert_eq!(answers(&one), answers(&here));
    assert_eq!(pull(&depot, Some(1), &one).unwrap(), 1);
    assert_eq!(answers(&one), old);
    let error = pull(&depot, Some(7), &place.at("seven")).unwrap_err();
    check(&error, "no generation 7");
    assert!(is_not_a_collection(&place.at("seven")));
    // Pushing a pulled collection adds no generation.
    assert_eq!(push(&depot, &two).unwrap(), 2);
}

#[test]
fn an_interrupted_push_leaves_the_old_generation() {
    let place = Place::new();
    let old = place.collection("old", 1, 1);
    let new = place.collection("new", 5, 4);
    let mut cuts = 0;
    loop {
        let (depot, store) = Faulty::depot();
        push(&depot, &old).unwrap();
        store.fail_after(cuts);
        let pushed = push(&depot, &new);
        store.work_again();
        if pushed.is_ok() {
            break;
        }
        assert_eq!(depot.manifest(None).unwrap().0, 1, "cut after {cuts}");
        let there = place.at(&format!("there {cuts}"));
        pull(&depot, None, &there).unwrap();
        assert_eq!(answers(&there), answers(&old));
        // A second push succeeds.
        assert_eq!(push(&depot, &new).unwrap(), 2);
        pull(&depot, None, &there).unwrap();
        assert_eq!(answers(&there), answers(&new));
        cuts += 1;
    }
    // Four shards (checked and sent), lists, statistics, manifests.
    assert!(cuts >= 11, "{cuts}");
}

#[test]
fn an_interrupted_pull_leaves_no_collection_and_continues() {
    let place = Place::new();
    let here = place.collection("here", 1, 4);
    let (depot, store) = Faulty::depot();
    push(&depot, &here).unwrap();
    let there = place.at("there");
    let mut moved = Vec::new();
    for cut in 0.. {
        let transfer = Transfer::default();
        store.fail_after(cut);
        let pulled = depot.pull(None, &there, &transfer);
        store.work_again();
        moved.push(transfer.moved());
        if pulled.is_ok() {
            break;
        }
        assert!(is_not_a_collection(&there), "cut after {cut}");
    }
    assert_eq!(answers(&there), answers(&here));
    // Together, all attempts fetched every byte once.
    let (_, manifest) = depot.manifest(None).unwrap();
    assert_eq!(moved.iter().sum::<u64>(), manifest.bytes());
    assert!(moved.len() > 4, "{moved:?}");
}

#[test]
fn a_failed_pull_leaves_the_previous_collection() {
    let place = Place::new();
    let (depot, store) = Faulty::depot();
    let (old, new) = (place.collection("old", 1, 2), place.collection("new", 5, 3));
    let there = place.at("there");
    push(&depot, &old).unwrap();
    pull(&depot, None, &there).unwrap();
    push(&depot, &new).unwrap();
    for cut in 0..6 {
        store.fail_after(cut);
        assert!(pull(&depot, None, &there).is_err());
        assert_eq!(answers(&there), answers(&old));
    }
}

#[test]
fn damaged_objects_are_reported_and_not_used() {
    let place = Place::new();
    let here = place.collection("here", 1, 2);
    let (depot, _) = Faulty::depot();
    push(&depot, &here).unwrap();
    let sound = depot.list("").unwrap();
    assert_eq!(sound.len(), 4);
    for object in &sound {
        let bytes = depot.get(&object.name).unwrap();
        for damage in ["flipped", "cut", "grown"] {
            let mut damaged = bytes.clone();
            match damage {
                "flipped" => damaged[bytes.len() / 2] ^= 1,
                "cut" => damaged.truncate(bytes.len() - 1),
                _ => damaged.push(0),
            }
            depot.put(&object.name, damaged).unwrap();
            let there = place.at(&format!("{damage} {}", object.name.replace('/', " ")));
            let error = pull(&depot, None, &there).unwrap_err();
            assert!(matches!(error, DepotError::Damaged { .. }), "{error:?}");
            check(&error, &object.name);
            assert!(is_not_a_collection(&there));
        }
        depot.put(&object.name, bytes).unwrap();
    }
    assert_eq!(pull(&depot, None, &place.at("there")).unwrap(), 1);
}

#[test]
fn missing_objects_are_reported() {
    let place = Place::new();
    let here = place.collection("here", 1, 2);
    let (depot, store) = Faulty::depot();
    push(&depot, &here).unwrap();
    for object in depot.list("").unwrap() {
        if object.name.starts_with("generations") {
            continue;
        }
        let bytes = depot.get(&object.name).unwrap();
        depot
            .wait(store.inner.delete(&object.name.as_str().into()))
            .unwrap();
        let there = place.at(&object.name.replace('/', " "));
        let error = pull(&depot, None, &there).unwrap_err();
        check(&error, &object.name);
        check(&error, "push the collection again");
        assert!(is_not_a_collection(&there));
        // The suggested remedy works.
        assert_eq!(push(&depot, &here).unwrap(), 1);
        assert_eq!(depot.get(&object.name).unwrap(), bytes);
        pull(&depot, None, &there).unwrap();
    }
}

#[test]
fn a_generation_may_hold_a_shard_twice() {
    let place = Place::new();
    let (depot, _) = Faulty::depot();
    let here = Collection::open(&place.collection("here", 1, 1)).unwrap();
    let path = here.segments()[0].path();
    let shard = depot.put_shard(path, &Transfer::default()).unwrap();
    let again = Segment::open(path).unwrap();
    let statistics = Statistics::of(&[again, Segment::open(path).unwrap()]).unwrap();
    depot.publish(2, vec![shard; 2], &statistics).unwrap();
    for attempt in 0..20 {
        let there = place.at(&format!("there {attempt}"));
        pull(&depot, None, &there).unwrap();
        assert_eq!(Collection::open(&there).unwrap().games(), 2);
    }
}

#[test]
fn newer_generations_and_foreign_objects_are_not_reported_as_damaged() {
    let place = Place::new();
    let (depot, _) = Faulty::depot();
    let here = place.collection("here", 1, 1);
    push(&depot, &here).unwrap();
    let (_, manifest) = depot.manifest(None).unwrap();
    let name = |digits: &str| format!("generations/{digits}.json");
    depot.put(&name("000000002"), manifest.to_bytes()).unwrap();
    assert_eq!(depot.generations().unwrap(), [1]);
    let newer = br#"{"format":"tabiya depot","version":2}"#;
    depot.put(&name("00000002"), newer.to_vec()).unwrap();
    let error = pull(&depot, None, &place.at("there")).unwrap_err();
    assert!(matches!(error, DepotError::OtherVersion { .. }), "{error}");
    check(&error, "use the program that wrote it");
    assert!(!error.to_string().contains("delete"), "{error}");
    depot
        .put(&name(&u64::MAX.to_string()), manifest.to_bytes())
        .unwrap();
    let other = place.collection("other", 5, 1);
    check(
        &push(&depot, &other).unwrap_err(),
        "highest possible number",
    );
}

#[test]
fn concurrent_pushes_all_succeed() {
    let place = Place::new();
    let (depot, _) = Faulty::depot();
    let folders: Vec<PathBuf> = (0..6)
        .map(|it| place.collection(&it.to_string(), 10 * it + 1, 2))
        .collect();
    let generations: Vec<u64> = thread::scope(|scope| {
        let pushes: Vec<_> = folders
            .iter()
            .map(|it| scope.spawn(|| push(&depot, it).unwrap()))
            .collect();
        pushes.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(depot.generations().unwrap(), [1, 2, 3, 4, 5, 6]);
    for (generation, folder) in generations.into_iter().zip(&folders) {
        let there = place.at(&format!("there {generation}"));
        pull(&depot, Some(generation), &there).unwrap();
        assert_eq!(answers(&there), answers(folder));
    }
}

#[test]
fn only_matching_shards_in_the_depot_can_be_published() {
    let place = Place::new();
    let (depot, _) = Faulty::depot();
    let here = Collection::open(&place.collection("here", 1, 2)).unwrap();
    let put = |segment: &Segment| depot.put_shard(segment.path(), &Transfer::default());
    let shards: Vec<ShardEntry> = here.segments().iter().map(|it| put(it).unwrap()).collect();
    let publish = |shards: &[ShardEntry]| depot.publish(2, shards.to_vec(), here.statistics());
    let error = publish(&shards[..1]).unwrap_err();
    check(&error, "merge the statistics of these shards");
    let absent = ShardEntry {
        bytes: 1,
        ..shards[0]
    };
    let error = publish(&[absent, shards[1]]).unwrap_err();
    check(&error, "has no object shards/");
    assert_eq!(depot.generations().unwrap(), [0; 0]);
    assert_eq!(publish(&shards).unwrap(), 1);
    let manifest = depot.manifest(None).unwrap().1;
    assert_eq!(&depot.statistics(&manifest).unwrap(), here.statistics());
    // A damaged shard is not uploaded.
    let path = place.at("shard");
    let mut bytes = fs::read(here.segments()[0].path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let error = depot.put_shard(&path, &Transfer::default()).unwrap_err();
    check(&error, "is damaged");
}

#[test]
fn a_canceled_transfer_does_nothing() {
    let place = Place::new();
    let (depot, _) = Faulty::depot();
    let here = place.collection("here", 1, 2);
    let transfer = Transfer::default();
    transfer.cancel();
    let pushed = depot.push(&here, &transfer);
    assert!(matches!(pushed, Err(DepotError::Canceled)));
    assert_eq!(depot.list("").unwrap(), []);
    push(&depot, &here).unwrap();
    let pulled = depot.pull(None, &place.at("there"), &transfer);
    assert!(matches!(pulled, Err(DepotError::Canceled)));
    assert!(is_not_a_collection(&place.at("there")));
}

#[test]
fn a_folder_can_be_a_depot() {
    let place = Place::new();
    let here = place.collection("here", 1, 3);
    let address = url::Url::from_file_path(place.at("a depot")).unwrap();
    let depot = Depot::open(address.as_str()).unwrap();
    assert_eq!(depot.generations().unwrap(), [0; 0]);
    assert_eq!(push(&depot, &here).unwrap(), 1);
    assert_eq!(pull(&depot, None, &place.at("there")).unwrap(), 1);
    assert_eq!(answers(&place.at("there")), answers(&here));
    let names: Vec<String> = depot
        .list("generations")
        .unwrap()
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["generations/00000001.json"]);
    // A taken number stays unchanged.
    let other = place.collection("other", 7, 1);
    assert_eq!(push(&depot, &other).unwrap(), 2);
    assert_eq!(depot.manifest(Some(1)).unwrap().1.games(), 3);
}
