"""What is wrong with a JSON document is said in words of the person who reads it, with its place."""

from typing import Annotated

import msgspec
import pytest

from raidtui.model.decode_errors import in_words
from raidtui.model.errors import BadInput
from raidtui.model.struct import Record, from_json


class _Part(Record, frozen=True, kw_only=True):
    count: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1
    wait: Annotated[str, msgspec.Meta(pattern="^(delayed|pending)?$")] = ""
    pair: tuple[int, int] = (0, 0)
    share: float | None = None


class _TwoWords(Record, frozen=True, kw_only=True):
    name: str
    parts: tuple[_Part, ...] = ()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("", "it ends in the middle"),
        ('{"name": NaN}', "it is not JSON: invalid character at byte 10"),
        ("[]", "it must be an object, not a list"),
        ("{}", "name is missing"),
        ('{"name": null}', "name must be text, not null"),
        ('{"name": "", "parts": {}}', "parts must be a list, not an object"),
        ('{"name": "", "parts": [{"count": 99}]}', "parts[0].count must be at most 9"),
        ('{"name": "", "parts": [{}, {"count": 0}]}', "parts[1].count must be at least 1"),
        (
            '{"name": "", "parts": [{"count": true}]}',
            "parts[0].count must be a whole number, not true or false",
        ),
        ('{"name": "", "parts": [{"wait": "x"}]}', "parts[0].wait is not a word that can stand there"),
        ('{"name": "", "parts": [{"pair": [1]}]}', "parts[0].pair must be a list of 2 values"),
        ('{"name": "", "parts": [{"share": "x"}]}', "parts[0].share must be a number or null, not text"),
        ('{"name": "", "parts": [{"share": 1e999}]}', "parts[0].share is too large a number"),
    ],
)
def test_what_is_wrong_with_a_document_is_said_in_words(document: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        from_json(document, _TwoWords, origin="x.json")
    assert str(refused.value) == f"x.json cannot be read as a two words: {said}"


def test_words_that_are_not_known_stay_as_they_are() -> None:
    assert in_words("it is nested too deeply") == "it is nested too deeply"
    assert in_words("Something new - at `$.a`") == "Something new - at `$.a`"
    assert (
        in_words("Invalid enum value 'x' - at `$.a[0]`") == "a[0] has the word 'x', which is not known here"
    )
