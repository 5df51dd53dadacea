"""Which configs are secret by their names, and where secrets stand inside the values of others."""

import re
from functools import lru_cache
from typing import Final

REDACTED: Final = "***"

# Patterns are compiled when they are first used, which `re` remembers: few runs need them.
_WORD: Final = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"

_SECRET_PARTS: Final = (
    "password", "passwd", "passphrase", "passcode", "passwort", "pwd", "pswd", "secret", "credential", "jaas",
    "userinfo", "connectionstring",
)  # fmt: skip
"""What makes a name secret anywhere in it, without its separators."""

_SECRET_WORDS: Final = frozenset({"pass", "userpass", "dbpass", "pw", "cred", "creds", "psk", "salt", "cookie"})

_SECRET_LAST_WORDS: Final = frozenset({"authorization", "license", "pin"})

_SECRET_KEYS: Final = frozenset({
    "access", "account", "admin", "aes", "api", "auth", "authentication", "cipher", "client", "crypto", "decryption",
    "encryption", "function", "hmac", "keystore", "license", "master", "pgp", "private", "rsa", "sas", "secret",
    "server", "service", "session", "shared", "sign", "signature", "signing", "ssh", "ssl", "storage", "subscription",
    "symmetric", "tls", "wrapping",
})  # fmt: skip
"""What stands before `key` where it is a secret one."""

# Of type PASSWORD in Kafka (SslConfigs), as they may hold private keys.
_CERTIFICATES: Final = ("keystore certificate chain", "truststore certificates")

_HARMLESS_LAST_WORDS: Final = frozenset({
    "algorithm", "alias", "bytes", "class", "count", "deserializer", "days", "enable", "enabled", "endpoint", "factor",
    "file", "filename", "format", "interval", "iterations", "length", "location", "max", "min", "minutes", "mode", "ms",
    "path", "policy", "provider", "providers", "required", "retries", "seconds", "serializer", "size", "source",
    "timeout", "topic", "type", "uri", "url", "version",
})  # fmt: skip
"""What tells that a config is about a secret, and holds none: `delegation.token.max.lifetime.ms`."""

_HARMLESS_ENDS: Final = (" client id", " token id")

_LONGEST_KEPT: Final = 256
"""Characters of a name that may be remembered; Kafka's own are below 100."""

_PRIVATE_KEY: Final = r"(?s)(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----).*?(?=-----END|\Z)"
_URL_PASSWORD: Final = r"(://[^\s/?#:@\"']{0,256}:)[^\s\"']{1,1024}@"
_ORACLE_PASSWORD: Final = r"(:thin:[^\s/@]{0,256}/)[^\s@]{1,1024}@"
_AUTHORIZATION: Final = r"(?i)\b((?:Bearer|Basic)\s{1,8})[\w+/.~=-]{8,}"
_ASSIGNMENT: Final = r"(?<![\w.-])([\w.-]{1,256})(?:\\?[\"'])?\s{0,8}[=:]\s{0,8}"
_ASSIGNED: Final = r"(?s)\"(?:[^\"\\]|\\.?)*(?:\"|\Z)|'(?:[^'\\]|\\.?)*(?:'|\Z)|[^\r\n;&]*"

_USER_OF_PLAIN: Final = "user_"
"""What the names of options begin with whose values are passwords (PlainLoginModule)."""

_HINT: Final = r"(?i)[=:]|(?:bearer|basic)\s|-----BEGIN "
"""What stands in all values with secrets inside."""


def is_secret_config(name: str) -> bool:
    """Tell whether the value of a config is a secret, by its name: Kafka's, whatever their prefix, or a plug-in's."""
    return _is_secret(name) if len(name) <= _LONGEST_KEPT else _is_secret.__wrapped__(name)


@lru_cache(maxsize=4096)
def _is_secret(name: str) -> bool:
    words = [word.lower() for word in re.findall(_WORD, name)]
    if not words:
        return False
    spaced, joined = " ".join(["", *words]), "".join(words)
    if words[-1] in _HARMLESS_LAST_WORDS or spaced.endswith(_HARMLESS_ENDS):
        return False
    return (
        any(part in joined for part in _SECRET_PARTS)
        or any(text in spaced for text in _CERTIFICATES)
        or words[-1] in _SECRET_LAST_WORDS
        or any(word in _SECRET_WORDS or word.endswith(("token", "tokens")) for word in words)
        or any(_is_secret_key(before, word) for before, word in zip(["", *words], words, strict=False))
    )


def _is_secret_key(before: str, word: str) -> bool:
    """Tell whether a word names a secret key, alone (`apikey`) or together with the one before it (`api.key`)."""
    for key in ("key", "keys"):
        if word.endswith(key):
            return (word.removesuffix(key) or before) in _SECRET_KEYS
    return False


def mask_secrets(text: str) -> str:
    """Replace secrets inside the value of a config by `***`.

    These are passwords in URLs, what is assigned to a secret name (in JAAS, JSON, properties, queries of URLs),
    private keys in PEM and the credentials of HTTP's Authorization.
    """
    if not re.search(_HINT, text):
        return text
    text = re.sub(_PRIVATE_KEY, rf"\1{REDACTED}", text)
    text = re.sub(_URL_PASSWORD, rf"\1{REDACTED}@", text)
    text = re.sub(_ORACLE_PASSWORD, rf"\1{REDACTED}@", text)
    text = re.sub(_AUTHORIZATION, rf"\1{REDACTED}", text)
    return _mask_assigned(text)


def _mask_assigned(text: str) -> str:
    assignment, assigned = re.compile(_ASSIGNMENT), re.compile(_ASSIGNED)
    pieces, done, position = [], 0, 0
    while (match := assignment.search(text, position)) is not None:
        position = match.end()
        if not (is_secret_config(match[1]) or match[1].startswith(_USER_OF_PLAIN)):
            # A value may be a list of assignments itself: what follows is looked at too.
            continue
        value = assigned.match(text, position)
        assert value is not None  # it may be empty
        if value[0]:
            pieces += [text[done:position], REDACTED]
            done = position = value.end()
    return "".join(pieces) + text[done:] if pieces else text
