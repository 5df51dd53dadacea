"""The exception of the decompressors, which stays inside this package."""


class DecompressionError(Exception):
    """Compressed records that do not decompress whole."""

    def __init__(self, message: str, content: bytes | bytearray = b"", made: int = 0) -> None:
        """Say what was expected and found; `content` is what came out before that, `made` how much if it is let go."""
        super().__init__(message)
        self.message = message
        self.content = content
        self.made = max(made, len(content))

    @classmethod
    def too_large(cls, name: str, limit: int, made: int = 0) -> "DecompressionError":
        """Say that more than `limit` bytes would come out; so many did."""
        return cls(f"expected {name} data of at most {limit} bytes when decompressed, found more", made=made)
