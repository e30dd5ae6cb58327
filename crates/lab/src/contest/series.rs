//! A series: a contest whose games are kept in a file, so that it can be
//! interrupted and goes on where it stopped.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow, ensure};
use shakmaty::Color;
use tabiya_chess::Game;
use tabiya_chess::pgn;

use super::{End, Entrant, Failure, News, Played, Rules, Score, play};
use crate::games;

/// A contest and where its games go.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// Who plays.
    pub(crate) entrants: [Entrant; 2],
    /// How.
    pub(crate) rules: Rules,
    /// Where the games are kept. Games that are there are not played again.
    pub(crate) pgn: Option<PathBuf>,
}

impl Series {
    /// Plays the missing games; calls `report` with the score so far and the news. Returns
    /// the score of all games, including those in the file.
    ///
    /// # Errors
    /// If a program does not start, the file is not writable, or it holds games of other players.
    pub(crate) fn play(
        &self,
        stop: &AtomicBool,
        mut report: impl FnMut(&Score, News<'_>) + Send,
    ) -> anyhow::Result<Score> {
        let mut score = Score::default();
        let mut done = BTreeSet::new();
        for played in self.played()? {
            if done.insert(played.number) {
                score.add(&played);
            }
        }
        if (0..self.rules.games).all(|it| done.contains(&it)) {
            return Ok(score);
        }
        let mut file = self.pgn.as_deref().map(open).transpose()?;
        let mut trouble = None;
        play(&self.entrants, &self.rules, &done, stop, |news| {
            if let News::Played(played) = news {
                score.add(played);
                if let (Some(path), Some(file)) = (&self.pgn, &mut file)
                    && let Err(error) = file.write_all(self.text_of(played).as_bytes())
                {
                    trouble = Some(anyhow!("{}: {error}", path.display()));
                    stop.store(true, Ordering::SeqCst);
                }
            }
            report(&score, news);
        })
        .map_err(|failure| match failure {
            Failure::Option { .. } => anyhow!("{failure}"),
            _ => anyhow!("{failure}; check the command of the program"),
        })?;
        trouble.map_or(Ok(score), Err)
    }

    fn text_of(&self, played: &Played) -> String {
        let mut text = String::new();
        let game = played.to_game(&self.entrants[0].name, &self.entrants[1].name);
        // A string takes whatever is written to it.
        let _ = pgn::write(&game, &mut text);
        text
    }

    /// The games in the file.
    fn played(&self) -> anyhow::Result<Vec<Played>> {
        let Some(path) = self.pgn.as_ref().filter(|it| it.exists()) else {
            return Ok(Vec::new());
        };
        let games = games::read(path)?;
        ensure!(
            games.iter().all(|it| self.is_ours(it)),
            "{} holds games of other players; give another file",
            path.display()
        );
        Ok(games.iter().filter_map(|it| self.read(it)).collect())
    }

    fn is_ours(&self, game: &Game) -> bool {
        let [first, second] = self.entrants.each_ref().map(|it| it.name.as_str());
        let names = (game.tags.white.as_str(), game.tags.black.as_str());
        names == (first, second) || names == (second, first)
    }

    /// What [`Played::to_game`] wrote; `None` if the game was cut off.
    fn read(&self, game: &Game) -> Option<Played> {
        let termination = game.tags.others.iter().find(|it| it.0 == "Termination");
        let termination = termination.map_or("", |it| it.1.as_str());
        let number = game.tags.round.parse::<usize>().ok()?.checked_sub(1)?;
        Some(Played {
            number,
            // Names may be equal; numbers are not.
            first_is_white: number.is_multiple_of(2),
            outcome: game.tags.result.known()?,
            end: end_of(termination),
            moves: Vec::new(),
        })
    }
}

fn end_of(termination: &str) -> End {
    let forfeit = |side: &str| termination.strip_prefix(side)?.strip_prefix(" forfeits: ");
    if let Some(reason) = forfeit("White") {
        return End::Forfeit(Color::White, reason.to_owned());
    }
    if let Some(reason) = forfeit("Black") {
        return End::Forfeit(Color::Black, reason.to_owned());
    }
    match termination {
        "adjudication" => End::Adjudicated,
        _ => End::Rules,
    }
}

fn open(path: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_read_back() {
        for end in [
            End::Rules,
            End::Adjudicated,
            End::Forfeit(Color::Black, "no answer in time".to_owned()),
        ] {
            let played = Played {
                number: 4,
                first_is_white: true,
                outcome: shakmaty::KnownOutcome::Draw,
                end: end.clone(),
                moves: Vec::new(),
            };
            let game = played.to_game("a", "b");
            let tag = game.tags.others.iter().find(|it| it.0 == "Termination");
            assert_eq!(end_of(&tag.unwrap().1), end);
        }
    }
}
