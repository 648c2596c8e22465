"""The exception tree of the whole product.

::

    TresenError
    ├── UsageError            the command line or a call was used wrongly        exit code 2
    ├── SetupError            something that must be installed is missing        exit code 3
    │   ├── ModelMissing      a model's files are not in the store
    │   └── ModelCorrupt      a model's file has the wrong hash
    ├── ConfigError           a setting or a settings file is wrong
    ├── KnowledgeError        a tenant's knowledge file is wrong (file and line known)
    ├── AudioError            a WAV can't be used (empty, corrupt, …)
    ├── EngineError           a speech or language engine did not do its work
    │   ├── EngineDown        no answer on its socket (retryable)
    │   ├── EngineTimeout     no answer in time (retryable)
    │   └── ConstraintError   a grammar did not parse or an output did not satisfy it
    ├── StorageError          the database could not read or write
    └── WriteRefused          a write without a valid pending action

Every error has a stable ``code`` for programs, a ``message`` that names the cause and the way out
for people, and ``retryable``, decided here once.
"""

from __future__ import annotations

from typing import ClassVar


class TresenError(Exception):
    """Base of every error that this product raises on purpose."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UsageError(TresenError):
    """A command or function was used wrongly; the message says how to use it."""

    code = "usage"
    exit_code = 2


class SetupError(TresenError):
    """Something that set-up installs is missing; the message holds the command that mends it."""

    code = "setup"
    exit_code = 3


class ModelMissing(SetupError):
    """A model's files are not in the store."""

    code = "model_missing"


class ModelCorrupt(SetupError):
    """A model's file does not have the hash that the manifest pins."""

    code = "model_corrupt"


class ConfigError(TresenError):
    """A setting or a settings file is wrong."""

    code = "config"
    exit_code = 2


class KnowledgeError(TresenError):
    """A tenant's knowledge file is wrong; the message names file and line."""

    code = "knowledge"
    exit_code = 2


class AudioError(TresenError):
    """A recording can't be used."""

    code = "audio"
    exit_code = 2


class EngineError(TresenError):
    """A speech or language engine did not do its work."""

    code = "engine"


class EngineDown(EngineError):
    """An engine does not answer on its socket."""

    code = "engine_down"
    retryable = True


class EngineTimeout(EngineError):
    """An engine did not answer in time."""

    code = "engine_timeout"
    retryable = True


class ConstraintError(EngineError):
    """A grammar does not parse, or an output does not satisfy it. Never answered with free text."""

    code = "constraint"


class StorageError(TresenError):
    """The database could not be read or written."""

    code = "storage"


class WriteRefused(TresenError):
    """A write was asked for without a pending action that is valid for exactly these values."""

    code = "write_refused"
