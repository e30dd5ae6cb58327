//! The file in which mined traps are kept beside their collection.
//!
//! `traps.tabiya` is a file of checked sections like a segment (see
//! `index::format`): one section says how many games were mined and which, the
//! other holds the traps. It is replaced by write, sync and rename. Removing it
//! loses nothing but the work of mining again, and if the games are no longer
//! those that were mined, it is as if it were not there.
//!
//! ```text
//! section 101   games mined u64, digest of them u64 (not in older files)
//! section 102   per trap: game u64, ply u32, gain i32 (as u32), bait u16,
//!               length of the refutation u16, its moves u16 each,
//!               length of the FEN u16, the FEN
//! ```

use std::io;

use shakmaty::{Chess, Move, Position};
use tabiya_chess::{CompactMove, Ply, position};
use xxhash_rust::xxh3::Xxh3;

use crate::collection::{Collection, CollectionError, sync_folder};
use crate::disk;
use crate::index::format::{Sections, u16_at, u32_at, u64_at, write};
use crate::index::{FormatError, GameNumber};

const NAME: &str = "traps.tabiya";
const MINED: u32 = 101;
const TRAPS: u32 = 102;

/// A trap found in a game.
#[derive(Clone, Debug, PartialEq)]
pub struct MinedTrap {
    /// The game.
    pub game: GameNumber,
    /// How many plies were played before the position.
    pub ply: Ply,
    /// The position in which the bait was taken.
    pub position: Chess,
    /// The bait.
    pub bait: Move,
    /// The refutation, the trapper's move first.
    pub refutation: Vec<Move>,
    /// What it gains over the balance before the bait, in hundredths of a pawn;
    /// near [`WON`](tabiya_gametree::trap::WON) for a mate.
    pub gain: i32,
}

/// The traps mined from a collection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vault {
    /// The number of the last game that was looked at.
    pub games: u64,
    /// What was found, in the order of the games.
    pub traps: Vec<MinedTrap>,
}

