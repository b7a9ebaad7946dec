"""Numbers are layers: a module imports only from lower ones, and each library is imported where it belongs."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "plugins/ledgermark"
MODULES = sorted(path.stem for path in PACKAGE.glob("*.py"))

# From the lowest to the highest; a module that is new gets a place here.
LAYERS = {
    module: number
    for number, modules in enumerate(
        [
            "tuples",
            "addresses alternation dates feed lastgood markup memory messages numerals palette processes source spelling stamp unit_syntax",
            "findings near numberwords units yamls",
            "articles blanks blocks catalogue claims clock descriptor display files quantity references sarif settings starter_door terms",
            "canonical directionlexicons",
            "badge config_file errata exempt record table tongue typeset",
            "console pages parquet watch",
            "datafacts doubt givens pagefiles parquet_check parquet_write published rounding tables verdict visible",
            "datarows ledger listings order passages unbound",
            "adopt dated directionwords evidence heads metrics parity portions relations series",
            "directions plot subjects suffixes suggest tabled verify",
            "figures",
            "__init__ coverage naming render stills",
            "labels markdown_ext",
            "pagework",
            "check",
            "asked datafiles datauses drafts fix places project",
            "mutants report",
            "datapages explain ground outputs tally",
            "blockmutants cellmutants numbermutants site wordmutants",
            "contexts rebindings",
            "rendered site_view",
            "examine stage",
            "adopt_door mkdocs_plugin mutate stage_door standalone",
            "mutate_door",
            "cli",
            "__main__",
        ]
    )
    for module in modules.split()
}
# These touch disk, clock, environment or processes; whatever else lies no higher than `check` takes values and returns values.
DOORS = {
    *("clock", "config_file", "files", "lastgood", "pagefiles", "parquet", "processes", "starter_door", "stills", "tongue", "verdict", "watch"),
}


@lru_cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Return the full name of each module a file imports, and whether only when a function runs or types are checked."""
    tree = ast.parse(path.read_text("utf-8"))
    eager = {id(node) for node in _eager(tree)}
    found: list[tuple[str, bool]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) not in eager) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            # `from ledgermark import report` names a module, `from ledgermark import Ledger` does not.
            modules = (
                [f"{name}.{alias.name}" for alias in node.names if (PACKAGE / f"{alias.name}.py").is_file()] if name == "ledgermark" else []
            )
            found += [(item, id(node) not in eager) for item in (modules or [name])]
    return found


def _eager(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes that run when a module is imported."""
    found: list[ast.AST] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        found += [node, *_eager(node)]
    return found


def own(path: Path) -> set[str]:
    """Return the modules of the package that a file imports, also late or for types."""
    return {name.partition(".")[2] or "__init__" for name, _ in imports(path) if name.partition(".")[0] == "ledgermark"}


def test_each_module_has_a_layer() -> None:
    assert sorted(LAYERS) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_lower_layers(module: str) -> None:
    layer = LAYERS.get(module, -1)
    assert [f"{other} ({LAYERS.get(other)})" for other in sorted(own(PACKAGE / f"{module}.py")) if LAYERS.get(other, 99) >= layer] == []


SIDE_EFFECTS = {
    "os",
    "pathlib",
    "subprocess",
    "shutil",
    "tempfile",
    "time",
    "logging",
    "sys",
    "socket",
    "random",
    "locale",
    "importlib.resources",
    "importlib.metadata",
    "builtins",
}


@pytest.mark.parametrize("module", [module for module in MODULES if LAYERS.get(module, 99) <= LAYERS["check"] and module not in DOORS])
def test_low_layers_are_pure(module: str) -> None:
    path = PACKAGE / f"{module}.py"
    assert SIDE_EFFECTS & {name for name, _ in imports(path)} == set()
    called = {
        node.func.id for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called & {"open", "exec", "eval", "print", "input", "__import__"} == set()


HOMES = {
    "mkdocs": {"mkdocs_plugin"},
    "click": {"cli", "console"},
    "feedgenerator": {"feed"},
    "kaleido": {"stills"},
    "cn2an": {"numerals"},
    "num2words": {"numerals"},
    "number_parser": {"numerals"},
    "pint": set(),
    "pyarrow": {"parquet", "parquet_check", "parquet_write"},
    "torch": set(),
    "triton": set(),
}


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_in_one_place(library: str) -> None:
    users = {module for module in MODULES if any(name.partition(".")[0] == library for name, _ in imports(PACKAGE / f"{module}.py"))}
    assert users <= HOMES[library]


def test_what_is_heavy_is_imported_late() -> None:
    heavy = {"pandas", "plotly", "babel", "kaleido", "feedgenerator", "cn2an", "num2words", "number_parser", "jieba", "pint", "pyarrow"}
    eager = {
        module: sorted({name.partition(".")[0] for name, late in imports(PACKAGE / f"{module}.py") if not late} & heavy) for module in MODULES
    }
    assert {module: names for module, names in eager.items() if names} == {}


def test_plugins_and_scripts_never_import_each_other() -> None:
    scripts = {path.stem for path in (ROOT / "scripts").rglob("*.py")} | {path.name for path in (ROOT / "scripts").glob("*")} | {"scripts"}
    for path in PACKAGE.rglob("*.py"):
        assert {name.partition(".")[0] for name, _ in imports(path)} & (
            scripts - {"__init__", "__main__"} - sys.stdlib_module_names
        ) == set(), path
    for path in (ROOT / "scripts").rglob("*.py"):
        assert "ledgermark" not in {name.partition(".")[0] for name, _ in imports(path)}, path


@pytest.mark.parametrize("module", MODULES)
def test_no_module_keeps_state(module: str) -> None:
    """A name bound at the top to something that can change is state: constants are marked Final, and none is declared global."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text("utf-8"))
    assert [node for node in ast.walk(tree) if isinstance(node, ast.Global)] == []
    loose = [
        node.lineno
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)
        and not any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)
    ]
    assert loose == []


@pytest.mark.parametrize("module", [module for module in MODULES if module != "__main__"])
def test_a_module_is_short(module: str) -> None:
    assert len((PACKAGE / f"{module}.py").read_text("utf-8").splitlines()) < 300


def run(code: str) -> None:
    """Run Python in a fresh process. Raises AssertionError with what it printed when it fails."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = [
        "pandas",
        "plotly",
        "mkdocs",
        "kaleido",
        "feedgenerator",
        "cn2an",
        "num2words",
        "number_parser",
        "jieba",
        "torch",
        "triton",
    ]
    run(f"import sys, ledgermark; loaded = set({heavy!r}) & set(sys.modules); assert not loaded, loaded")


def test_the_check_runs_without_what_only_a_build_or_a_gpu_needs() -> None:
    blocked = ["torch", "triton", "mkdocs", "properdocs", "material", "kaleido", "feedgenerator", "jieba"]
    config = ROOT / "tests/sites/base/mkdocs.yml"
    run(
        f"import os, sys\nos.environ['SOURCE_DATE_EPOCH'] = '1796083200'\nfor name in {blocked!r}: sys.modules[name] = None\n"
        f"from ledgermark.cli import cli\ncli(['check', '--config', {str(config)!r}])"
    )
