"""Plays a short game with the engine through python-chess, an independent client.

Usage: python tests/uci_client.py path/to/tabiya path/to/tablebases
Needs the PyPI package `chess`, whose source archive has the tablebases of up to
four pieces.
"""

import sys

import chess
import chess.engine
import chess.syzygy

# Bishop and knight, queen against rook, pawns: won, drawn and lost.
ENDINGS = [
    "8/8/8/4k3/8/8/8/KBN5 w - - 0 1",
    "8/8/4k3/8/3q4/8/1R6/1K6 w - - 0 1",
    "8/8/4k3/8/3q4/8/1R6/1K6 b - - 0 1",
    "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1",
    "8/8/3k4/8/3K4/3P4/8/8 w - - 0 1",
    "8/1p6/8/k7/8/8/K5P1/8 b - - 0 1",
    "4k3/8/8/8/8/2n5/1P6/4K3 w - - 0 1",
]


def endings(engine: chess.engine.SimpleEngine, folder: str) -> None:
    """With tablebases no result is given away, and the hardest mate is given."""
    engine.configure({"SyzygyPath": folder})
    with chess.syzygy.open_tablebase(folder) as tables:
        for fen in ENDINGS:
            board = chess.Board(fen)
            before = tables.probe_wdl(board)
            info = engine.analyse(board, chess.engine.Limit(nodes=5_000))
            board.push(info["pv"][0])
            assert tables.probe_wdl(board) == -before, (fen, info)

        # One capture away from a table: the search has to ask it.
        board = chess.Board("8/8/4k3/4p3/3q4/8/1R6/1K2R3 b - - 0 1")
        info = engine.analyse(board, chess.engine.Limit(nodes=20_000))
        assert info.get("tbhits", 0) > 0, info

        board = chess.Board(ENDINGS[0])
        while not board.is_game_over(claim_draw=True):
            result = engine.play(board, chess.engine.Limit(nodes=500))
            board.push(result.move)
        assert board.is_checkmate() and not board.turn, board.fen()
    engine.configure({"SyzygyPath": ""})


def legal_lines(engine: chess.engine.SimpleEngine) -> None:
    """Every line is legal, those of bounds included: python-chess plays them all."""
    for fen in [chess.STARTING_FEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"]:
        with engine.analysis(chess.Board(fen), chess.engine.Limit(nodes=60_000), multipv=2) as analysis:
            for info in analysis:
                board = chess.Board(fen)
                for move in info.get("pv", []):
                    board.push(board.parse_uci(move.uci()))


def chess960(engine: chess.engine.SimpleEngine) -> None:
    """A short game of Chess960, castling included, with chances shown."""
    for number in (0, 518, 959):
        board = chess.Board.from_chess960_pos(number)
        while not board.is_game_over() and board.ply() < 30:
            result = engine.play(board, chess.engine.Limit(nodes=500), info=chess.engine.INFO_SCORE)
            assert result.move in board.legal_moves, (board.fen(), result.move)
            board.push(result.move)
    castling = chess.Board("4k3/8/8/8/8/8/8/1R1K2R1 w GB - 0 1", chess960=True)
    castle = castling.parse_uci("d1g1")
    result = engine.play(castling, chess.engine.Limit(nodes=500), root_moves=[castle])
    assert result.move == castle, result


def levels(engine: chess.engine.SimpleEngine) -> None:
    """Strength, chances and overhead as programs set them."""
    engine.configure({"UCI_LimitStrength": True, "UCI_Elo": 2000, "Move Overhead": 50})
    board = chess.Board()
    result = engine.play(board, chess.engine.Limit(time=0.2), info=chess.engine.INFO_BASIC)
    assert result.move in board.legal_moves and result.info["nodes"] < 1_000, result
    engine.configure({"UCI_LimitStrength": False, "UCI_ShowWDL": True})
    info = engine.analyse(board, chess.engine.Limit(nodes=5_000))
    assert sum(info["wdl"].pov(chess.WHITE)) == 1000, info


def main(program: str, tablebases: str) -> None:
    with chess.engine.SimpleEngine.popen_uci([program, "uci"]) as engine:
        assert engine.id["name"].startswith("Tabiya"), engine.id
        engine.configure({"Hash": 8, "Evaluation": "tuned", "Pace": "forcing"})

        board = chess.Board()
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            result = engine.play(board, chess.engine.Limit(nodes=2_000))
            assert result.move in board.legal_moves, (board.fen(), result.move)
            board.push(result.move)

        back_rank = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
        info = engine.analyse(back_rank, chess.engine.Limit(depth=5))
        assert info["score"].white().mate() == 1, info
        assert info["pv"][0] == chess.Move.from_uci("d1d8"), info

        lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=5), multipv=3)
        assert len({line["pv"][0] for line in lines}) == 3, lines

        timed = engine.play(board=chess.Board(), limit=chess.engine.Limit(white_clock=1.0, black_clock=1.0, white_inc=0.1, black_inc=0.1))
        assert timed.move in chess.Board().legal_moves

        stopped = engine.analysis(chess.Board())
        while stopped.info.get("depth", 0) < 4:
            stopped.next()
        stopped.stop()
        assert stopped.wait().move in chess.Board().legal_moves
        engine.ping()

        legal_lines(engine)
        chess960(engine)
        levels(engine)
        endings(engine, tablebases)
    print("python-chess: ok")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
