"""What the verbs show while they work."""

from tabiya.cluster.command import Progress


def test_progress_tells_rate_and_what_is_left():
    now = [100.0]
    progress = Progress(clock=lambda: now[0])
    assert progress.line(0, 1200) == "0 of 1,200 files"
    now[0] += 90
    assert progress.line(300, 1200) == "300 of 1,200 files, 200.0 a minute, 0:04:30 left"
