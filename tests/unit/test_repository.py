"""What the repository says of itself holds: documented commands exist, files are small, and nothing ties it to one registry."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LARGEST_BYTES = 1_000_000
# In two parts, so that this file does not hold what it looks for.
REGISTRY_HOSTS = [
    f"{name}.{top}" for name, top in [("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"), ("yarnpkg", "com")]
]
COMMAND_FILES = ["README.md", "README.zh.md", "CONTRIBUTING.md", ".ci/run", ".github/workflows/ci.yml", ".pre-commit-config.yaml"]


def tracked_files() -> list[Path]:
    """Return what is, or would be, in the repository; skips the test where there is no repository."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("name", COMMAND_FILES)
def test_every_make_target_that_is_named_exists(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    # As code: at the start of a line, after a backtick, a key of YAML or an assignment, or as the words of a step.
    calls = re.findall(r"(?:^ *|`|run: |entry: |' |=\S+ )make((?: (?:[A-Z_]+='[^']*'|[A-Z_]+=[^\s`]*|[a-z-]+))+)", text, re.MULTILINE)
    named = {target for call in calls for target in re.findall(r" ([a-z-]+)(?= |$)", re.sub(r"=(?:'[^']*'|\S*)", "=", call))}
    assert named
    assert named <= make_targets()


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_readmes_lead_with_the_two_commands(name: str) -> None:
    block = (ROOT / name).read_text("utf-8").split("```")[1]
    assert re.findall(r"^make \S+", block, re.MULTILINE) == ["make site", "make test"]


@pytest.mark.parametrize("name", ["README.md", "README.zh.md", "CONTRIBUTING.md", "NOTICE.md"])
def test_files_that_are_linked_exist(name: str) -> None:
    links = re.findall(r"\]\((?!https?:|claim:|given:)([^)#]+)\)", (ROOT / name).read_text("utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_commands_that_are_named_exist(name: str) -> None:
    commands = set(re.findall(r"`ledgermark ([a-z]+)", (ROOT / name).read_text("utf-8")))
    shown = subprocess.run([sys.executable, "-m", "ledgermark", "--help"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert commands
    assert commands <= set(re.findall(r"^ +([a-z]+)", shown, re.MULTILINE))


def test_no_file_names_a_package_registry() -> None:
    named = [f"{path.relative_to(ROOT)}: {host}" for path in tracked_files() for host in REGISTRY_HOSTS if host.encode() in path.read_bytes()]
    assert named == []


def test_no_file_is_large() -> None:
    assert [str(path.relative_to(ROOT)) for path in tracked_files() if path.stat().st_size > LARGEST_BYTES] == []


def requirements(*extras: str) -> dict[str, str]:
    """Return what pyproject.toml asks for, as written, by package name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [*project["dependencies"], *(item for extra in extras for item in project["optional-dependencies"][extra])]
    return {re.split("[<>=]", item)[0]: item for item in needed}


def pins(name: str) -> dict[str, str]:
    """Return the versions that a constraints file names, by package name."""
    lines = (ROOT / "requirements" / name).read_text("utf-8").splitlines()
    pairs = [line.partition(";")[0].strip().split("==") for line in lines if "==" in line]
    return {package.lower().replace("_", "-"): version for package, version in pairs}


def test_each_dependency_says_what_it_is_for() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    needed = requirements("site", "stills", "watch", "parquet", "measure", "dev").values()
    assert [item for item in needed if not re.search(rf'^  "{re.escape(item)}", +# \S', text, re.MULTILINE)] == []


def test_lowest_versions_are_the_lower_bounds() -> None:
    bounds = {name: re.sub(r".*>=([0-9.]+).*", r"\1", item) for name, item in requirements("site", "stills").items()}
    lowest = pins("lowest.txt")
    assert {name: _numbers(version) for name, version in lowest.items()} == {name: _numbers(bound) for name, bound in bounds.items()}


def test_every_dependency_is_pinned() -> None:
    assert requirements("site", "stills", "measure", "dev").keys() - pins("constraints.txt").keys() == set()


# Packages whose import name is not their own.
IMPORTED_AS = {"yaml": "pyyaml", "pymdownx": "pymdown-extensions", "number_parser": "number-parser"}


def test_every_import_of_the_library_is_declared() -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "plugins").rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    packages = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names - {"ledgermark"}
    assert {IMPORTED_AS.get(name, name) for name in packages} - requirements("site", "stills", "watch", "parquet").keys() == set()


def test_the_command_line_needs_nothing_of_the_site() -> None:
    code = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(name)
BLOCKED = {"feedgenerator", "jieba", "kaleido", "material", "mkdocs", "plotly", "properdocs", "torch", "triton"}
sys.meta_path.insert(0, Block())
import ledgermark.cli
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def _numbers(version: str) -> list[int]:
    """Return a version's numbers without zeros at the end, so that 3 equals 3.0.0."""
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers
