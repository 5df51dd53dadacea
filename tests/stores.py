"""A store that speaks S3 (moto's), on a port of this machine, which may also fail as real ones do."""

import itertools
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from kafkasniff.capture.files import object_store

BUCKET = "captures"
LATE_S = 0.5
"""How long an answer takes that comes late."""
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def failing(application: Application, every: int) -> Application:
    """Let every n-th request be answered with 503 Slow Down, the next answer be cut, and the one after come late."""
    numbers = itertools.count(1)

    def answer(environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        number = next(numbers)
        if number % every == 0:
            start("503 Slow Down", [("Content-Length", "0")])
            return [b""]
        body = b"".join(application(environment, start))
        if number % every == 2 and number > every:
            time.sleep(LATE_S)
        return [body[: len(body) // 2]] if number % every == 1 and number > 1 else [body]

    return answer


def client_of(environment: dict[str, str]) -> Any:
    """Give a client of the store that programs find by this environment."""
    return boto3.client(
        "s3",
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        endpoint_url=environment["AWS_ENDPOINT_URL"],
        region_name="us-east-1",
    )


def fetch(environment: dict[str, str], folder: Path) -> None:
    """Copy all that is in `BUCKET` into a folder."""
    client = client_of(environment)
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        for each in page.get("Contents", ()):
            if not each["Key"].endswith("/"):
                path = folder / each["Key"]
                path.parent.mkdir(parents=True, exist_ok=True)
                client.download_file(BUCKET, each["Key"], str(path))


@contextmanager
def store(files: dict[str, Path], fails_every: int = 0) -> Iterator[dict[str, str]]:
    """Serve files by their keys in `BUCKET`; give the environment in which programs find the store."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application: Application = DomainDispatcherApplication(create_backend_app)
    server = make_server("127.0.0.1", 0, failing(application, fails_every) if fails_every else application, True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    environment = {
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": "something",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}",
    }
    # All stores of a process hold the same objects.
    urlopen(Request(f"{environment['AWS_ENDPOINT_URL']}/moto-api/reset", method="POST"))
    try:
        client = client_of(environment)
        client.create_bucket(Bucket=BUCKET)
        for key, path in files.items():
            client.upload_file(str(path), BUCKET, key)
        yield environment
    finally:
        # What was opened of a store serves as long as the process lives, and this one ends.
        object_store._file_system.cache_clear()
        server.shutdown()
        thread.join()
