"""From what the user typed to the class or function that it names."""

import importlib
import importlib.util
import os
import sys

from .messages import Mistake, blaming


def find(target, default_modules):
    """What MODULE:NAME, FILE.py:NAME, or NAME in the first of the default modules that has it, stands for."""
    place, colon, name = target.rpartition(":")
    if not all(part.isidentifier() for part in name.split(".")) or (colon and not place):
        raise Mistake(f"expected MODULE:NAME, FILE.py:NAME or NAME, found {target!r}")
    if not colon and "." in name:
        example = f"{target}:NAME" if target.endswith(".py") else "{}:{}".format(*name.rsplit(".", 1))
        raise Mistake(f"expected a colon before the name, as in {example}, found {target!r}")
    places = [place] if colon else default_modules
    for place in places:
        found = load(place)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not None:
            break
    else:
        raise Mistake(f"{' and '.join(places)}: found no {name!r} there")
    if not callable(found):
        raise Mistake(f"{place}: {name!r} is a {type(found).__name__}, neither a class nor a function")
    return name.rsplit(".", 1)[-1], found


def load(place):
    """The module at a file's path or of a dotted name; what is imported may lie beside the file or where we stand."""
    if not place.endswith(".py") and not os.path.dirname(place):
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        with blaming(f"importing {place}"):
            return importlib.import_module(place)
    path = os.path.abspath(place)
    if not os.path.isfile(path):
        raise Mistake(f"{place}: no such file")
    if not path.endswith(".py"):
        raise Mistake(f"{place}: expected a file that ends with .py")
    sys.path.insert(0, os.path.dirname(path))
    # Under a name of its own, since the file may be called as a module that it imports.
    name = "exported_" + os.path.basename(path)[:-len(".py")]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with blaming(f"importing {place}"):
        spec.loader.exec_module(module)
    return module
