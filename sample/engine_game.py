"""One game between two engines, from the end of an opening line to a stated end.

A game ends by the rules (mate, stalemate, repetition, fifty moves, too little
material) or is adjudicated, in which case the Termination tag and a last
comment say so: a side resigns when both engines have seen it lost by RESIGN
centipawns for RESIGN_MOVES moves each, a draw is agreed when both have seen
nothing for DRAW_MOVES moves each in an endgame-length game, and at PLY_CAP
the game is given to the side both engines see ahead, else drawn. Half of the
games, chosen by the pairing, know neither resignation nor agreement.
"""

from multiprocessing.util import Finalize

import chess
import chess.engine
import chess.pgn

from tournament import DATE, EVENT

NODES = 4000
RESIGN, RESIGN_MOVES = 900, 4
DRAW, DRAW_MOVES, DRAW_FROM_PLY = 20, 6, 80
PLY_CAP, CAP_MARGIN = 300, 300
OPTIONS = {"Hash": 4, "OwnBook": False, "Threads": 1}
OUTCOMES = {chess.WHITE: "1-0", chess.BLACK: "0-1", None: "1/2-1/2"}

# Engine processes of this process, by side and command: each side keeps its own hash table.
engines = {}


def take_seat():
    """Readies a process of a pool to play: when it ends, so do its engines, GNU Chess above
    all, which does not end with its input. Atexit is not honored in such a process."""
    Finalize(None, close_engines, exitpriority=1)


def close_engines():
    """Ends the engine processes this process started."""
    for engine in engines.values():
        engine.close()
    engines.clear()


def play(pairing):
    """Plays a pairing; returns its round and PGN. An engine that dies costs a replay."""
    for _ in range(3):
        try:
            return pairing.round, attempt(pairing)
        except chess.engine.EngineError:
            close_engines()
    raise RuntimeError(f"game {pairing.round} could not be played: check {pairing.white} and {pairing.black}")


def attempt(pairing):
    """Plays a pairing once and returns its PGN."""
    board = chess.Board()
    for word in pairing.moves.split():
        if not word.endswith("."):
            board.push_san(word)
    sides = {chess.WHITE: seat("white", pairing.white), chess.BLACK: seat("black", pairing.black)}
    scores = []
    while not (end := finished(board) or adjudicated(board, scores, pairing.cut_short)):
        engine, limit = sides[board.turn]
        answer = engine.play(board, limit, game=pairing.round, info=chess.engine.INFO_SCORE)
        scores.append(answer.info["score"].white().score(mate_score=10_000) if "score" in answer.info else 0)
        board.push(answer.move)
    return as_pgn(board, pairing, *end)


def seat(side, player):
    """The engine process for a side, set to the player's strength, and its limit a move."""
    key = side, player.command
    if key not in engines:
        engines[key] = chess.engine.SimpleEngine.popen_uci(list(player.command))
    engine = engines[key]
    wanted = dict(OPTIONS)
    if "UCI_LimitStrength" in engine.options:
        wanted["UCI_LimitStrength"] = player.elo is not None
        wanted["UCI_Elo"] = player.elo or engine.options["UCI_Elo"].default
    engine.configure({name: value for name, value in wanted.items() if name in engine.options})
    return engine, chess.engine.Limit(depth=player.depth, nodes=None if player.depth else NODES)


def finished(board):
    """The result by the rules as (result, None), or None while the game goes on."""
    if board.is_checkmate():
        return OUTCOMES[not board.turn], None
    drawn = (
        board.is_stalemate()
        or board.is_insufficient_material()
        or board.is_repetition(3)
        or board.halfmove_clock >= 100
    )
    return (OUTCOMES[None], None) if drawn else None


def adjudicated(board, scores, cut_short):
    """The result by adjudication as (result, reason), or None; scores are White's, one a ply."""
    if cut_short:
        for winner, loser, sign in [(chess.WHITE, "Black", 1), (chess.BLACK, "White", -1)]:
            if holds(scores, RESIGN_MOVES, lambda score: sign * score >= RESIGN):
                return OUTCOMES[winner], f"{loser} resigns"
        if board.ply() >= DRAW_FROM_PLY and holds(scores, DRAW_MOVES, lambda score: abs(score) <= DRAW):
            return OUTCOMES[None], "draw agreed"
    if board.ply() >= PLY_CAP:
        ahead = [side for side, sign in [(chess.WHITE, 1), (chess.BLACK, -1)]
                 if holds(scores, 1, lambda score: sign * score >= CAP_MARGIN)]
        return OUTCOMES[ahead[0] if ahead else None], f"adjudicated after {PLY_CAP // 2} moves"
    return None


def holds(scores, moves, condition):
    """Whether the condition is met by the last so many moves of both sides."""
    return len(scores) >= 2 * moves and all(map(condition, scores[-2 * moves:]))


def as_pgn(board, pairing, result, reason):
    """The game with its tags."""
    game = chess.pgn.Game.from_board(board)
    tags = {
        "Event": EVENT, "Site": "?", "Date": DATE, "Round": pairing.round,
        "White": pairing.white.title, "Black": pairing.black.title, "Result": result,
        "WhiteElo": pairing.white.elo, "BlackElo": pairing.black.elo,
        "ECO": pairing.eco, "Opening": pairing.opening,
        "Termination": "adjudication" if reason else None,
    }
    game.headers = chess.pgn.Headers({name: str(value) for name, value in tags.items() if value})
    game.end().comment = reason or ""
    return game.accept(chess.pgn.StringExporter(columns=80))
