"""Does an export hold everything that its source holds?

python-chess reads both files. Tags in their order, moves, glyphs, comments and
variations of every game must agree; only white space in comments may differ.
An export may add what PGN demands: missing tags of the Seven Tag Roster, and
SetUp beside FEN.

    python tests/annotations.py source.pgn export.pgn
"""

import io
import sys
from pathlib import Path

import chess.pgn

ADDED = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": "*",
    "SetUp": "1",
}


class Difference(Exception):
    """The first thing that differs."""


class Builder(chess.pgn.GameBuilder):
    """Builds the game, and keeps its tags in the order of the file."""

    def begin_game(self):
        super().begin_game()
        self.game.tags = []

    def visit_header(self, name, value):
        super().visit_header(name, value)
        self.game.tags.append((name, value))


def with_braces(text):
    """The text with braces around comments that go to the end of a line, which
    python-chess skips. Their own closing braces become brackets."""
    lines, in_comment = [], False
    for line in text.splitlines():
        if not in_comment and line.startswith(("[", "%")):
            lines.append(line)
            continue
        at = 0
        while at < len(line):
            if in_comment or line[at] == "{":
                end = line.find("}", at)
                in_comment, at = end < 0, len(line) if end < 0 else end + 1
            elif line[at] == ";":
                line = f"{line[:at]}{{{line[at + 1 :].replace('}', ')')}}}"
                at = len(line)
            else:
                at += 1
        lines.append(line)
    return "\n".join(lines) + "\n"


def games_of(path):
    stream = io.StringIO(with_braces(Path(path).read_text(encoding="utf-8-sig")))
    while (game := chess.pgn.read_game(stream, Visitor=Builder)) is not None:
        if game.errors:
            raise Difference(f"{path}: python-chess cannot read it: {game.errors[0]}")
        yield game


def agree(what, source, export):
    if source != export:
        raise Difference(f"{what}\n  source: {source!r}\n  export: {export!r}")


def agree_on_tags(source, export):
    names = {name for name, _ in source.tags}

    def is_added(tag):
        name, value = tag
        demanded = name != "SetUp" or "FEN" in names
        return name not in names and demanded and ADDED.get(name) == value

    agree("tags", source.tags, [tag for tag in export.tags if not is_added(tag)])


def plain(comment):
    """A comment without its white space; several of them are one text."""
    texts = [comment] if isinstance(comment, str) else comment
    return " ".join(" ".join(texts).split())


def place(node):
    """Where a node is: the moves that lead to it."""
    moves = []
    while node.parent is not None:
        moves.append(node.uci() if node.move else "--")
        node = node.parent
    return "after " + " ".join(reversed(moves)) if moves else "before the first move"


def agree_on_moves(source, export):
    waiting = [(source, export)]
    while waiting:
        source, export = waiting.pop()
        where = place(source)
        agree(f"comment {where}", plain(source.comment), plain(export.comment))
        if source.parent is not None:
            agree(
                f"comment before the last move {where}",
                plain(source.starting_comment),
                plain(export.starting_comment),
            )
        agree(f"glyphs {where}", sorted(source.nags), sorted(export.nags))
        moves = [[child.uci() for child in node.variations] for node in (source, export)]
        agree(f"moves {where}", *moves)
        # The main line last, so that it is compared first.
        waiting += reversed(list(zip(source.variations, export.variations)))


def compare(source_path, export_path):
    """Compares two files and returns the number of games."""
    sources, exports = list(games_of(source_path)), list(games_of(export_path))
    agree("number of games", len(sources), len(exports))
    for number, (source, export) in enumerate(zip(sources, exports), 1):
        try:
            agree_on_tags(source, export)
            agree_on_moves(source, export)
        except Difference as difference:
            names = " - ".join(source.headers[it] for it in ("White", "Black"))
            raise Difference(f"game {number}, {names}: {difference}") from None
    return len(sources)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1].strip())
    source, export = sys.argv[1:]
    try:
        count = compare(source, export)
    except Difference as difference:
        sys.exit(f"{export} differs from {source}: {difference}")
    print(f"{export} holds everything of {source}: {count} games")


if __name__ == "__main__":
    main()
