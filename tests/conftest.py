"""Where test material lies."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VECTORS = ROOT / "tests" / "vectors"
CAPTURES = ROOT / "captures"
SHARED = Path(os.environ.get("KAFKASNIFF_SHARED", ROOT.parent / "shared"))
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared recordings and fixtures are not beside this clone")
