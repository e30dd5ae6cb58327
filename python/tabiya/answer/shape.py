"""Shapes: dataclasses that mirror JSON, read, written and flattened from their type hints alone."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Union, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import pandas

Json = dict[str, Any]

# Metadata of fields. The key in the JSON is the name in camelCase, as Lichess writes it.
CAMEL = {"camel": True}
# The field holds all keys that no other field names.
REST = {"rest": True}
# The key is absent, not null, where there is nothing.
ABSENT = {"absent": True}


class Shape:
    """A part of an answer. Every shape is a frozen dataclass with the field names of the JSON."""

    __slots__ = ()

    # The columns of mappings, whose keys the type does not name.
    KEYS: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    # The columns of fields whose names a row has already.
    COLUMNS: ClassVar[Mapping[str, str]] = {}

    def to_dict(self) -> Json:
        """The JSON that this was read from."""
        written: Json = write(self)
        return written

    def to_row(self) -> Json:
        """One flat row: lists of texts are joined, nested values have columns of their own."""
        return {name: cell(self) for name, cell in cells(type(self))}

    @classmethod
    def _column(cls, field: str, name: str) -> str:
        """What a column of this shape is called in the row of a shape that has it as a field."""
        return f"{field}_{name}"


def key(name: str, metadata: Mapping[str, Any]) -> str:
    """A field's name in the JSON. A word that Python reserves has an underscore behind it."""
    first, *others = name.rstrip("_").split("_")
    if metadata.get("camel"):
        return first + "".join(it.capitalize() for it in others)
    return name.rstrip("_")


def reader(kind: Any) -> Callable[[Any], Any]:
    """Reads JSON as a type. Raises `LookupError` or `TypeError` if it has another shape."""
    return _reader(kind)


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _shape_reader(kind)
    if origin in (Union, types.UnionType):
        [inner] = (reader(it) for it in arguments if it is not type(None))
        return lambda value: None if value is None else inner(value)
    if origin is tuple and arguments[-1] is Ellipsis:
        item = reader(arguments[0])
        return lambda value: tuple(map(item, _checked(value, list)))
    if origin is tuple:
        items = [reader(it) for it in arguments]
        return lambda value: tuple(read(it) for read, it in zip(items, value, strict=True))
    if origin is Mapping:
        item = reader(arguments[1])
        return lambda value: {name: item(it) for name, it in _checked(value, dict).items()}
    if kind is Any:
        return lambda value: value
    accepted = (int, float) if kind is float else kind
    return lambda value: _checked(value, accepted)


def _checked(value: Any, kind: Any) -> Any:
    # To Python a bool is an int; to JSON it is not.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{value!r} is not {kind}")
    return value


def _shape_reader(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    items = {it.name: reader(hints[it.name]) for it in fields(kind)}
    keys = {it.name: key(it.name, it.metadata) for it in fields(kind)}
    rest = {it.name for it in fields(kind) if it.metadata.get("rest")}
    absent = {it.name for it in fields(kind) if it.metadata.get("absent")}
    named = {place for name, place in keys.items() if name not in rest}

    def value_of(name: str, document: Json) -> Any:
        if name in rest:
            return {place: it for place, it in document.items() if place not in named}
        return document.get(keys[name]) if name in absent else document[keys[name]]

    def read(document: Any) -> Any:
        _checked(document, dict)
        return kind(**{name: item(value_of(name, document)) for name, item in items.items()})

    return read


def write(value: Any) -> Any:
    """A shape back as JSON."""
    if isinstance(value, Shape):
        written: Json = {}
        for field in fields(value):  # type: ignore[arg-type]
            it = getattr(value, field.name)
            if field.metadata.get("rest"):
                written |= write(it)
            elif it is not None or not field.metadata.get("absent"):
                written[key(field.name, field.metadata)] = write(it)
        return written
    if isinstance(value, tuple):
        return [write(it) for it in value]
    if isinstance(value, Mapping):
        return {name: write(it) for name, it in value.items()}
    return value


Cell = tuple[str, Callable[[Any], Any]]


def cells(kind: Any) -> list[Cell]:
    """The columns of a shape, each with what it shows. Lists of shapes have none."""
    return _cells(kind)


@cache
def _cells(kind: Any) -> list[Cell]:
    hints = get_type_hints(kind)
    return [cell for it in fields(kind) for cell in _cells_of(kind, it.name, hints[it.name])]


def _cells_of(kind: Any, name: str, hint: Any) -> list[Cell]:
    options = [it for it in get_args(hint) if it is not type(None)]
    inner = options[0] if get_origin(hint) in (Union, types.UnionType) else hint
    if is_dataclass(inner):
        column = inner._column  # type: ignore[union-attr]
        return [(column(name, it), _inner(name, cell)) for it, cell in cells(inner)]
    if get_origin(inner) is Mapping:
        return [(f"{name}_{it}", _item(name, it)) for it in kind.KEYS.get(name, ())]
    if get_origin(inner) is tuple:
        is_text = all(it is str or it is Ellipsis for it in get_args(inner))
        return [(name, lambda shape: " ".join(getattr(shape, name)))] if is_text else []
    column = kind.COLUMNS.get(name, name.rstrip("_"))
    return [(column, lambda shape: getattr(shape, name))]


def _inner(name: str, cell: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def look(shape: Any) -> Any:
        inner = getattr(shape, name)
        return None if inner is None else cell(inner)

    return look


def _item(name: str, item: str) -> Callable[[Any], Any]:
    def look(shape: Any) -> Any:
        mapping = getattr(shape, name)
        return None if mapping is None else mapping.get(item)

    return look


def table(rows: Iterable[Json], columns: Iterable[str]) -> pandas.DataFrame:
    """Rows as a table, which has its columns also without rows."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas needs pandas; install it with: pip install pandas") from error
    return pandas.DataFrame(list(rows), columns=list(columns))


def rows(kind: type[Shape], shapes: Iterable[Shape]) -> pandas.DataFrame:
    """Shapes as a table, one row each."""
    return table((it.to_row() for it in shapes), (name for name, _ in cells(kind)))
