"""Calls and connection reports in, findings out: what clients do wrong, why, and what to change.

- `engine.Diagnosis` takes what a capture gives, in order. It settles once for each API and version which rules want
  its calls (a plan), and hands each call to these.
- `seen` is what rules see of a call, `facts` what all calls tell of clients, brokers and topics, `memory` what rules
  keep, within bounds.
- `rule.Rule` is what every rule is; `error_rule` has those that count error codes. `catalogue` lists all rules:
  `cluster`, `consumers`, `groups`, `network` and `producers` hold them by family, `unexplained` takes the errors that
  no other rule takes, but for `normal_errors`.
- `finding.Finding` is what a rule says. `joining` puts findings under those that explain them, as `causes` tells, and
  `options` puts advice in the words of the client's library.
- `timeline` and `partition_history` tell what happened to one client, group or partition, in order.

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
