//! Answers of several groups of shards, made into the one that a single machine
//! gives for all of them.
//!
//! Each group answers [for its part](crate::request::Search::for_a_part) with the
//! statistics of the whole collection, so scores can be compared to the last bit.
//! Everything else that is told over all hits (their ranks, the second ranking, what
//! was played) is made here, from what the hits themselves say.

use std::fmt;

use shakmaty::{Chess, Outcome, san::SanPlus};
use tabiya_chess::{Symmetry, Tags, game::parse_result, position};
use tabiya_retrieval::{
    Hit,
    played::{self, Reply},
    rerank::Seen,
    search::Cancel,
};

use crate::{answer::reranked, json, query::Rerank, request::Cut};

/// Why answers cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// There are none.
    Nothing,
    /// They answer different questions.
    Queries(String, String),
    /// A hit was ordered anew by one who did not know them all.
    Reranked,
    /// A hit says something that no hit of ours says.
    Malformed {
        /// Which field.
        field: &'static str,
        /// What it says.
        value: String,
    },
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::Nothing => f.write_str("there are no answers to merge; give at least one"),
            MergeError::Queries(one, other) => write!(
                f,
                "the answers are to different queries, \"{one}\" and \"{other}\"; \
                 merge those to one query"
            ),
            MergeError::Reranked => f.write_str(
                "an answer was ordered anew before it was merged; \
                 ask the parts without rerank, and give it when merging",
            ),
            MergeError::Malformed { field, value } => {
                write!(f, "no answer of ours has \"{value}\" as its {field}")
            }
        }
    }
}

impl std::error::Error for MergeError {}

fn malformed(field: &'static str, value: &str) -> MergeError {
    let value = value.to_owned();
    MergeError::Malformed { field, value }
}

/// Merges the answers that groups of shards gave for their parts, and cuts the whole.
/// What comes of one that was called off means nothing.
///
/// # Errors
///
/// When they do not belong together, or are none of ours.
pub fn merge(
    answers: impl IntoIterator<Item = json::Answer>,
    cut: &Cut,
    cancel: &Cancel,
) -> Result<json::Answer, MergeError> {
    let mut whole = gather(answers)?;
    let query = read_back("fen", &whole.query.fen)?;
    let mut hits = std::mem::take(&mut whole.hits)
        .into_iter()
        .map(Told::new)
        .collect::<Result<Vec<Told>, MergeError>>()?;
    hits.sort_by(|one, two| one.numbers.rank(&two.numbers));
    hits.truncate(cut.depth());
    let hits = order_anew(&query, hits, cut, cancel);
    let replies = hits.iter().filter_map(|it| it.reply.as_ref());
    let moves = played::tally(&query, replies);
    whole.moves = moves.into_iter().map(json::Move::from).collect();
    let ranked = (1..).zip(hits);
    whole.hits = ranked.map(|(rank, it)| it.hit.ranked(rank)).collect();
    cut.apply(&mut whole.hits);
    Ok(whole)
}

/// All hits in one answer, unordered. It took as long as the slowest part.
fn gather(answers: impl IntoIterator<Item = json::Answer>) -> Result<json::Answer, MergeError> {
    let mut answers = answers.into_iter();
    let mut whole = answers.next().ok_or(MergeError::Nothing)?;
    for part in answers {
        if part.query.fen != whole.query.fen {
            return Err(MergeError::Queries(whole.query.fen, part.query.fen));
        }
        whole.collection.add(&part.collection);
        whole.took_ms = whole.took_ms.max(part.took_ms);
        whole.hits.extend(part.hits);
    }
    Ok(whole)
}

/// The hits by the second ranking, if one is asked for.
fn order_anew(query: &Chess, mut hits: Vec<Told>, cut: &Cut, cancel: &Cancel) -> Vec<Told> {
    let Some(method) = cut.rerank.map(Rerank::method) else {
        return hits;
    };
    let ranked = reranked(query, std::mem::take(&mut hits), method, cut.top, cancel);
    let told = ranked.into_iter().map(|(mut told, play)| {
        told.hit.rerank = Some(json::Play::new(&play));
        told
    });
    told.collect()
}

/// A hit as it was told, and what that says.
struct Told {
    hit: json::Hit,
    numbers: Hit,
    turned: Chess,
    reply: Option<Reply>,
}

impl Seen for Told {
    fn turned(&self) -> &Chess {
        &self.turned
    }

    fn similarity(&self) -> f64 {
        self.numbers.similarity
    }
}

impl Told {
    fn new(hit: json::Hit) -> Result<Told, MergeError> {
        if hit.rerank.is_some() {
            return Err(MergeError::Reranked);
        }
        let symmetry = Symmetry::from_name(&hit.symmetry);
        let numbers = Hit {
            score: hit.score,
            similarity: hit.similarity,
            symmetry: symmetry.ok_or_else(|| malformed("symmetry", &hit.symmetry))?,
            game: hit.game.id,
            ply: hit.ply,
        };
        Ok(Told {
            turned: read_back("turned_fen", &hit.turned_fen)?,
            reply: reply(&hit, &numbers)?,
            numbers,
            hit,
        })
    }
}

