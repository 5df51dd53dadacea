import pytest

from kafkasniff.tcp.tls.cipher_suites import suite_name, suite_of


@pytest.mark.parametrize(
    ("code", "name", "bulk", "key_length", "mac", "derivation"),
    [
        (0x1301, "TLS_AES_128_GCM_SHA256", "gcm", 16, "sha256", "sha256"),
        (0x1302, "TLS_AES_256_GCM_SHA384", "gcm", 32, "sha384", "sha384"),
        (0x1303, "TLS_CHACHA20_POLY1305_SHA256", "chacha20", 32, "sha256", "sha256"),
        (0xC02F, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "gcm", 16, "sha256", "sha256"),
        (0xCCA9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "chacha20", 32, "sha256", "sha256"),
        (0xC013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "cbc", 16, "sha1", "sha256"),
        (0xC028, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "cbc", 32, "sha384", "sha384"),
        (0x1304, "TLS_AES_128_CCM_SHA256", "ccm", 16, "sha256", "sha256"),
        (0x1305, "TLS_AES_128_CCM_8_SHA256", "ccm8", 16, "sha256", "sha256"),
        (0xC09C, "TLS_RSA_WITH_AES_128_CCM", "ccm", 16, "sha256", "sha256"),
        (0xC0A8, "TLS_PSK_WITH_AES_128_CCM_8", "ccm8", 16, "sha256", "sha256"),
        (0x002F, "TLS_RSA_WITH_AES_128_CBC_SHA", "cbc", 16, "sha1", "sha256"),
    ],
)
def test_a_name_tells_the_algorithms(
    code: int, name: str, bulk: str, key_length: int, mac: str, derivation: str
) -> None:
    suite = suite_of(code)
    assert suite is not None
    assert (suite.name, suite.bulk, suite.key_length, suite.mac, suite.hash) == (
        name,
        bulk,
        key_length,
        mac,
        derivation,
    )
    assert suite.tls_1_3 == (code >> 8 == 0x13)


@pytest.mark.parametrize("code", [0x000A, 0x0005, 0x0041, 0xC050, 0x0000, 0x00FF, 0xFEFE])
def test_others_are_not_decrypted(code: int) -> None:
    assert suite_of(code) is None


def test_a_suite_without_a_name_shows_its_number() -> None:
    assert suite_name(0xFEFE) == "0xFEFE"
