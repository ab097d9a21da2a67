"""Sentences in lines."""

from ldptui.text.prose import first_lines


def test_lines_that_have_no_room_end_with_an_ellipsis_after_a_word() -> None:
    words = "The population: counts → zipf."
    assert first_lines(words, 20, 2) == ["The population:", "counts → zipf."]
    assert first_lines(words, 20, 1) == ["The population: …"]
    assert first_lines(words, 15, 1) == ["The …"]
    assert first_lines(words, 15, 0) == []
