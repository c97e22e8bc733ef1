"""Review: what a hazard says in full."""

from msgspec.structs import replace

from raidtui.model.plan import PlanKind
from raidtui.ui.widgets.parts import bare
from raidtui.ui.wizard.review_words import hazard_parts
from tests.unit.plan_machines import TANK, plan


def test_advice_to_set_a_key_of_the_spec_says_what_options_calls_it() -> None:
    made = plan(TANK)
    said = {one.id: bare(hazard_parts(one, made)) for one in made.hazards}
    assert (
        'set consistency = "ppl", which costs 30 to 40 % of the write speed. On Options: After a crash.'
        in (said["write-hole"])
    )
    assert [word for word, text in said.items() if "On Options" in text] == ["write-hole"]


def test_only_a_build_has_options() -> None:
    made = plan(TANK)
    other = replace(made, kind=PlanKind.CARE)
    assert not [one.id for one in made.hazards if "On Options" in bare(hazard_parts(one, other))]
