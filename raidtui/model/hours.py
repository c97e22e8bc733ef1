"""Hours of the day, local time, as people write them: 22:00-07:00."""

import re
from typing import Final

from raidtui.model.errors import BadInput
from raidtui.model.struct import Record

_TWO_TIMES: Final = r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)"


class Hours(Record, frozen=True, kw_only=True):
    """From one time of the day up to another."""

    begin: int  # minutes after midnight
    end: int  # before `begin`: on the next day

    def holds(self, minute: int) -> bool:
        """Whether ``minute`` after midnight is in them."""
        if self.begin <= self.end:
            return self.begin <= minute < self.end
        return minute >= self.begin or minute < self.end

    @property
    def shown(self) -> str:
        """As people write them."""
        return "-".join(f"{at // 60:02}:{at % 60:02}" for at in (self.begin, self.end))


def read_hours(text: str, *, what: str) -> Hours:
    """The hours that ``text`` says; ``what`` they are, for errors.

    Raises:
        BadInput: it is not two times, or they are the same.
    """
    found = re.fullmatch(_TWO_TIMES, text)
    if found is None:
        raise BadInput(f'{what} is two times of the day, "22:00-07:00", not {text[:40]!r}')
    hours, minutes, hours_end, minutes_end = map(int, found.groups())
    if (hours, minutes) == (hours_end, minutes_end):
        raise BadInput(f"{what} begins and ends at the same time; leave it out for none")
    return Hours(begin=hours * 60 + minutes, end=hours_end * 60 + minutes_end)
