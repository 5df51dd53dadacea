"""Calls and connection reports in, findings out: what clients do wrong, why, and what to change.

The package can be called: `kafkasniff.diagnose(...)` is `kafkasniff.api.diagnose`, as importing any module of it binds
its name in `kafkasniff`.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return import_module("kafkasniff.api").diagnose(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
