//! A reviewed game as PGN: evaluations, glyphs, comments and better lines that any program reads.

use shakmaty::{Position, san::San};
use tabiya_chess::{
    CompactMove, Game,
    annotation::{Branch, Remark},
};
use tabiya_question::review::{Answer, Moment, Review};

/// The game with what the review says. What annotators said before stays.
pub(super) fn annotated(review: &Review, answer: &Answer) -> Game {
    let first = review.reviewed().start;
    let mut game = review.game.clone();
    // A mate on the board needs no evaluation, and `#0` would not say who won.
    let places = (first..)
        .zip(&answer.evaluations)
        .filter(|(ply, it)| *ply > 0 && it.mate_in != Some(0));
    for (ply, evaluation) in places {
        let has_one = game
            .annotations
            .comments_at(ply)
            .any(|it| it.contains("[%eval "));
        if !has_one {
            let text = evaluation.text();
            let comment = format!("[%eval {}]", text.trim_start_matches('+'));
            game.annotations.push(ply as u16, Remark::Comment(comment));
        }
    }
    if let Some(departure) = &answer.departure {
        let comment = Remark::Comment(departure.words.clone());
        game.annotations.push(departure.ply + 1, comment);
    }
    for moment in &answer.moments {
        let ply = moment.ply + 1;
        game.annotations.push(ply, Remark::Nag(glyph(moment)));
        // A brace would end the comment.
        let words = moment.words.join(" ").replace(['{', '}'], "");
        game.annotations.push(ply, Remark::Comment(words));
        let branch = Branch {
            moves: better_moves(moment),
            ..Branch::default()
        };
        if !branch.is_empty() {
            game.annotations.push(ply, Remark::Variation(branch));
        }
    }
    game
}

/// `?!`, `?` or `??`.
fn glyph(moment: &Moment) -> u8 {
    match moment.severity {
        "inaccuracy" => 6,
        "mistake" => 2,
        _ => 4,
    }
}

fn better_moves(moment: &Moment) -> Vec<CompactMove> {
    let mut here = moment.fen.0.clone();
    let mut moves = Vec::new();
    for word in &moment.better_line {
        let san = word.trim_end_matches(['+', '#']).parse::<San>();
        let Some(mv) = san.ok().and_then(|it| it.to_move(&here).ok()) else {
            break;
        };
        here.play_unchecked(mv);
        moves.push(mv.into());
    }
    moves
}
