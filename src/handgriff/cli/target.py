"""TARGET and other names of the application's objects, `module:name`, found from the working folder.

Below is the import system; above, the host a command works with. It tells an application that can't be imported from one that isn't there,
without a traceback.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from handgriff.cli.faults import WrongUse
from handgriff.errors import DefinitionError
from handgriff.host.host import Host
from handgriff.runtime.assistant import Assistant


def find_target(name: str) -> Host | Assistant:
    """The host or assistant *name* stands for.

    Raises:
        WrongUse: there is none.
        DefinitionError: it is defined wrongly.
    """
    found = find_object(name, what="TARGET")
    if isinstance(found, (Host, Assistant)):
        return found
    raise WrongUse(f"TARGET {name!r} is of type {type(found).__name__}, and neither a Host nor an Assistant.{_candidates(name)}")


def find_object(name: str, *, what: str) -> Any:  # whatever the application keeps under that name
    """The object *name* stands for; *what* is the option or argument that named it.

    Raises:
        WrongUse: there is none.
        DefinitionError: importing it raised this.
    """
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise WrongUse(f"{what} {name!r} has not the form module:name, such as shop:assistant.")
    if not all(part.isidentifier() for part in module_name.split(".")):
        where = "Go to the folder it is in, or put that into PYTHONPATH." if "/" in module_name or ".." in module_name else ""
        raise WrongUse(f"{what} {name!r}: {module_name!r} is no module's name, such as shop or company.shop. {where}".rstrip())
    found: Any = _module(module_name, what)
    for part in path.split("."):
        if not hasattr(found, part):
            raise WrongUse(f"{what} {name!r}: {module_name!r} has no {path!r}.{_candidates(name)}")
        found = getattr(found, part)
    return found


def _module(name: str, what: str) -> ModuleType:
    folder = str(Path.cwd())
    if sys.path[:1] != [folder]:
        sys.path.insert(0, folder)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise WrongUse(f"{what}: there is no module {name!r} in {folder} or on the path.") from error
        raise WrongUse(f"{what}: {name!r} imports {error.name!r}, which is not installed.") from error
    except DefinitionError:
        raise
    except (Exception, SystemExit) as error:
        raise WrongUse(f"{what}: importing {name!r} failed: {type(error).__name__}: {error}") from error


def _candidates(name: str) -> str:
    module = sys.modules.get(name.partition(":")[0])
    names = [key for key, value in vars(module).items() if isinstance(value, (Host, Assistant))] if module else []
    return f" It has {', '.join(names)}." if names else ""
