"""The file of a report: style, scripts and data in one page that may load and send nothing."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import orjson

from kafkasniff.render.json.safe import safe_line

_STYLES = ("uPlot.min.css", "report.css")
_SCRIPTS = (
    *("uPlot.iife.min.js", "basics.js", "span.js", "table.js", "plots.js", "heatmap.js", "sections.js", "matrix.js"),
    *("findings.js", "report.js"),
)
_LICENCE = "uPlot.LICENSE"
_CREDIT = "Plots by uPlot:"


def page(data: dict[str, Any]) -> bytes:
    """Give the page that shows `data` (see `data.report_data`)."""
    styles = [_asset(name) for name in _STYLES]
    # One script, so that what one part declares is there for the next, and nothing is left on `window`.
    plots, *own = (_asset(name) for name in _SCRIPTS)
    scripts = [plots, '"use strict";\n(() => {\n' + "".join(own) + "})();\n"]
    title = f"kafkasniff: {', '.join(data['files'])}"
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(styles, scripts)}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escape(title)}</title>\n",
            *(f"<style>{style}</style>\n" for style in styles),
            "</head>\n<body>\n<noscript>This report needs JavaScript; it loads nothing.</noscript>\n",
            f"<!-- {_CREDIT}\n{_asset(_LICENCE)}-->\n",
            f'<script type="application/json" id="data">{data_text(data)}</script>\n',
            *(f"<script>{script}</script>\n" for script in scripts),
            "</body>\n</html>\n",
        )
    ).encode()


def data_text(data: dict[str, Any]) -> str:
    """Give data as JSON that cannot end the script element it stands in, and shows as it is in an editor."""
    text = safe_line(orjson.dumps(data)).decode()
    # In JSON these stand in strings alone; `<!--` and `</script` would mean something to the page's parser.
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(styles: list[str], scripts: list[str]) -> str:
    """Give the policy by which a browser runs only what is written here, and asks for nothing."""
    return (
        f"default-src 'none'; style-src {_hashes(styles)}; script-src {_hashes(scripts)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hashes(texts: list[str]) -> str:
    return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)


@cache
def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")
