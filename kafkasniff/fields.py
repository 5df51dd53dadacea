"""What small classes have in common that only hold fields."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

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


if TYPE_CHECKING:
    from typing import NamedTuple
else:
    # As what reads instance attributes of tuples in C; other Pythons have none.
    try:
        from _collections import _tuplegetter as _field_reader
    except ImportError:
        from operator import itemgetter

        def _field_reader(place, doc):
            return property(itemgetter(place), doc=doc)

    class _NamedTupleType(type):
        """Gives a class what reads its fields, which are what it annotates."""

        def __new__(cls, name, bases, namespace):
            annotate = namespace.get("__annotate_func__")  # Python 3.14 (PEP 649)
            names = tuple(namespace.get("__annotations__", ()) if annotate is None else annotate(1))
            namespace["_field_defaults"] = {each: namespace[each] for each in names if each in namespace}
            namespace["_fields"] = namespace["__match_args__"] = names
            namespace["__slots__"] = ()
            namespace.update((each, _field_reader(place, None)) for place, each in enumerate(names))
            return type.__new__(cls, name, bases, namespace)

    class NamedTuple(tuple, metaclass=_NamedTupleType):
        """As `typing.NamedTuple`, which takes 0.2 ms for each class: a start would wait 8 ms for forty of them."""

        def __new__(cls, *values: Any, **named: Any) -> "NamedTuple":
            """Make one of the values of its fields."""
            if len(values) < len(cls._fields):
                values += tuple(
                    named.pop(name) if name in named else cls._default(name) for name in cls._fields[len(values) :]
                )
            if named or len(values) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._fields)}, and was given others")
            return tuple.__new__(cls, values)

        @classmethod
        def _default(cls, name: str) -> Any:
            if name not in cls._field_defaults:
                raise TypeError(f"{cls.__name__} was not given {name}")
            return cls._field_defaults[name]

        @classmethod
        def _make(cls, values: Iterable[Any]) -> "NamedTuple":
            return cls(*values)

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **named: Any) -> "NamedTuple":
            return type(self)(**{**self._asdict(), **named})

        def __getnewargs__(self) -> tuple[Any, ...]:
            """Give what a pickle keeps."""
            return tuple(self)

        def __repr__(self) -> str:
            """Show all fields."""
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"
