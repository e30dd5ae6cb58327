//! Building a segment: games in, an immutable file out.

use std::path::Path;

use tabiya_chess::{Eco, Game, Ply};

use super::{
    GameDigest, GameIndex, Segment, Summary, WINDOW,
    annotation::AnnotationsBuilder,
    case::CasesBuilder,
    format::{self, FormatError},
    game::{GameRecord, Source},
    motif::MotifsBuilder,
    part::{self, Part, Volume},
    volume::{NewLine, VolumeBuilder},
};

/// The longest game a segment can hold, in plies. Nobody has played a
/// tenth of it; an import cuts longer ones.
pub const LONGEST_GAME: usize = u16::MAX as usize;

/// Collects games until it is full, then writes them as a segment.
#[derive(Debug)]
pub struct SegmentBuilder {
    skip: u16,
    games: VolumeBuilder,
    others: Vec<u8>,
    digests: Vec<u8>,
    cases: CasesBuilder,
    annotations: AnnotationsBuilder,
    motifs: MotifsBuilder,
    /// The variations of all games, each a line of its own.
    variations: VolumeBuilder,
    /// For each variation, its game.
    parents: Vec<u8>,
}

impl SegmentBuilder {
    /// A builder that leaves out the first `skip` plies of games from the
    /// usual start.
    pub fn new(skip: u16) -> SegmentBuilder {
        SegmentBuilder {
            skip,
            games: VolumeBuilder::default(),
            others: Vec::new(),
            digests: Vec::new(),
            cases: CasesBuilder::default(),
            annotations: AnnotationsBuilder::default(),
            motifs: MotifsBuilder::default(),
            variations: VolumeBuilder::default(),
            parents: Vec::new(),
        }
    }

    /// Games and positions so far.
    pub fn summary(&self) -> &Summary {
        &self.games.summary
    }

    /// Whether the segment has room for the game.
    pub fn has_room_for(&self, game: &Game) -> bool {
        let of_game = self.positions_of(game).div_ceil(WINDOW);
        let variations = game.annotations.variations(&game.moves);
        let of_variations = variations
            .map(|it| it.branch.moves.len().div_ceil(WINDOW))
            .sum();
        self.games.has_room_for(of_game) && self.variations.has_room_for(of_variations)
    }

    /// How many positions of the game would be indexed.
    pub fn positions_of(&self, game: &Game) -> usize {
        (game.moves.len().min(LONGEST_GAME) + 1).saturating_sub(self.first_ply(game).into())
    }

    /// Adds a game, which there must be room for.
    ///
    /// # Panics
    ///
    /// When the game is longer than [`LONGEST_GAME`] or there is no room.
    pub fn add(&mut self, game: &Game) {
        assert!(
            game.moves.len() <= LONGEST_GAME && self.has_room_for(game),
            "room for the game"
        );
        let index = GameIndex(self.games.summary.games);
        let record = self.record(game);
        let line = NewLine {
            game,
            moves: &game.moves,
            first_row: Ply::FIRST,
            first_ply: self.first_ply(game),
        };
        self.games.add(&line, record);
        self.digests
            .extend_from_slice(&GameDigest::of(game).to_bytes());
        self.cases.add(index, game);
        self.annotations.add(index, &game.annotations);
        self.motifs.add(index, game);
        self.add_variations(index, game);
    }

    /// Adds the variations of a game as far as there is room; one game alone can have more
    /// than a segment holds.
    fn add_variations(&mut self, index: GameIndex, game: &Game) {
        for variation in game.annotations.variations(&game.moves) {
            let line = NewLine {
                game,
                moves: &variation.moves,
                // From where it leaves: its first move is an answer to that position.
                first_row: Ply::after(variation.ply),
                first_ply: self.first_ply(game).max(Ply::after(variation.ply + 1)),
            };
            let windows = variation.branch.moves.len().div_ceil(WINDOW);
            if line.moves.len() > LONGEST_GAME || !self.variations.has_room_for(windows) {
                return;
            }
            self.variations.add(&line, GameRecord::default());
            self.parents.extend_from_slice(&index.0.to_le_bytes());
        }
    }

