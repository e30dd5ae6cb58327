//! Compares the play of two positions. The names of the measures in JSON contain their depth.

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};
use shakmaty::Square;
use tabiya_chess::rules::Naming;
use tabiya_gametree::similarity::Sample;
use tabiya_retrieval::{
    comparison::{self, Comparison, Settings},
    search::Cancel,
};
use utoipa::{PartialSchema, ToSchema, openapi};

use crate::{AskError, Cost, Question, Scope, Shards, parameter::PairParameters};

/// Two positions to compare.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Compare {
    /// The positions.
    #[command(flatten)]
    #[serde(flatten)]
    pub pair: PairParameters,

    /// Number of plies to compare, 1 to 3 (without tree edit distances at 3)
    #[arg(long, value_name = "PLIES", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub depth: u8,

    /// Notation of moves
    #[arg(long, value_enum, default_value_t)]
    pub labels: Labels,

    /// Number of random children per node in the structural measure [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub sample: Option<u16>,

    /// Number of corresponding pairs of moves to return
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub matches: usize,
}

/// The notation of moves.
#[derive(Clone, Copy, Debug, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Labels {
    /// Standard algebraic notation: Bxf7+
    #[default]
    San,
    /// UCI notation: c4f7
    Uci,
    /// Piece and target square: Bf7
    Piece,
}

impl Labels {
    const fn naming(self) -> Naming {
        match self {
            Labels::San => Naming::San,
            Labels::Uci => Naming::Uci,
            Labels::Piece => Naming::Piece,
        }
    }
}

impl Question for Compare {
    const NAME: &'static str = "compare";
    const ABOUT: &'static str = "Compare the play of two positions";
    const LIMITS: &'static [(&'static str, f64, f64)] =
        &[("depth", 1.0, 2.0), ("matches", 0.0, 100.0)];

    type Part = ();
    type Answer = Answer;

    fn scope(&self) -> Scope {
        Scope::Anyone
    }

    fn cost(&self) -> Cost {
        Cost::Heavy
    }

    fn ask(&self, _: &Shards<'_>, _: &Cancel) -> Result<(), AskError> {
        Ok(())
    }

    fn merge(&self, _: Vec<()>, cancel: &Cancel) -> Result<Answer, AskError> {
        let PairParameters { fen, other } = &self.pair;
        let sample = self.sample.map(|it| Sample {
            children: it.into(),
            seed: 1,
        });
        let settings = Settings {
            depth: self.depth.into(),
            naming: self.labels.naming(),
            sample,
        };
        let plain = Comparison::new(fen, other, settings, cancel);
        let swapped = Comparison::swapped(fen, other, settings, cancel);
        Ok(Answer {
            plain,
            swapped,
            depth: self.depth,
            matches: self.matches,
        })
    }
}

/// The measures of two positions.
#[derive(Debug)]
pub struct Answer {
    /// The comparison.
    pub plain: Comparison,
    /// The comparison with the colors of the second position swapped.
    pub swapped: Option<Comparison>,
    depth: u8,
    matches: usize,
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (name, value) in self.measures(&self.plain) {
            map.serialize_entry(&name, &value)?;
        }
        if let Some(swapped) = &self.swapped {
            let measures: Map<String, Value> = self.measures(swapped).into_iter().collect();
            map.serialize_entry("swapped", &measures)?;
        }
        map.end()
    }
}

impl Answer {
    /// The comparison that counts: the one in which the positions look more alike.
    pub fn judged(&self) -> &Comparison {
        let swapped = self.swapped.as_ref();
        let swapped = swapped.filter(|it| it.encoding > self.plain.encoding);
        swapped.unwrap_or(&self.plain)
    }

    /// The measures by their names in JSON.
    fn measures(&self, found: &Comparison) -> Vec<(String, Value)> {
        let depth = self.depth;
        let matches = found.matches.iter().take(self.matches);
        let matches: Vec<Match> = matches.map(Match::new).collect();
        let mut measures = vec![("continuations_1".to_owned(), json!(found.continuations_1))];
        if depth > 1 {
            let name = format!("continuations_{depth}");
            measures.push((name, json!(found.continuations)));
        }
        for (name, value) in [
            ("sequences", json!(found.sequences)),
            ("tree_edit_ordered", json!(found.tree_edit_ordered)),
            ("tree_edit_unordered", json!(found.tree_edit_unordered)),
        ] {
            measures.push((format!("{name}_{depth}"), value));
        }
        for (name, value) in [
            ("structural", json!(found.structural)),
            ("correlation", json!(found.correlation)),
            ("encoding", json!(found.encoding)),
            ("matches", json!(matches)),
            ("freedom", json!(found.freedom)),
            ("verdict", json!(found.verdict().words())),
            ("shared", json!(found.shared)),
            ("only_a", json!(found.only_a)),
            ("only_b", json!(found.only_b)),
        ] {
            measures.push((name.to_owned(), value));
        }
        measures
    }
}

impl PartialSchema for Answer {
    fn schema() -> openapi::RefOr<openapi::Schema> {
        let number = || {
            openapi::ObjectBuilder::new()
                .schema_type(openapi::Type::Number)
                .minimum(Some(0.0))
                .maximum(Some(1.0))
        };
        let object = openapi::ObjectBuilder::new()
            .description(Some(
                "Measures range from 0 to 1 (identical); docs/measures.md defines them. \
                 `swapped` repeats them with the colors of the second position swapped.",
            ))
            .property("structural", number())
            .property("correlation", number())
            .property("encoding", number())
            .property("freedom", number())
            .property(
                "matches",
                openapi::Ref::from_schema_name(Match::name()).to_array_builder(),
            )
            .property("verdict", String::schema())
            .property("shared", Vec::<String>::schema())
            .property("only_a", Vec::<String>::schema())
            .property("only_b", Vec::<String>::schema())
            .property("swapped", openapi::Ref::from_schema_name("CompareAnswer"));
        let required = [
            "structural",
            "correlation",
            "encoding",
            "freedom",
            "matches",
            "verdict",
        ];
        let object = required
            .into_iter()
            .fold(object, openapi::ObjectBuilder::required);
        object
            .additional_properties(Some(openapi::schema::AdditionalProperties::FreeForm(true)))
            .into()
    }
}

impl ToSchema for Answer {
    fn name() -> std::borrow::Cow<'static, str> {
        "CompareAnswer".into()
    }

    fn schemas(all: &mut Vec<(String, openapi::RefOr<openapi::Schema>)>) {
        all.push((Match::name().into_owned(), Match::schema()));
    }
}

/// Two moves that correspond.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MovePair)]
struct Match {
    /// A move of the first position.
    a: String,
    /// The corresponding move of the second position.
    b: String,
    /// The number of times they were paired.
    count: usize,
    /// The effects of the two moves: quiet, capture, check or mate.
    effects: [&'static str; 2],
    /// The origin and target squares of the two moves.
    paths: [[String; 2]; 2],
}

impl Match {
    fn new(matched: &comparison::Match) -> Match {
        let (a, b) = matched.effects;
        let path = |(from, to): (Square, Square)| [from, to].map(|it| it.to_string());
        Match {
            a: matched.a.clone(),
            b: matched.b.clone(),
            count: matched.count,
            effects: [a.name(), b.name()],
            paths: [path(matched.paths.0), path(matched.paths.1)],
        }
    }
}
