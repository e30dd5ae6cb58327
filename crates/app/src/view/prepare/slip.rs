//! Where the opponent left what is known and erred.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use serde::Serialize;
use tabiya_chess::pgn;
use tabiya_question::{
    prepare::{Answer, OpponentGame, Prepare},
    read::read,
    review::{Departure, Moment, Review},
};
use tabiya_terminal::progress::Bar;

use crate::ask::OpenCollection;

/// The number of plies that are reviewed.
const PLIES: u16 = 40;

/// The opponent's first lapse since a game left what the collection knows.
#[derive(Debug, Serialize)]
pub(super) struct Slip {
    pub(super) game: OpponentGame,
    pub(super) departure: Departure,
    pub(super) moment: Moment,
}

impl Slip {
    /// Reviews the openings of the games to look at; the dearest slips come first.
    pub(super) fn all(
        question: &Prepare,
        answer: &Answer,
        open: &OpenCollection,
    ) -> anyhow::Result<Vec<Slip>> {
        let done = Arc::new(AtomicU64::new(0));
        let seen = done.clone();
        let _bar = Bar::start(Some(answer.games.len() as u64), move || {
            (seen.load(Ordering::Relaxed), "openings".to_owned())
        });
        let mut slips = Vec::new();
        for it in &answer.games {
            slips.extend(Slip::of(question, it, open)?);
            done.fetch_add(1, Ordering::Relaxed);
        }
        slips.sort_by(|one, two| two.moment.loss.total_cmp(&one.moment.loss));
        Ok(slips)
    }

    fn of(
        question: &Prepare,
        game: &OpponentGame,
        open: &OpenCollection,
    ) -> anyhow::Result<Option<Slip>> {
        let stored = open.collection().game(game.game.id)?;
        let Some(stored) = stored.filter(|it| !it.moves.is_empty()) else {
            return Ok(None);
        };
        let parameters = form_urlencoded::Serializer::new(String::new())
            .append_pair("pgn", &pgn::to_string(&stored))
            .append_pair("player", &question.against)
            .append_pair("plies", &PLIES.to_string())
            .append_pair("least", "inaccuracy")
            .append_pair("similar", "0")
            .append_pair("practice", "0")
            .finish();
        let (review, _) = open.answer(&read::<Review>(&parameters)?)?;
        let slip = |departure: Departure| {
            let mut moments = review.moments.into_iter();
            let moment = moments.find(|it| it.ply >= departure.ply)?;
            Some(Slip {
                game: game.clone(),
                departure,
                moment,
            })
        };
        Ok(review.departure.and_then(slip))
    }

    /// What was left and what was wrong, in sentences.
    pub(super) fn words(&self) -> String {
        let verdict = &self.moment.words[..2];
        format!("{} {}", self.departure.words, verdict.join(" "))
    }
}
