//! Reviews as one page that needs nothing else: no script, no font, no picture from elsewhere.

use std::fmt::Write;

use tabiya_chess::position;
use tabiya_question::review::{Answer, Evaluation, Moment};

use crate::view::diagram::{escaped, svg};

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#222}
h2{border-top:1px solid #ccc;padding-top:1rem}.moment{display:flex;gap:1.5rem;flex-wrap:wrap;margin:1.5rem 0}
.moment>div{flex:1;min-width:16rem}.board{max-width:100%}code{font-size:.8em;color:#666}.first{font-weight:bold}";

/// The page, game by game.
#[derive(Default)]
pub(super) struct Page {
    body: String,
}

impl Page {
    pub(super) fn add(&mut self, answer: &Answer) {
        let game = &answer.game;
        let text = &mut self.body;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "<h2>{} – {}</h2><p>{}, {}, {}</p>",
            escaped(&game.white),
            escaped(&game.black),
            escaped(&game.event),
            escaped(&game.date),
            escaped(&game.result)
        );
        text.push_str(&curve(&answer.evaluations, &answer.moments));
        text.push_str("<table><tr><th>player</th><th>moves</th><th>inaccuracies</th><th>mistakes</th><th>blunders</th></tr>");
        for it in &answer.players {
            let _ = write!(
                text,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(&it.name),
                it.moves,
                it.inaccuracies,
                it.mistakes,
                it.blunders
            );
        }
        text.push_str("</table>");
        if let Some(departure) = &answer.departure {
            let _ = write!(text, "<p>{}</p>", escaped(&departure.words));
        }
        answer.moments.iter().for_each(|it| add_moment(it, text));
    }

    pub(super) fn text(&self) -> String {
        format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Review</title><style>{STYLE}</style></head><body><h1>Review</h1>{}</body></html>\n",
            self.body
        )
    }
}

fn add_moment(moment: &Moment, text: &mut String) {
    let _ = write!(text, "<div class=\"moment\">{}<div>", svg(&moment.fen.0));
    for (number, words) in moment.words.iter().enumerate() {
        let class = if number == 0 { " class=\"first\"" } else { "" };
        let _ = write!(text, "<p{class}>{}</p>", escaped(words));
    }
    if !moment.exercises.is_empty() {
        text.push_str("<p>To practice:</p><ul>");
        for it in &moment.exercises {
            let name = it
                .name
                .clone()
                .unwrap_or_else(|| format!("game {}", it.game.id));
            let rating = it
                .rating
                .map_or(String::new(), |it| format!(", rated {it}"));
            let fen = position::to_fen(&it.fen.0);
            let _ = write!(
                text,
                "<li>exercise {}{rating} <code>{fen}</code></li>",
                escaped(&name)
            );
        }
        text.push_str("</ul>");
    }
    text.push_str("</div></div>");
}

/// White's winning chances over the game; moments are dots.
fn curve(evaluations: &[Evaluation], moments: &[Moment]) -> String {
    let width = 720.0 / (evaluations.len().max(2) - 1) as f64;
    let place = |ply: usize| {
        let chance = evaluations.get(ply).map_or(0.0, |it| it.chance);
        (ply as f64 * width, 60.0 - 55.0 * chance)
    };
    let points = (0..evaluations.len()).map(|it| {
        let (x, y) = place(it);
        format!("{x:.1},{y:.1}")
    });
    let points = points.collect::<Vec<_>>().join(" ");
    let dots = moments.iter().map(|it| {
        let (x, y) = place(usize::from(it.ply) + 1);
        let title = escaped(&it.played);
        format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#c33\"><title>{title}</title></circle>")
    });
    format!(
        "<svg viewBox=\"0 0 720 120\" width=\"100%\" role=\"img\" aria-label=\"evaluation curve\"><rect width=\"720\" height=\"120\" fill=\"#eee\"/><line x1=\"0\" y1=\"60\" x2=\"720\" y2=\"60\" stroke=\"#999\"/><polyline points=\"{points}\" fill=\"none\" stroke=\"#333\" stroke-width=\"2\"/>{}</svg>",
        dots.collect::<String>()
    )
}
