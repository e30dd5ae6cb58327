"""What the documentation shows is what happens."""

from __future__ import annotations

import doctest

import pytest

from conftest import ROOT


def test_the_examples_of_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = str(ROOT / "docs" / "python.md")
    failed, tried = doctest.testfile(text, module_relative=False)
    assert failed == 0 < tried
