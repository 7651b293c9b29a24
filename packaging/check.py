#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py VERSION FOLDER - check the recipes in FOLDER, as script/release writes them, and
CITATION.cff: the syntax, the version, and that CMake has the options that they name."""
import ast
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
# Options that are for developers, or follow from the layout of a package.
NOT_OF_PACKAGES = {"REDIST_WERROR", "REDIST_ABLATE", "REDIST_FUZZ", "REDIST_SUFFIX",
                   "REDIST_INSTALL_MODULEDIR"}


def cmake_options():
    """The options of CMake, by the files that declare them; but for those of tests."""
    files = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files
                     if file.name != "tests.cmake")
    declared = r"^(?:option\(|set\()(REDIST_\w+) [^\n]*(?:OFF\)|TOP_LEVEL\}\)|CACHE)"
    optional = r"^redist_optional\((REDIST_\w+)"
    return {*re.findall(declared, text, re.M), *re.findall(optional, text, re.M)}


def recipe_options(text):
    """The options of CMake that a recipe sets."""
    return set(re.findall(r"(?:-D|\")(REDIST_(?!LIBRARY)\w+)", text))


def check_conda(text, version):
    """With words for its templates the recipe is YAML, with what conda-build needs."""
    text = re.sub(r"^{%.*%}$", "", text, flags=re.M)
    data = yaml.safe_load(re.sub(r"{{.*?}}", "word", text))
    assert data["package"] == {"name": "redist", "version": version}, data["package"]
    assert set(data["requirements"]) == {"build", "host", "run"}
    assert re.fullmatch(r"[0-9a-f]{64}", data["source"]["sha256"])


def check_easybuild(path, version):
    """A recipe is Python; of its values these are needed, and its name is theirs."""
    values = {}
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), values)
    toolchain = values["toolchain"]
    assert path.name == f"redist-{version}-{toolchain['name']}-{toolchain['version']}.eb"
    assert values["version"] == version
    needed = "easyblock", "name", "homepage", "description", "sources", "moduleclass"
    assert set(needed) <= set(values), set(needed) - set(values)


def check_spack(text, version):
    """A recipe is Python; its variants are the options that a package chooses from."""
    tree = ast.parse(text)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)
             and isinstance(node.func, ast.Name)]
    versions = [call.args[0].value for call in calls if call.func.id == "version"]
    assert versions == [version], versions
    variants = {call.args[0].value for call in calls if call.func.id == "variant"}
    defined = set(re.findall(r'define_from_variant\("REDIST_\w+", "(\w+)"\)', text))
    assert defined == variants - {"python"} | {"cuda"}, (defined, variants)
    missing = cmake_options() - NOT_OF_PACKAGES - recipe_options(text)
    assert not missing, f"no variant for {missing}"


def check_citation():
    """What the Citation File Format 1.2 requires, and the shape of the references."""
    data = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert data["cff-version"] == "1.2.0"
    for name in ("message", "title", "authors"):
        assert data[name], name
    assert len(data["references"]) > 3
    for work in data["references"]:
        assert work["type"] in ("article", "conference-paper"), work
        for name in ("title", "authors"):
            assert work[name], work
        for author in work["authors"]:
            assert set(author) == {"given-names", "family-names"}, author


def main():
    version, folder = sys.argv[1], Path(sys.argv[2])
    spack = folder / "spack/packages/redist/package.py"
    easybuild = list((folder / "easybuild").glob("*.eb"))
    conda = [folder / "conda/meta.yaml", folder / "conda/build.sh"]
    options = cmake_options()
    assert len(options) > 8, options
    for path in [spack, *easybuild, *conda]:
        text = path.read_text(encoding="utf-8")
        assert not re.search("@[A-Z0-9]+@", text), f"{path} has a word to fill in"
        assert recipe_options(text) <= options, recipe_options(text) - options
    check_spack(spack.read_text(encoding="utf-8"), version)
    check_conda(conda[0].read_text(encoding="utf-8"), version)
    subprocess.run(["bash", "-n", conda[1]], check=True)
    assert len(easybuild) == 1
    check_easybuild(easybuild[0], version)
    check_citation()


main()
