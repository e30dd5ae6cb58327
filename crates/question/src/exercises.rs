//! Finds exercises whose motif is like that of a position.

use clap::Args;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Move};
use tabiya_chess::{Game, Line, Ply};
use tabiya_engine::shallow;
use tabiya_retrieval::{
    exercise::{self, Alike},
    motif::{Exhibit, Motif, exhibits, ideas},
    search::Cancel,
};
use utoipa::ToSchema;

use crate::{
    AskError, Invalid, Question, Shards,
    parameter::{GameParameters, PositionParameters},
    shape::{Fen, GameHeader, line},
};

/// A position to find exercises for.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Exercises {
    /// The position.
    #[command(flatten)]
    #[serde(flatten)]
    pub position: PositionParameters,

    /// Best line in the position, such as "Nxf7 Kxf7 Ng5+" [default: that of a short search]
    #[arg(long, value_name = "MOVES")]
    pub line: Option<String>,

    /// Number of exercises to find
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,

    /// The exercises to search.
    #[command(flatten)]
    #[serde(flatten)]
    pub games: GameParameters,
}

/// The exercises most like a position.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExercisesAnswer)]
pub struct Answer {
    /// The position asked about.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// Its best line.
    pub line: Vec<String>,
    /// The named ideas of the line.
    pub ideas: Vec<String>,
    /// The exercises, best first.
    pub exercises: Vec<Exercise>,
}

/// An exercise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Exercise {
    /// How like the query's its motif is, from 0 to 1.
    pub similarity: f64,
    /// The position in which the solver moves.
    #[schema(value_type = String)]
    pub fen: Fen,
    /// The solution, the solver's move first.
    pub solution: Vec<String>,
    /// The named ideas of the solution.
    pub ideas: Vec<String>,
    /// The name of the exercise, if it has one.
    pub name: Option<String>,
    /// The rating of the exercise.
    pub rating: Option<u16>,
    /// The themes of the exercise.
    pub themes: Vec<String>,
    /// The game that holds it.
    pub game: GameHeader,
    /// The number of plies played before the position in that game.
    #[schema(value_type = u16)]
    pub ply: Ply,
}

impl Question for Exercises {
    const NAME: &'static str = "exercises";
    const ABOUT: &'static str = "Find exercises with the motif of a position";
    const LIMITS: &'static [(&'static str, f64, f64)] = &[("top", 0.0, 200.0)];

    type Part = Vec<Exercise>;
    type Answer = Answer;

    fn position(&mut self) -> Option<&mut PositionParameters> {
        Some(&mut self.position)
    }

    fn settle(&mut self) -> Result<(), Invalid> {
        self.position.settle()?;
        let given = self.line.as_deref().unwrap_or_default();
        let line = Line::read(self.position.position().clone(), given);
        let line = line.map_err(|error| Invalid::new("line", error))?;
        let line = match line.moves().is_empty() {
            true => self.searched_line(),
            false => line,
        };
        self.line = Some(line.to_uci().join(" "));
        Ok(())
    }

    fn ask(&self, shards: &Shards<'_>, _: &Cancel) -> Result<Vec<Exercise>, AskError> {
        let motif = Motif::of(self.position.position(), &self.best_line());
        let depth = self.top.max(exercise::DEPTH);
        let found = exercise::alike(shards.shards(), &motif, &self.games.filter(), depth)?;
        let mut exercises = Vec::with_capacity(found.len());
        for alike in found {
            let game = shards.game(alike.game)?;
            exercises.extend(game.and_then(|it| Exercise::new(&alike, &it)));
        }
        Ok(exercises)
    }

    fn merge(&self, parts: Vec<Vec<Exercise>>, _: &Cancel) -> Result<Answer, AskError> {
        let mut found: Vec<Exercise> = parts.into_iter().flatten().collect();
        found.sort_by(|one, two| one.place().rank(&two.place()));
        found.truncate(self.top.max(exercise::DEPTH));
        let themes = |it: &Exercise| (it.similarity, it.themes.clone());
        let labeled: Vec<_> = found.iter().map(themes).collect();
        let order = exercise::order(&labeled).into_iter().take(self.top);
        let (position, best) = (self.position.position(), self.best_line());
        Ok(Answer {
            fen: Fen(position.clone()),
            line: line(position, &best),
            ideas: names(position, &best),
            exercises: order.map(|it| found[it].clone()).collect(),
        })
    }
}

impl Exercises {
    /// The line of a settled question.
    fn best_line(&self) -> Vec<Move> {
        let text = self.line.as_deref().unwrap_or_default();
        let line = Line::read(self.position.position().clone(), text);
        line.map_or(Vec::new(), |it| it.moves().to_vec())
    }

    /// The best line by a short search.
    fn searched_line(&self) -> Line {
        let position = self.position.position();
        let mut line = Line::new(position.clone());
        let found = shallow::lines(std::slice::from_ref(position), shallow::NODES, || true);
        // A principal variation may end in a move of another line.
        let _ = found.concat().into_iter().try_for_each(|it| line.push(it));
        line
    }
}

impl Exercise {
    fn new(alike: &Alike, game: &Game) -> Option<Exercise> {
        let exhibit = exhibits(game).into_iter().find(|it| it.ply == alike.ply)?;
        let tag = |name: &str| {
            let mut others = game.tags.others.iter();
            others.find(|it| it.0 == name).map(|it| it.1.as_str())
        };
        let themes = tag(Exhibit::THEMES).unwrap_or_default();
        Some(Exercise {
            similarity: alike.similarity,
            solution: line(&exhibit.position, &exhibit.line),
            ideas: names(&exhibit.position, &exhibit.line),
            fen: Fen(exhibit.position),
            name: tag(Exhibit::NAME).map(str::to_owned),
            rating: tag(Exhibit::RATING).and_then(|it| it.parse().ok()),
            themes: themes.split_whitespace().map(str::to_owned).collect(),
            game: GameHeader::new(alike.game, &game.tags),
            ply: alike.ply,
        })
    }

    fn place(&self) -> Alike {
        Alike {
            game: self.game.id,
            ply: self.ply,
            similarity: self.similarity,
        }
    }
}

/// The named ideas of a line.
pub(crate) fn names(position: &Chess, line: &[Move]) -> Vec<String> {
    let ideas = ideas(position, line).into_iter();
    ideas.map(|it| it.to_string()).collect()
}