/// The move that followed, unless the game ends there or somebody passed.
fn reply(hit: &json::Hit, numbers: &Hit) -> Result<Option<Reply>, MergeError> {
    let (Some(san), Some(turned)) = (hit.next.first(), hit.turned_next.first()) else {
        return Ok(None);
    };
    if san == "--" {
        return Ok(None);
    }
    let position = read_back("fen", &hit.fen)?;
    let mv = san.parse::<SanPlus>().ok();
    let mv = mv.and_then(|it| it.san.to_move(&position).ok());
    let mv = mv.ok_or_else(|| malformed("next", san))?;
    let tags = tags(&hit.game);
    Ok(Some(Reply::new(mv, turned.clone(), numbers, &tags)))
}

/// Of a game's tags, those that the tally asks for.
fn tags(game: &json::Game) -> Tags {
    let elo = |elo: u16| Some(elo).filter(|&it| it > 0);
    Tags {
        white_elo: elo(game.white_elo),
        black_elo: elo(game.black_elo),
        result: Outcome::from_known(parse_result(&game.result)),
        ..Tags::default()
    }
}

fn read_back(field: &'static str, fen: &str) -> Result<Chess, MergeError> {
    position::read_back(fen).ok_or_else(|| malformed(field, fen))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tabiya_chess::pgn::Source;
    use tabiya_retrieval::{
        Statistics,
        collection::{Import, Progress},
        shard,
    };

    use super::*;
    use crate::{Archive, request::Search};

    /// Games with a result, a pass, a castling and an end at the position asked for.
    const GAMES: [&str; 5] = [
        "[White \"A\"][WhiteElo \"2000\"][Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 1-0\n",
        "[White \"B\"][Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 0-1\n",
        "[White \"C\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 *\n",
        "[White \"D\"][Result \"1/2-1/2\"]\n\n1. e4 e5 2. Bc4 Nf6 3. -- Nc6 4. Nf3 1/2-1/2\n",
        "[White \"E\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 *\n",
    ];

    const ASKED: &str = "fen=r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R+w+KQkq+-+4+4";

    fn built(number: usize, folder: &Path) -> tabiya_retrieval::index::Segment {
        let pgn = folder.join(format!("{number}.pgn"));
        std::fs::write(&pgn, GAMES[number]).unwrap();
        let import = Import {
            skip: Some(0),
            ..Import::new(vec![Source::File(pgn)])
        };
        let home = folder.join(number.to_string());
        let built = shard::build(&import, &home, &Progress::default()).unwrap();
        shard::open(&built.shards[0]).unwrap()
    }

    fn answer(search: &Search, archive: &Archive<'_>) -> json::Answer {
        let query = search.query(&Cancel::default()).unwrap();
        search.answer(&query, archive).unwrap()
    }

    /// As text, the way it travels.
    fn text(mut answer: json::Answer) -> String {
        answer.took_ms = 0.0;
        serde_json::to_string(&answer).unwrap()
    }

    #[test]
    fn merged_parts_are_the_whole_to_the_last_letter() {
        let folder = tempfile::tempdir().unwrap();
        let segments: Vec<_> = (0..5).map(|it| built(it, folder.path())).collect();
        let statistics = Statistics::of(&segments).unwrap();
        let shards = shard::numbered(&segments);
        for more in [
            "",
            "&top=2",
            "&symmetry=all",
            "&rerank=blend&top=3&after=1",
            "&limit=1",
        ] {
            let asked = format!("{ASKED}{more}");
            let search = || Search::read(&asked).unwrap();
            let whole = answer(&search(), &Archive::new(shards.clone(), &statistics));
            let parts = shards.chunks(2).map(|group| {
                let archive = Archive::new(group.to_vec(), &statistics);
                let told = text(answer(&search().for_a_part(), &archive));
                serde_json::from_str(&told).unwrap()
            });
            let merged = merge(parts, &search().cut, &Cancel::default()).unwrap();
            assert_eq!(text(merged), text(whole), "{more}");
        }
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        assert_eq!(
            merge([], &Cut::default(), &Cancel::default()).unwrap_err(),
            MergeError::Nothing
        );
        let folder = tempfile::tempdir().unwrap();
        let segments = [built(0, folder.path())];
        let statistics = Statistics::of(&segments).unwrap();
        let archive = Archive::new(shard::numbered(&segments), &statistics);
        let one = answer(&Search::read(ASKED).unwrap(), &archive);
        let other = Search::read("fen=8/8/4k3/8/8/4K3/8/8+w+-+-+0+1").unwrap();
        let answers = [one, answer(&other, &archive)];
        assert!(matches!(
            merge(answers, &Cut::default(), &Cancel::default()),
            Err(MergeError::Queries(..))
        ));
    }
}
