"""Methods, parameters and answers are those of the server's OpenAPI description."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

import tabiya
from conftest import ROOT
from tabiya import _native, answer
from tabiya.answer.shape import key

DESCRIPTION = json.loads((ROOT / "web" / "openapi.json").read_text())
SCHEMAS: dict[str, Any] = DESCRIPTION["components"]["schemas"]
QUESTIONS = _native.questions()

# `Collection.game` gives the game as python-chess reads it.
METHODS = {"game": "moves"}

# A parameter of a method that has another name than that of the question. The moves that lead to
# a position are those of its board.
NAMES = {"position": "fen", "number": "id"}

SCALARS = {int: "integer", float: "number", str: "string", bool: "boolean"}


def method(question: str) -> Callable[..., Any]:
    name = METHODS.get(question, question)
    found: Callable[..., Any] = getattr(tabiya.Collection, name, None) or getattr(tabiya, name)
    return found


def operation(question: str) -> Any:
    path = dict(_native.paths())[question]
    return DESCRIPTION["paths"][f"/api/v1/{path}"]["get"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_its_method(question: str) -> None:
    kind = get_type_hints(method(question))["return"]
    assert issubclass(kind, tabiya.Answer) and kind.QUESTION == question
    assert kind.__name__ == f"{question.capitalize()}Answer"
    assert kind.__name__ in tabiya.__all__
    is_about_games = hasattr(tabiya.Collection, METHODS.get(question, question))
    assert is_about_games == hasattr(tabiya.ShardGroup, METHODS.get(question, question))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_parameter_can_be_given(question: str) -> None:
    names: set[str] = set()
    for name, it in inspect.signature(method(question)).parameters.items():
        if it.kind is inspect.Parameter.VAR_KEYWORD:
            [typed] = get_args(get_type_hints(method(question))[name])
            names |= set(get_type_hints(typed))
        elif name != "self":
            names.add(NAMES.get(name, name))
    expected = {it["name"] for it in operation(question).get("parameters", [])}
    assert names == expected - {"moves"}


@pytest.mark.parametrize("question", QUESTIONS)
def test_defaults_are_those_of_the_question(question: str) -> None:
    parameters = operation(question).get("parameters", [])
    described = {it["name"]: it["schema"].get("default") for it in parameters}
    for name, it in inspect.signature(method(question)).parameters.items():
        if it.default not in (inspect.Parameter.empty, None):
            assert it.default == described[NAMES.get(name, name)], name


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_answer_has_the_described_shape(question: str) -> None:
    [document, own] = operation(question)["responses"]["200"]["content"]["application/json"]["schema"][
        "allOf"
    ]
    kind = get_type_hints(method(question))["return"]
    check_fields(kind, [resolve(document), resolve(own)])
    assert own["$ref"].endswith(f"/{kind.__name__}")


def resolve(schema: Any) -> Any:
    return SCHEMAS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def parts(schema: Any) -> list[Any]:
    """The schemas that a schema consists of."""
    schema = resolve(schema)
    return [part for it in schema["allOf"] for part in parts(it)] if "allOf" in schema else [schema]


def check_fields(kind: Any, schemas: list[Any]) -> None:
    """The fields of a shape and the properties of its schemas are the same."""
    hints = get_type_hints(kind)
    flat = [part for it in schemas for part in parts(it)]
    properties = {name: it for part in flat for name, it in part["properties"].items()}
    required = {name for part in flat for name in part.get("required", [])}
    open_ended = [it for it in fields(kind) if it.metadata.get("rest")]
    if open_ended:
        # Its names are free.
        assert any(part.get("additionalProperties") for part in flat)
        return
    # A single machine does not report shards.
    found = {key(it.name, it.metadata): hints[it.name] for it in fields(kind) if it.name != "shards"}
    assert found.keys() == properties.keys(), kind
    for name, hint in found.items():
        check_value(hint, properties[name], f"{kind.__name__}.{name}")
        assert is_optional(hint) or name in required, f"{kind.__name__}.{name}"


def is_optional(hint: Any) -> bool:
    return get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint)


def check_value(hint: Any, schema: Any, place: str) -> None:
    """A value and its schema are of the same type."""
    if is_optional(hint):
        [inner] = [it for it in get_args(hint) if it is not type(None)]
        check_value(inner, without_null(schema, place), place)
    elif is_dataclass(hint):
        name = schema["$ref"].rpartition("/")[2]
        assert getattr(answer, name) is hint, place
        check_fields(hint, [schema])
    elif get_origin(hint) is tuple:
        assert schema["type"] == "array", place
        check_value(get_args(hint)[0], schema["items"], place)
    elif get_origin(hint) is Mapping:
        assert resolve(schema)["type"] == "object", place
        values = resolve(schema)["additionalProperties"]
        assert values is True or values["type"] == SCALARS[get_args(hint)[1]], place
    else:
        assert schema["type"] == SCALARS[hint], place


def without_null(schema: Any, place: str) -> Any:
    if "oneOf" in schema:
        [null, inner] = schema["oneOf"]
        assert null == {"type": "null"}, place
        return inner
    kinds = schema["type"]
    assert len(kinds) == 2 and "null" in kinds, place
    return {**schema, "type": next(it for it in kinds if it != "null")}