    /// Writes the segment to a file. Returns its summary.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(self, path: &Path) -> Result<Summary, FormatError> {
        let summary = *self.summary();
        format::write(path, &self.into_sections())?;
        Ok(summary)
    }

    /// Compares a segment with what its games make.
    ///
    /// # Errors
    ///
    /// When a part differs, or its checksum is wrong.
    pub(crate) fn compare(self, segment: &Segment) -> Result<(), FormatError> {
        let built = self.into_sections().into_iter();
        // Another compressor may compress in another way; the games were read from there.
        let compared = built.filter(|it| it.0 != Volume::Games.kind(Part::Annotations));
        for (kind, bytes) in compared.filter(|it| segment.has(it.0)) {
            if segment.whole(kind)? != bytes {
                let name = part::name_of(kind).unwrap_or_default();
                return Err(segment.damaged(format!("its {name} do not fit its games")));
            }
        }
        segment.check()
    }

    /// The sections of the segment: the same games make the same bytes.
    fn into_sections(self) -> Vec<(u32, Vec<u8>)> {
        let (actions, cases) = self.cases.finish();
        let (annotated, annotations) = self.annotations.finish();
        let parts = [
            (Part::Others, self.others),
            (Part::Digests, self.digests),
            (Part::Actions, actions),
            (Part::Cases, cases),
            (Part::Annotated, annotated),
            (Part::Annotations, annotations),
        ];
        let motifs = self.motifs.finish().into_iter().flat_map(|it| {
            let parts = [Part::Exhibits, Part::Lexicon, Part::Motifs];
            parts.into_iter().zip(it)
        });
        let games = self.games.into_sections().into_iter();
        let games = games.chain(parts).chain(motifs);
        let mut sections: Vec<_> = games
            .map(|(part, bytes)| (Volume::Games.kind(part), bytes))
            .collect();
        if !self.parents.is_empty() {
            let variations = self.variations.into_sections().into_iter();
            let variations = variations
                .filter(|it| Volume::Variations.has(it.0))
                .chain([(Part::Parents, self.parents)]);
            sections.extend(variations.map(|(part, bytes)| (Volume::Variations.kind(part), bytes)));
        }
        sections
    }

    /// Where indexing begins: openings repeat, set-up positions do not.
    fn first_ply(&self, game: &Game) -> Ply {
        if game.setup.is_some() {
            Ply::FIRST
        } else {
            self.skip.into()
        }
    }

    /// What is known of a game but for its moves.
    fn record(&mut self, game: &Game) -> GameRecord {
        let tags = &game.tags;
        let strings = &mut self.games.strings;
        let has_layout = !tags.layout.as_str().is_empty();
        let record = GameRecord {
            white: strings.intern(&tags.white),
            black: strings.intern(&tags.black),
            event: strings.intern(&tags.event),
            site: strings.intern(&tags.site),
            round: strings.intern(&tags.round),
            date: tags.date,
            white_elo: tags.white_elo.unwrap_or(0),
            black_elo: tags.black_elo.unwrap_or(0),
            eco: tags.eco.map_or(0, |it: Eco| it.index() + 1),
            result: GameRecord::result_code(tags.result),
            origin: Source::of(tags) as u8,
            first_other: (self.others.len() / 8) as u32,
            others: (tags.others.len() + usize::from(has_layout)) as u32,
            ..GameRecord::default()
        };
        // A tag without a name keeps the order of the others.
        let layout = has_layout.then(|| ["", tags.layout.as_str()]);
        let others = tags
            .others
            .iter()
            .map(|it| [&it.0, &it.1].map(String::as_str));
        for text in layout.into_iter().chain(others).flatten() {
            self.others
                .extend_from_slice(&strings.intern(text).to_le_bytes());
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dice, annotated_game, random_tags};
    use proptest::prelude::*;
    use tabiya_chess::Layout;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn games_come_back_with_all_that_was_written(seed: u64) {
            let mut dice = Dice::new(seed);
            let game = |dice: &mut Dice| {
                let plies = dice.below(90);
                let mut game = annotated_game(dice, plies);
                game.tags = random_tags(dice);
                if dice.below(2) == 0 {
                    game.tags.layout = Layout::from("zbacdefg");
                }
                if dice.below(3) == 0 {
                    game.annotations.strip();
                }
                game
            };
            let games: Vec<Game> = (0..30).map(|_| game(&mut dice)).collect();
            let mut builder = SegmentBuilder::new(dice.below(30) as u16);
            games.iter().for_each(|it| builder.add(it));
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("segment");
            builder.write(&path).unwrap();
            let segment = Segment::open(&path).unwrap();
            segment.check().unwrap();
            let read = segment.games().unwrap();
            let back: Vec<Game> = read.indices().map(|it| read.game(it)).collect();
            segment.sound().unwrap();
            prop_assert_eq!(back, games);
        }
    }
}
