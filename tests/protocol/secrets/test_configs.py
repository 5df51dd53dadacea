import pytest

from kafkasniff.calls.call import Call
from kafkasniff.protocol.secrets.configs import is_secret_config, mask_secrets
from kafkasniff.reading import read
from tests.conftest import SHARED, needs_shared

SECRET = [
    "ssl.keystore.password", "ssl.key.password", "ssl.truststore.password", "ssl.keystore.key",
    "ssl.keystore.certificate.chain", "ssl.truststore.certificates", "sasl.jaas.config",
    "listener.name.x.plain.sasl.jaas.config", "delegation.token.secret.key", "delegation.token.master.key",
    "password.encoder.secret", "password.encoder.old.secret", "sasl.oauthbearer.client.credentials.client.secret",
    "sasl.oauthbearer.assertion.private.key.passphrase", "confluent.basic.auth.user.info", "bearer.auth.token",
    "confluent.license", "sasl.password", "ssl.key.pem", "database.pwd", "mongo.pass", "apikey", "api-key",
    "API_KEY", "X-Api-Key", "apiKeyValue", "secretAccessKey", "aws.secret.access.key", "accesskey", "access.key.id",
    "client.secret.value", "clientSecret", "private.key.pem", "privateKey", "snowflake.private.key",
    "encryption.key", "encryptionKey", "azblob.account.key", "azure.sas.token", "authToken", "sessionToken",
    "oauth2token", "splunk.hec.token", "gcs.credentials.json", "vault.secret.id", "connection.string", "PASSWORD",
    "Password1", "password.0", "userPassword", "keystorePassword", "hmacKey", "http.authorization",
    "producer.override.sasl.jaas.config",
]  # fmt: skip

NOT_SECRET = [
    "key.converter", "key.serializer", "value.converter", "cleanup.policy", "group.id", "client.id", "retention.ms",
    "compression.type", "delegation.token.max.lifetime.ms", "delegation.token.expiry.time.ms",
    "delegation.token.expiry.check.interval.ms", "password.encoder.iterations", "password.encoder.key.length",
    "password.encoder.cipher.algorithm", "password.encoder.keyfactory.algorithm",
    "sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.jwt.retriever.class",
    "sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.assertion.private.key.file",
    "sasl.mechanism.inter.broker.protocol", "ssl.keystore.type", "ssl.keystore.location",
    "ssl.keymanager.algorithm", "ssl.truststore.location", "security.providers", "authorizer.class.name",
    "super.users", "message.key.columns", "partition.key", "kms.key.id", "tokenizer", "bypass.proxy", "compass",
    "basic.auth.credentials.source", "confluent.license.topic", "sasl.kerberos.keytab",
    "log.cleaner.dedupe.buffer.size",
]  # fmt: skip


@pytest.mark.parametrize("name", [*SECRET, "ssl.keystore.password ", "\tapi key\n", "x" * 300 + ".password"])
def test_names_of_secrets(name: str) -> None:
    assert is_secret_config(name)


@pytest.mark.parametrize("name", [*NOT_SECRET, "", "...", "ключ"])
def test_names_of_what_is_no_secret(name: str) -> None:
    assert not is_secret_config(name)


@needs_shared
def test_brokers_agree() -> None:
    """DescribeConfigs tells the type of each config from version 3 on; 9 is PASSWORD (ConfigResponse)."""
    types: dict[str, int] = {}
    for name in ("admin-all.pcap", "admin-all-sasl.pcap"):
        for call in read(str(SHARED / "captures" / "healthy" / name)):
            if isinstance(call, Call) and call.api_key == 32 and call.response_body and call.response_body.value:
                for result in call.response_body.value["results"]:
                    types |= {each["name"]: each["configType"] for each in result["configs"] if "configType" in each}
    assert len(types) > 300
    assert {name for name in types if is_secret_config(name)} == {name for name, of in types.items() if of == 9}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("jdbc:mysql://root:p#s/s@s@db:3306/x?ssl=true", "jdbc:mysql://root:***@db:3306/x?ssl=true"),
        ("redis://:hunter2@cache", "redis://:***@cache"),
        ("a://u:pw1@h1,b://u:pw2@h2", "a://u:***@h2"),
        ("jdbc:oracle:thin:scott/tiger@//db:1521/x", "jdbc:oracle:thin:scott/***@//db:1521/x"),
        ("jdbc:x://db?user=me&password=hunter2&ssl=true", "jdbc:x://db?user=me&password=***&ssl=true"),
        ("jdbc:sqlserver://db;user=sa;password=hun ter,2;ssl=true", "jdbc:sqlserver://db;user=sa;password=***;ssl=true"),
        ('PlainLoginModule required username="me" password="a\\"; b" x="y";',
         'PlainLoginModule required username="me" password=*** x="y";'),
        ("PlainLoginModule required user_me='hunter2' ;", "PlainLoginModule required user_me=*** ;"),
        ('Module required clientSecret="x" scope="y";', 'Module required clientSecret=*** scope="y";'),
        ('Module required password="never closed \\', "Module required password=***"),
        ('{"user": "me", "password" : "a b", "n": 1}', '{"user": "me", "password" : ***, "n": 1}'),
        ('{\\"password\\":\\"hunter2\\"}', '{\\"password\\":***'),
        ("AccountName=me;AccountKey=aGk=;Suffix=x", "AccountName=me;AccountKey=***;Suffix=x"),
        ("Accept: x\nX-Api-Key: hunter2\nA: b", "Accept: x\nX-Api-Key: ***\nA: b"),
        ("x:Basic bWU6aHVudGVyMg==", "x:Basic ***"),
        ("my bearer abcdefgh.ijk=", "my bearer ***"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
         "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----***"),
    ],
)  # fmt: skip
def test_secrets_inside_values(text: str, shown: str) -> None:
    assert mask_secrets(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "", "604800000", "compact,delete", "PLAINTEXT://:9092,SSL://h:9093", "1@controller:9093,2@other:9093",
        "User:CN=kafka;User:admin", "RULE:[1:$1@$0](.*@EXAMPLE.COM)s/@.*//,DEFAULT", "INTERNAL:SASL_SSL,CLIENT:SSL",
        "0:1,1:2", "https://idp.example/oauth2/v1/keys", "user_defined", "org.apache.kafka.common.security.Module",
    ],
)  # fmt: skip
def test_ordinary_values_stay(text: str) -> None:
    assert mask_secrets(text) == text
