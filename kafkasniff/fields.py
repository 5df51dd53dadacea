"""What small classes have in common that only hold fields."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple

__all__ = ["Fields", "NamedTuple"]


class Fields:
    """Compares and shows its fields, those in `__slots__`, as a dataclass does; to make one of those takes 0.5 ms."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Tell whether it is of the same class and all fields are equal."""
        return type(other) is type(self) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show all fields."""
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"


if not TYPE_CHECKING:
    import sys
    from types import MappingProxyType

    if sys.version_info >= (3, 14):
        # There a class body does not evaluate its annotations, and `typing` knows how to ask for their names.
        from typing import NamedTuple
    else:
        from _collections import _tuplegetter

        _new = tuple.__new__
        _MISSING = object()

        def _is_missing(values):
            return bool(values) and any(value is _MISSING for value in values)

        class _Row(tuple):
            """Is what named tuples have in common."""

            __slots__ = ()
            _fields = ()
            _field_defaults = MappingProxyType({})

            def __new__(cls, *values, **named):
                given = len(values)
                if named or given != len(cls._fields):
                    rest = cls._otherwise[given:]
                    values += tuple(map(named.pop, cls._fields[given:], rest)) if named else rest
                    if named or given > len(cls._fields) or _is_missing(values[given : cls._required]):
                        raise TypeError(f"{cls.__name__} has {cls._fields}, not {values[:given]} and {[*named]}")
                return _new(cls, values)

            @classmethod
            def _make(cls, values):
                return cls(*values)

            def _replace(self, **named):
                values = [*map(named.pop, self._fields, self)]
                return type(self)(*values, **named)  # complains of what is left

            def _asdict(self):
                return dict(zip(self._fields, self, strict=True))

            def __getnewargs__(self):
                return tuple(self)

            def __repr__(self):
                shown = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
                return f"{type(self).__name__}({', '.join(shown)})"

        class _MakesRow(type):
            """Makes a class of named tuples from the body of one."""

            def __new__(cls, name, bases, body):
                if not bases:
                    return super().__new__(cls, name, bases, body)
                fields = (*body.get("__annotations__", ()),)
                body["_field_defaults"] = {field: body[field] for field in fields if field in body}
                body.update({field: _tuplegetter(index, None) for index, field in enumerate(fields)})
                body.update(__slots__=(), _fields=fields, __match_args__=fields)
                body["_required"] = len(fields) - len(body["_field_defaults"])
                body["_otherwise"] = tuple(body["_field_defaults"].get(field, _MISSING) for field in fields)
                return type(name, (_Row,), body)

        class NamedTuple(metaclass=_MakesRow):
            """Is as `typing.NamedTuple`, of which each takes 0.2 ms to make: it compiles annotations and a function."""
