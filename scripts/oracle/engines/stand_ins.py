"""Stand-ins for the packages and modules that an engine needs to run a model, but not to read a request and make its prompt.

`install` makes imports below the given names give modules whose every attribute is there: it can be called, used as a base class, as a
decorator and as a type of a pydantic model, and nothing is an instance of it.
"""

import importlib.abc
import importlib.machinery
import os
import sys
import types
import typing


class Anything:
    """An attribute of a module that is not there."""

    def __init__(self, name):
        object.__setattr__(self, "_name", name)

    def __mro_entries__(self, bases):
        return ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = Anything(f"{self._name}.{name}")
        object.__setattr__(self, name, value)
        return value

    def __call__(self, *arguments, **named):
        """As a decorator it changes nothing."""
        if len(arguments) == 1 and not named and isinstance(arguments[0], (types.FunctionType, type)):
            return arguments[0]
        return Anything(f"{self._name}()")

    def __get_pydantic_core_schema__(self, source, handler):
        from pydantic_core import core_schema

        return core_schema.any_schema()

    def __or__(self, other):
        return typing.Union[self, other]

    def __ror__(self, other):
        return typing.Union[other, self]

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return hash(self._name)

    def __bool__(self):
        return False

    def __len__(self):
        return 0

    def __iter__(self):
        return iter(())

    def __contains__(self, item):
        return False

    def __getitem__(self, key):
        return Anything(f"{self._name}[]")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __int__(self):
        return 0

    __index__ = __int__

    def __float__(self):
        return 0.0

    def __instancecheck__(self, instance):
        return False

    def __subclasscheck__(self, subclass):
        return False

    def __repr__(self):
        return f"<stand-in {self._name}>"


def _number(self, *operands):
    return Anything(f"{self._name}#")


for _name in "add radd sub rsub mul rmul truediv rtruediv floordiv mod pow neg invert and rand lshift rshift".split():
    setattr(Anything, f"__{_name}__", _number)
for _name in "lt le gt ge".split():
    setattr(Anything, f"__{_name}__", lambda self, other: False)


class StandInModule(types.ModuleType):
    __version__ = "2.11.0"

    def __getattr__(self, name):
        # Engines ask torch for these by hasattr.
        if name.startswith("__") or name in ("npu", "xpu", "hpu", "musa"):
            raise AttributeError(name)
        value = Anything(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names, real):
        self._names, self._real = names, real

    def find_spec(self, name, path=None, target=None):
        if _is_below(name, self._real) or not _is_below(name, self._names):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandInModule(spec.name)

    def exec_module(self, module):
        """Real modules below a stand-in are found where they are."""
        folders = (os.path.join(path, *module.__name__.split(".")) for path in sys.path)
        module.__path__ = [folder for folder in folders if os.path.isdir(folder)]


def _is_below(name, names):
    return any(name == top or name.startswith(f"{top}.") for top in names)


def install(source, names, real=()):
    """Makes the modules of an engine's source importable, with stand-ins below `names`, except below `real`."""
    sys.path.insert(0, source)
    sys.meta_path.insert(0, _Finder(names, real))
