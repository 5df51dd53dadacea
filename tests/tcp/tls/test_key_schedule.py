from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from kafkasniff.tcp.tls.cipher_suites import suite_of
from kafkasniff.tcp.tls.key_schedule import expand_label, next_traffic_secret, prf, tls12_keys, tls13_keys

AES_128_GCM = suite_of(0x1301)


def test_keys_of_tls_1_3_as_in_rfc_8448() -> None:
    # RFC 8448, 3: server handshake traffic secret, and the keys from it.
    secret = bytes.fromhex("b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38")
    assert AES_128_GCM is not None
    keys = tls13_keys(AES_128_GCM, secret)
    assert keys.key.hex() == "3fce516009c21727d0f2e4e86ee403bc"
    assert keys.iv.hex() == "5d313eb2671276ee13000b30"


def test_label_expansion_as_cryptography_does_it() -> None:
    secret = bytes(range(48))
    for name, algorithm, length in (("sha256", hashes.SHA256(), 12), ("sha384", hashes.SHA384(), 48)):
        info = length.to_bytes(2, "big") + b"\x11tls13 traffic upd\x00"
        expected = HKDFExpand(algorithm, length, info).derive(secret)
        assert expand_label(secret, b"traffic upd", length, name) == expected


def test_the_next_secret_is_as_long() -> None:
    assert AES_128_GCM is not None
    info = b"\x00\x20\x11tls13 traffic upd\x00"
    expected = HKDFExpand(hashes.SHA256(), 32, info).derive(bytes(32))
    assert next_traffic_secret(AES_128_GCM, bytes(32)) == expected


def test_pseudorandom_function_of_tls_1_2() -> None:
    # The vector for P_SHA256 from the TLS list of the IETF:
    # mailarchive.ietf.org/arch/msg/tls/fzVCzk-z3FShgGJ6DOXqM1ydxms
    secret = bytes.fromhex("9bbe436ba940f017b17652849a71db35")
    seed = bytes.fromhex("a0ba9f936cda311827a6f796ffd5198c")
    expected = (
        "e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af"
        "0fa022f7077def17abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66"
    )
    assert prf(secret, b"test label", seed, 100, "sha256").hex() == expected


def test_the_parts_of_a_key_block_stand_in_the_order_of_rfc_5246() -> None:
    suite = suite_of(0x003C)
    assert suite is not None
    master, client_random, server_random = bytes(48), b"c" * 32, b"s" * 32
    block = prf(master, b"key expansion", server_random + client_random, 96, "sha256")
    client, server = tls12_keys(suite, master, client_random, server_random)
    assert (client.mac_key, server.mac_key, client.key, server.key) == (
        block[:32],
        block[32:64],
        block[64:80],
        block[80:96],
    )
