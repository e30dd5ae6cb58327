"""What can go wrong. Every exception of the package is a `TabiyaError`; those that
have a natural relative among Python's own exceptions are that as well."""


class TabiyaError(Exception):
    """Something that Tabiya could not do; says what, where, and what to do."""


class QueryError(TabiyaError, ValueError):
    """A position or a parameter makes no sense."""


class NotACollectionError(TabiyaError, FileNotFoundError):
    """The directory holds no collection."""


class MissingFileError(TabiyaError, FileNotFoundError):
    """A file is not there."""


class StorageError(TabiyaError, OSError):
    """The system, or a server of objects, refused something."""


class DamagedError(TabiyaError):
    """A file is damaged, foreign, or of another version."""


class LockedError(TabiyaError):
    """Another process is writing to the collection."""


class IncompleteError(TabiyaError):
    """Some of the files could not be read to their end; what was read is kept.

    `report` tells the whole story.
    """

    report: object = None


class InternalError(TabiyaError, RuntimeError):
    """A mistake in Tabiya itself."""
