//! Colors for light and for dark pages.
//!
//! The background stays transparent; text and lines take their color from a style sheet
//! inside the file that follows the reader's scheme.

use plotters::style::RGBColor;

/// Colors that differ in lightness as well as in hue, legible on white and on black.
pub(super) const COLORS: [RGBColor; 6] = [
    RGBColor(0x88, 0x88, 0x88),
    RGBColor(0x1f, 0x9e, 0xc9),
    RGBColor(0xd9, 0x6a, 0x1d),
    RGBColor(0x2f, 0xa0, 0x52),
    RGBColor(0xb0, 0x54, 0xb8),
    RGBColor(0xc9, 0xa2, 0x1f),
];

/// Adds a style sheet that gives text and axes the color of the reader's scheme. Lines of
/// data are wider than axes, and keep their color.
pub(super) fn with_schemes(svg: &str) -> String {
    const STYLE: &str = "<style>text{fill:#222}line,polyline[stroke-width=\"1\"]{stroke:#999}\
        @media(prefers-color-scheme:dark){text{fill:#ddd}line,polyline[stroke-width=\"1\"]{stroke:#777}}</style>";
    let end = svg
        .find("<svg")
        .and_then(|at| svg[at..].find('>').map(|end| at + end + 1));
    match end {
        Some(end) => format!("{}\n{STYLE}{}", &svg[..end], &svg[end..]),
        None => svg.to_owned(),
    }
}
