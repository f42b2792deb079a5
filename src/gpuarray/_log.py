"""Messages for the standard library's ``logging``, under the name ``gpuarray``.

The package neither configures logging nor imports it: to do so takes longer than to load a kernel,
and where the program has not imported it, nobody can have asked for messages.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["DEBUG", "INFO", "log"]

#: The levels, by the numbers that ``logging`` has for them.
DEBUG, INFO = 10, 20


def log(level: int, topic: str, message: str, *arguments: Any) -> None:
    """Give a message to the logger of a topic, ``gpuarray.TOPIC``, if the program uses logging.

    Parameters
    ----------
    level : int
        `DEBUG` or `INFO`.
    topic : str
        'compiler', 'memory' or 'libraries'.
    message : str
        With places for the arguments as ``%`` has them.
    *arguments : object
        What is formatted if somebody wants the message.
    """
    logging: Any = sys.modules.get("logging")
    if not hasattr(logging, "NullHandler"):  # another thread may be importing it right now
        return
    package = logging.getLogger("gpuarray")
    if not package.handlers:
        package.addHandler(logging.NullHandler())
    logger = logging.getLogger(f"gpuarray.{topic}")
    if logger.isEnabledFor(level):
        logger.log(level, message, *arguments, stacklevel=2)
