import pytest

from botorch_popbo.rank_counts.chunks import row_chunks


@pytest.mark.parametrize("num_points", [0, 1, 2, 1023, 1024, 5000, 3_000_000])
def test_chunks_cover_all_rows_in_linear_memory(num_points: int) -> None:
    stop = 0
    for i, rows in enumerate(row_chunks(num_points)):
        assert rows.start == stop
        stop = rows.stop
        assert (rows.stop - rows.start) * num_points <= max(2**20, num_points)
        if i == 2000:  # the rest is like the start
            return
    assert stop == num_points
