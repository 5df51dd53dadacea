"""The hook of the build: compiles the engine into the wheel, or beside its sources for an editable installation.

Where that fails the wheel has the same sources, which run as plain Python, and the build says so.
`KAFKASNIFF_PURE=1` compiles nothing.
"""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
import compile_engine


class CompileEngine(BuildHookInterface):
    """Makes the libraries of the engine."""

    def dependencies(self) -> list[str]:
        """Give what a build needs here: zig has 100 MB, and is asked for only where there is no compiler."""
        if os.environ.get("KAFKASNIFF_PURE") == "1" or self.target_name != "wheel":
            return []
        return ["cython>=3.3"] if compile_engine.own_compiler() else ["cython>=3.3", "ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless told not to."""
        root = Path(self.root)
        if os.environ.get("KAFKASNIFF_PURE") == "1" or self.target_name != "wheel":
            return
        try:
            if version == "editable":
                compile_engine.compile_in_place(root)
                return
            wanted = compile_engine.modules(root)
            libraries = compile_engine.compile_all(root, root / "build" / "compiled", wanted)
        except compile_engine.CompileError as error:
            self.app.display_warning(f"The engine was not compiled: kafkasniff will work, but slowly. {error}")
            return
        for module, library in libraries.items():
            build_data["force_include"][str(library)] = str(compile_engine.library_name(module))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
