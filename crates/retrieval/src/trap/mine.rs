//! Mining: traps that players of a collection really fell into.
//!
//! A natural move, that is a capture or an answer to a check, is a bait taken if the
//! opponent then had a forced mate or a forced win of decisive material within a few
//! plies, and if another move would have avoided it. Whether the opponent saw it is
//! not asked.

use std::sync::atomic::Ordering;

use rayon::prelude::*;
use shakmaty::{Chess, Move, Position};
use tabiya_chess::trap::{Effort, refute};
use tabiya_chess::{Game as Record, Ply};

use super::{MinedTrap, Vault};
use crate::collection::{Collection, CollectionError, Progress};
use crate::index::GameNumber;
use crate::search::Filter;

/// A search of a collection for traps.
#[derive(Clone, Copy, Debug)]
pub struct Mine {
    /// How hard each move is looked at.
    pub effort: Effort,
    /// How hard those that seem to lose are looked at again: a deeper search knows
    /// sacrifices from blunders.
    pub confirmation: Effort,
    /// The least gain that counts, in hundredths of a pawn.
    pub least: i32,
}

impl Default for Mine {
    /// Mates in two by checks and a piece within three plies, confirmed with one
    /// ply more: some ten milliseconds a game.
    fn default() -> Mine {
        Mine {
            effort: Effort {
                mate_moves: 2,
                quiet_moves: 0,
                plies: 3,
                nodes: 20_000,
            },
            confirmation: Effort {
                mate_moves: 3,
                quiet_moves: 0,
                plies: 4,
                nodes: 200_000,
            },
            least: 300,
        }
    }
}

/// How many games are handed to the workers at once.
const BATCH: usize = 1024;

impl Mine {
    /// Mines the games that were not mined before and stores their traps with the collection.
    /// If it is canceled, the traps of the batches so far are stored.
    ///
    /// # Errors
    ///
    /// When the collection or its vault is damaged, or the vault cannot be written.
    pub fn run(
        &self,
        collection: &Collection,
        progress: &Progress,
    ) -> Result<Vault, CollectionError> {
        let mut vault = Vault::open(collection)?.unwrap_or_default();
        progress.games.store(vault.games, Ordering::Relaxed);
        let mut batch: Vec<(GameNumber, Record)> = Vec::with_capacity(BATCH);
        let take = |batch: &mut Vec<(GameNumber, Record)>, vault: &mut Vault| {
            let found = batch.par_iter().flat_map_iter(|(number, game)| {
                let traps = self.traps_of(*number, game);
                progress.games.fetch_add(1, Ordering::Relaxed);
                traps
            });
            vault.traps.par_extend(found);
            vault.games = batch.last().map_or(vault.games, |it| it.0.0);
            batch.clear();
        };
        let mined = vault.games;
        let visited = collection.for_each_game(&Filter::default(), |number, game| {
            if number.0 > mined {
                batch.push((number, game));
            }
            if batch.len() == BATCH {
                take(&mut batch, &mut vault);
                if progress.is_canceled() {
                    return Err(Halt::Stopped);
                }
            }
            Ok(())
        });
        match visited {
            Ok(()) => take(&mut batch, &mut vault),
            Err(Halt::Stopped) => {}
            Err(Halt::Damaged(error)) => return Err(error.into()),
        }
        vault.write(collection)?;
        Ok(vault)
    }

    /// The traps that the players of a game fell into.
    pub fn traps_of(&self, number: GameNumber, game: &Record) -> Vec<MinedTrap> {
        let plies = game.positions().zip(&game.moves).enumerate();
        plies
            .filter_map(|(ply, (position, mv))| {
                let bait = mv.to_move(position.board())?;
                let trap = self.judge(&position, bait)?;
                Some(MinedTrap {
                    game: number,
                    ply: Ply::after(ply),
                    position,
                    bait,
                    ..trap
                })
            })
            .collect()
    }

    /// What a move played loses, if it was natural and need not have been.
    fn judge(&self, position: &Chess, bait: Move) -> Option<MinedTrap> {
        let natural = bait.is_capture() || position.is_check();
        if !natural || !position.is_legal(bait) {
            return None;
        }
        let proof =
            [self.effort, self.confirmation]
                .into_iter()
                .try_fold(None, |_, effort| {
                    let proof = refute(position, bait, effort)?;
                    let holds = proof.gain >= self.least && proof.saved_by.is_some();
                    holds.then_some(Some(proof))
                })??;
        Some(MinedTrap {
            game: GameNumber::default(),
            ply: Ply::FIRST,
            position: position.clone(),
            bait,
            refutation: proof.line,
            gain: proof.gain,
        })
    }
}

/// Why the games are no longer visited.
enum Halt {
    Stopped,
    Damaged(crate::index::FormatError),
}

impl From<crate::index::FormatError> for Halt {
    fn from(error: crate::index::FormatError) -> Halt {
        Halt::Damaged(error)
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::pgn::{self, Input};

    use super::*;
    use crate::collection::Import;

    const GAMES: &str = "[White \"Légal\"]\n\n1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 \
        6. Bxf7+ Ke7 7. Nd5# 1-0\n\n[White \"Anna\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 *\n";

    #[test]
    fn a_bait_taken_is_found_and_an_exchange_is_not() {
        let legal = pgn::read(GAMES.as_bytes()).game.unwrap();
        let traps = Mine::default().traps_of(GameNumber(7), &legal);
        assert_eq!(traps.len(), 1, "{traps:?}");
        assert_eq!((traps[0].game.0, traps[0].ply), (7, Ply(9)));
        assert_eq!(traps[0].refutation.len(), 3);
    }

    #[test]
    fn mining_keeps_what_it_found_and_goes_on_from_there() {
        let folder = tempfile::tempdir().unwrap();
        let pgn = folder.path().join("games.pgn");
        std::fs::write(&pgn, GAMES).unwrap();
        let home = folder.path().join("collection");
        let import = || Import {
            skip: Some(4),
            ..Import::new(vec![Input::File(pgn.clone())])
        };
        import().run(&home, &Progress::default()).unwrap();
        // Another Légal, so that no game is there twice.
        std::fs::write(
            &pgn,
            GAMES.replace("3. Bc4 Bg4 4. Nc3", "3. Nc3 Bg4 4. Bc4"),
        )
        .unwrap();
        let mine = || {
            let collection = Collection::open(&home).unwrap();
            let progress = Progress::default();
            Mine::default().run(&collection, &progress).unwrap()
        };
        let vault = mine();
        assert_eq!((vault.games, vault.traps.len()), (2, 1));
        let collection = Collection::open(&home).unwrap();
        assert_eq!(Vault::open(&collection).unwrap().unwrap(), vault);
        import().run(&home, &Progress::default()).unwrap();
        let vault = mine();
        assert_eq!(vault.traps.len(), 2);
        assert_eq!((vault.traps[1].game.0, vault.traps[1].ply), (3, Ply(9)));
    }
}
