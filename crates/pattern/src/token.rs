//! Tokens: the words and signs of a query.
//!
//! A designator such as `[RQ]a-h7` is one token, so that `Ba3` is a bishop on a3 and `Ra` is not
//! half of something. Every sign of CQL 6.2 that is not ASCII is a synonym of one that is.

use logos::Logos;

use crate::{error::PatternError, syntax::Span};

/// A word or sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Logos)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"(//|;)[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
#[logos(subpattern piece = r"([KQRBNPkqrbnpAa_♔♕♖♗♘♙♚♛♜♝♞♟△▲□]|\[[KQRBNPkqrbnpAa_♔♕♖♗♘♙♚♛♜♝♞♟△▲□]+\])")]
#[logos(subpattern square = r"[a-h](-[a-h])?[1-8](-[1-8])?")]
#[logos(subpattern squares = r"((?&square)|\[(?&square)(,(?&square))*\])")]
pub(crate) enum Token {
    /// `Ra1`, `[Qq]`, `e4`.
    #[regex(r"(?&piece)(?&squares)?|(?&squares)", priority = 30)]
    Designator,
    /// A keyword or the name of a variable.
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*", priority = 10)]
    Word,
    /// `@iqp`.
    #[regex(r"@[A-Za-z0-9][A-Za-z0-9-]*")]
    Named,
    #[regex(r"[0-9]+", priority = 10)]
    Integer,
    #[regex(r#""[^"]*""#)]
    Text,
    /// `result` with the result, which would otherwise be a subtraction.
    #[regex(r#"result[ \t\r\n]+"?(1-0|0-1|1/2-1/2)"?"#, priority = 50)]
    Result,
    /// `{3}`, `{2,5}`, `{2,}` or `{,4}` after a step.
    #[regex(r"\{[ \t]*([0-9]+([ \t]*,[ \t]*[0-9]*)?|,[ \t]*[0-9]+)[ \t]*\}")]
    Repeat,
    #[token(".")]
    #[token("▦")]
    AnySquare,
    #[token("o-o")]
    ShortCastle,
    #[token("o-o-o")]
    LongCastle,
    #[token("--")]
    #[token("――")]
    Dash,
    #[token("[x]")]
    #[token("×")]
    Capture,
    #[token("-->")]
    Forward,
    #[token("<--")]
    Backward,
    #[token("->")]
    #[token("→")]
    Arrow,
    #[token("<-")]
    #[token("←")]
    BackArrow,
    #[token("{")]
    OpenBlock,
    #[token("}")]
    CloseBlock,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("|")]
    #[token("∪")]
    Union,
    #[token("&")]
    #[token("∩")]
    Intersection,
    #[token("~")]
    Complement,
    #[token("#")]
    Count,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("?")]
    Question,
    #[token("==")]
    Equal,
    #[token("!=")]
    #[token("≠")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    #[token("≤")]
    LessOrEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    #[token("≥")]
    GreaterOrEqual,
    #[token("=")]
    Assign,
    #[token(":")]
    Colon,
    #[token("⬓")]
    FlipColor,
    #[token("✵")]
    Flip,
    #[token("⊢")]
    Path,
    #[token("◎")]
    Focus,
}

/// The greatest length of a query in bytes.
pub(crate) const LONGEST: usize = 16 << 10;

/// Cuts a text into tokens.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, PatternError> {
    if text.len() > LONGEST {
        let what = format!("the query is longer than {LONGEST} bytes");
        return Err(PatternError::new(Span::new(LONGEST, LONGEST), what));
    }
    let mut tokens = Vec::new();
    for (token, range) in Token::lexer(text).spanned() {
        let span = Span::new(range.start, range.end);
        match token {
            Ok(token) => tokens.push((token, span)),
            Err(()) => return Err(unreadable(text, span)),
        }
    }
    Ok(tokens)
}

fn unreadable(text: &str, span: Span) -> PatternError {
    let what = text[span.begin..].chars().next().unwrap_or(' ');
    match what {
        '"' => PatternError::new(span, "this text has no closing \""),
        '/' => PatternError::new(span, "this comment has no closing */"),
        '[' => PatternError::new(span, "this list is neither pieces nor squares")
            .hint("write pieces as [RQ] and squares as [a1,c3-5,h8], without spaces"),
        '!' => PatternError::new(span, "unexpected \"!\"").hint("write not or !="),
        _ => PatternError::new(span, format!("unexpected \"{what}\"")),
    }
}
