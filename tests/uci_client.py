"""Plays a short game with the engine through python-chess, an independent client.

Usage: python tests/uci_client.py path/to/tabiya
Needs the PyPI package `chess`.
"""

import sys

import chess
import chess.engine


def main(program: str) -> None:
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
    print("python-chess: ok")


if __name__ == "__main__":
    main(sys.argv[1])