impl Vault {
    /// Opens the vault of a collection, if these games of it were mined.
    ///
    /// # Errors
    ///
    /// When the file is foreign, of another version, or damaged.
    pub fn open(collection: &Collection) -> Result<Option<Vault>, CollectionError> {
        let path = collection.folder().join(NAME);
        let file = match Sections::open(&path) {
            Ok(file) => file,
            Err(FormatError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let mined = file.whole(MINED)?;
        let games = u64_at(mined, 0);
        if mined.len() > 8 && u64_at(mined, 8) != digest(collection, games)? {
            return Ok(None);
        }
        let traps = read_traps(file.whole(TRAPS)?);
        let traps = traps.ok_or_else(|| file.damaged("a trap in it makes no sense"))?;
        Ok(Some(Vault { games, traps }))
    }

    /// Puts the vault in place of the old one.
    ///
    /// # Errors
    ///
    /// When the system refuses to write.
    pub fn write(&self, collection: &Collection) -> Result<(), CollectionError> {
        let path = collection.folder().join(NAME);
        let beside = path.with_extension("new");
        // Left by a writer that was killed.
        let _ = disk::remove(&beside);
        let mined = [self.games, digest(collection, self.games)?].map(u64::to_le_bytes);
        let traps = self.traps.iter().flat_map(to_bytes).collect();
        write(&beside, &[(MINED, mined.concat()), (TRAPS, traps)])?;
        disk::rename(&beside, &path).map_err(|error| CollectionError::Io { path, error })?;
        sync_folder(collection.folder())
    }
}

/// Identifies the first games of a collection.
fn digest(collection: &Collection, games: u64) -> Result<u64, FormatError> {
    let mut hash = Xxh3::new();
    let mut left = games as usize;
    for segment in collection.segments() {
        for digest in segment.digests()?.take(left) {
            hash.update(&digest.to_bytes());
            left -= 1;
        }
    }
    Ok(hash.digest())
}

fn to_bytes(trap: &MinedTrap) -> Vec<u8> {
    let mut bytes = Vec::new();
    let move_bytes = |mv: &Move| CompactMove::from(*mv).to_bits().to_le_bytes();
    let fen = position::to_fen(&trap.position);
    bytes.extend(trap.game.0.to_le_bytes());
    bytes.extend(u32::from(trap.ply).to_le_bytes());
    bytes.extend(trap.gain.to_le_bytes());
    bytes.extend(move_bytes(&trap.bait));
    bytes.extend((trap.refutation.len() as u16).to_le_bytes());
    bytes.extend(trap.refutation.iter().flat_map(move_bytes));
    bytes.extend((fen.len() as u16).to_le_bytes());
    bytes.extend(fen.bytes());
    bytes
}

/// Reads all traps; nothing if any of them makes no sense.
fn read_traps(mut bytes: &[u8]) -> Option<Vec<MinedTrap>> {
    let mut traps = Vec::new();
    while !bytes.is_empty() {
        let length = usize::from(u16_at(bytes, 18));
        let fen_at = 20 + 2 * length;
        let end = fen_at + 2 + usize::from(u16_at(bytes, fen_at));
        let (record, rest) = (bytes.get(..end)?, &bytes[end.min(bytes.len())..]);
        traps.push(read_trap(record, length, fen_at)?);
        bytes = rest;
    }
    Some(traps)
}

fn read_trap(record: &[u8], length: usize, fen_at: usize) -> Option<MinedTrap> {
    let fen = std::str::from_utf8(record.get(fen_at + 2..)?).ok()?;
    let position = position::parse(fen).ok()?;
    let move_at = |at: usize| CompactMove::from_bits(u16_at(record, at));
    let bait = move_at(16).to_move(position.board())?;
    let mut here = move_at(16).play(position.clone())?;
    let mut refutation = Vec::with_capacity(length);
    for at in (0..length).map(|it| 20 + 2 * it) {
        refutation.push(move_at(at).to_move(here.board())?);
        here = move_at(at).play(here)?;
    }
    Some(MinedTrap {
        game: GameNumber(u64_at(record, 0)),
        ply: Ply::after(u32_at(record, 8) as usize),
        gain: u32_at(record, 12).cast_signed(),
        position,
        bait,
        refutation,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tabiya_chess::trap::library;

    use super::*;
    use crate::testing::collection_of;

    fn vault() -> Vault {
        let trap = |(number, it): (u64, &tabiya_chess::trap::Trap)| MinedTrap {
            game: GameNumber(number),
            ply: Ply(12),
            position: it.position.clone(),
            bait: it.bait,
            refutation: it.refutation.clone(),
            gain: 300,
        };
        Vault {
            games: 90,
            traps: (1..).zip(library()).map(trap).collect(),
        }
    }

    #[test]
    fn vaults_round_trip() {
        let (_folder, collection) = collection_of("1. e4 e5 *\n");
        assert_eq!(Vault::open(&collection).unwrap(), None);
        vault().write(&collection).unwrap();
        assert_eq!(Vault::open(&collection).unwrap(), Some(vault()));
    }

    #[test]
    fn traps_of_games_that_are_gone_count_no_more() {
        let (_folder, collection) = collection_of("1. e4 e5 *\n\n1. d4 d5 *\n");
        let (_other, fewer) = collection_of("1. d4 d5 *\n");
        let (_third, more) = collection_of("1. e4 e5 *\n\n1. d4 d5 *\n\n1. c4 c5 *\n");
        let vault = Vault {
            games: 2,
            ..vault()
        };
        vault.write(&collection).unwrap();
        for (there, expected) in [(&fewer, None), (&more, Some(vault.clone()))] {
            fs::copy(collection.folder().join(NAME), there.folder().join(NAME)).unwrap();
            assert_eq!(Vault::open(there).unwrap(), expected);
        }
    }

    #[test]
    fn a_damaged_vault_is_an_error() {
        let (_folder, collection) = collection_of("1. e4 e5 *\n");
        vault().write(&collection).unwrap();
        let path = collection.folder().join(NAME);
        let sound = fs::read(&path).unwrap();
        for at in (0..sound.len()).step_by(97) {
            let mut damaged = sound.clone();
            damaged[at] ^= 0x20;
            fs::write(&path, &damaged).unwrap();
            // A flipped bit in the padding between sections changes nothing.
            let read = Vault::open(&collection);
            assert!(read.is_err() || read.unwrap() == Some(vault()), "byte {at}");
        }
        fs::write(&path, &sound[..sound.len() / 2]).unwrap();
        assert!(Vault::open(&collection).is_err());
    }

    #[test]
    fn a_section_with_nonsense_is_refused() {
        assert!(read_traps(&[7; 30]).is_none());
        assert!(read_traps(&[0; 3]).is_none());
    }
}
