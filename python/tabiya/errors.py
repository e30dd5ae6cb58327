"""What can go wrong. Every exception of the package is a `TabiyaError`; those that have a natural
relative among Python's own exceptions are that as well."""


class TabiyaError(Exception):
    """Something that Tabiya could not do. The message says what, where, and the remedy."""


class QueryError(TabiyaError, ValueError):
    """A position or a parameter is invalid. The message names the parameter."""


class MissingGameError(TabiyaError, LookupError):
    """The collection has no game with this number."""


class NotACollectionError(TabiyaError, FileNotFoundError):
    """The folder is not a collection."""


class MissingFileError(TabiyaError, FileNotFoundError):
    """A file does not exist."""


class StorageError(TabiyaError, OSError):
    """The system, or an object store, refused an operation."""


class DamagedError(TabiyaError):
    """A file is damaged, foreign, or of another version."""


class LockedError(TabiyaError):
    """Another process is writing to the collection."""


class IncompleteError(TabiyaError):
    """Some of the files could not be read to their end; what was read is kept.

    `report` is the `Report` of the import.
    """

    report: object = None


class InternalError(TabiyaError, RuntimeError):
    """A bug in Tabiya itself."""
