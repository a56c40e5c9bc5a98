# SPDX-License-Identifier: BSD-3-Clause
"""What type checkers and help() read: the extension's stub, annotations and docstrings."""

import ast
import inspect
import pathlib
import re
import sys
import typing

import pytest
import tessera_fem as tf
from tessera_fem import _tessera

PACKAGE = pathlib.Path(tf.__file__).parent


def without_values(stub):
    """Its classes and functions; values of attributes are those of one build."""
    tree = ast.parse(stub)
    for node in tree.body:
        if isinstance(node, ast.AnnAssign):
            node.value = None
    return ast.unparse(tree)


def test_the_stub_is_the_extensions():
    """`python python/tests/test_stubs.py > python/tessera_fem/_tessera.pyi` writes it."""
    pytest.importorskip("nanobind.stubgen")
    if not _tessera.have_pictures or not _tessera.on_host:
        pytest.skip("the stub is that of a build for the host with VTK")
    assert without_values((PACKAGE / "_tessera.pyi").read_text()) == without_values(generated())


def generated():
    from nanobind.stubgen import StubGen

    generator = StubGen(_tessera)
    generator.put(_tessera)
    return generator.get()


def test_type_checkers_are_told():
    assert (PACKAGE / "py.typed").exists()


def public():
    """Name and object of all that is public, of classes their public members and __init__, too."""
    for name in tf.__all__:
        thing = getattr(tf, name)
        yield name, thing
        if inspect.isclass(thing) and thing.__module__.startswith("tessera_fem.") and "_tessera" not in thing.__module__:
            for member, value in vars(thing).items():
                if not member.startswith("_") or member == "__init__":
                    yield f"{name}.{member}", value


def test_all_is_documented():
    for name, thing in public():
        if callable(thing) or isinstance(thing, (property, classmethod)):
            assert name.endswith("__init__") or (inspect.getdoc(thing) or "").strip(), f"{name} has no docstring"


@pytest.mark.skipif(sys.version_info < (3, 10), reason="annotations are in the syntax of Python 3.10")
def test_all_is_annotated():
    checked = 0
    for name, thing in public():
        function = thing.fget if isinstance(thing, property) else thing
        if not inspect.isfunction(function):
            continue
        for parameter in list(inspect.signature(function).parameters.values()):
            assert parameter.name == "self" or parameter.annotation is not parameter.empty, f"{name}: {parameter}"
        assert "return" in function.__annotations__, name
        names = vars(inspect.getmodule(function)) | vars(tf)
        if "pandas" not in str(function.__annotations__["return"]):
            typing.get_type_hints(function, names)  # which resolves
        checked += 1
    assert checked > 40


if __name__ == "__main__":
    print("# SPDX-License-Identifier: BSD-3-Clause\n" + re.sub(r"(?m)^(\w+: \w+) = .*", r"\1", generated()), end="")
