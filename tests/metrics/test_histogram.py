import math

import numpy as np
import pytest

from kafkasniff.metrics.histogram import BOUNDS, BUCKETS, OCTAVES, bucket_of, native_of, percentile_ms, up_to_octaves


def counted(seconds: list[float]) -> np.ndarray:
    return np.bincount(bucket_of(np.array(seconds)), minlength=BUCKETS)


def test_bounds_are_included_and_a_native_histogram_has_the_same() -> None:
    # Prometheus: bucket i of schema 3 ends at 2^(i/8), included.
    for seconds in (0.001, 0.3, 1.0, 2.0**-10, 17.5):
        index = math.ceil(round(math.log2(seconds) * 8, 9))
        assert BOUNDS[bucket_of(np.array([seconds]))[0]] == pytest.approx(2 ** (index / 8))
    assert bucket_of(np.array([0.0, 1e9])).tolist() == [0, BUCKETS - 1]


def test_native_buckets_have_the_indexes_that_prometheus_gives_them() -> None:
    # Of schema 3, bucket 0 ends at 1 s, 8 at 2 s, -8 at 0.5 s; 65 s and more are in the one behind 64 s.
    assert native_of(counted([1e-7, 0.5, 0.5, 1.0, 1.05, 2.0, 900.0])) == (
        *(1, [(-8, 1), (7, 2), (6, 1), (40, 1)]),
        [2, -1, 0, 0, 0],
    )
    assert native_of(counted([])) == (0, [], [])


def test_octaves_hold_what_is_up_to_them() -> None:
    seconds = [1e-6, 0.0001, 0.001, 0.125, 0.1251, 3.0, 64.0, 65.0, 900.0]
    found = up_to_octaves(counted(seconds))
    assert found == [*(sum(each <= bound for each in seconds) for bound in OCTAVES), len(seconds)]
    assert OCTAVES[0] == 2.0**-13
    assert OCTAVES[-1] == 64


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_percentiles_are_right_within_a_bucket(share: float) -> None:
    latencies = np.random.default_rng(7).lognormal(-6, 2, 20_000)
    found = percentile_ms(counted(latencies.tolist()), share)
    assert found == pytest.approx(float(np.quantile(latencies, share)) * 1000, rel=0.091)


def test_percentiles_of_few() -> None:
    assert percentile_ms(np.zeros(BUCKETS, np.int64), 0.5) is None
    assert percentile_ms(counted([500.0]), 0.5) == 64_000
    assert percentile_ms(counted([3.0]), 0.99) == pytest.approx(3_000, rel=0.091)
