"""A picture of words and frames: who matched whom, how dark, and what is told in a sentence."""

from __future__ import annotations

from analysis.presenting.explanation_page import explanation_picture

FOUND = {
    "tokens": [
        {"name": "[start]", "weight": 0.0, "best": 0, "similarity": 0.9},
        {"name": "red", "weight": 1.0, "best": 1, "similarity": 0.3},
        {"name": "dog", "weight": 2.0, "best": 0, "similarity": 0.8},
        {"name": "sat", "weight": 1.0, "best": 0, "similarity": 0.1},
        {"name": "still", "weight": 1.0, "best": 1, "similarity": 0.6},
        {"name": "[end]", "weight": 0.0, "best": 1, "similarity": 0.5},
    ],
    "frames": [
        {"name": "0.50 s", "weight": 1.0, "best": 0, "similarity": 0.9},
        {"name": "1.50 s", "weight": 1.0, "best": 4, "similarity": 0.6},
    ],
    "times": [500, 1500],
    "similarity": [[0.9, 0.4], [0.2, 0.3], [0.8, 0.1], [0.1, 0.0], [0.5, 0.6], [0.4, 0.5]],
}


def test_words_and_frames_name_each_other():
    picture = explanation_picture(FOUND)
    assert [word.frame.name for word in picture.words[1:4]] == ["1.50 s", "0.50 s", "0.50 s"]
    assert [(frame.at, frame.word) for frame in picture.frames] == [
        (500, "[start]"),
        (1500, "still"),
    ]


def test_weights_are_shares_of_all_that_counts():
    percents = [word.percent for word in explanation_picture(FOUND).words]
    assert percents == [0, 20, 40, 20, 20, 0]


def test_each_row_and_column_has_one_best_cell_and_shades_span_all():
    rows = [cells for _, cells in explanation_picture(FOUND).rows]
    assert [[cell.is_word_best for cell in cells].count(True) for cells in rows] == [1] * 6
    assert [
        [cell.is_frame_best for cell in column].count(True) for column in zip(*rows, strict=True)
    ] == [1, 1]
    assert rows[0][0].shade == 9
    assert rows[3][1].shade == 0


def test_the_sentence_names_what_is_found_best_and_least_without_the_marks():
    assert explanation_picture(FOUND).sentence == (
        "Best match in the video: “dog” (0.80 at 0.50 s) and “still” (0.60 at 1.50 s). "
        "Weakest match: “sat” (0.10 at 0.50 s) and “red” (0.30 at 1.50 s)."
    )


def test_what_weighs_less_than_most_is_not_told():
    tokens = [
        token | {"weight": 0.5} if token["name"] == "red" else token for token in FOUND["tokens"]
    ]
    tokens.insert(5, {"name": "loud", "weight": 1.0, "best": 1, "similarity": 0.2})
    tokens.insert(6, {"name": ".", "weight": 1.0, "best": 1, "similarity": 0.0})
    similarity = [*FOUND["similarity"], [0.1, 0.2], [0.0, 0.0]]
    told = explanation_picture(FOUND | {"tokens": tokens, "similarity": similarity}).sentence
    assert "loud" in told
    assert "red" not in told
    assert "“.”" not in told


def test_a_short_caption_is_told_by_its_table_alone():
    few = FOUND | {"tokens": FOUND["tokens"][:4], "similarity": FOUND["similarity"][:4]}
    few["frames"] = [frame | {"best": 0} for frame in FOUND["frames"]]
    assert explanation_picture(few).sentence == ""


def test_equal_similarities_are_all_light():
    flat = FOUND | {"similarity": [[0.5, 0.5]] * 6}
    assert {cell.shade for _, cells in explanation_picture(flat).rows for cell in cells} == {0}
