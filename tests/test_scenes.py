"""The registry of scenes: a name stands for one scene."""

import importlib

import pytest

from grading.scenes import SCENES, learning, played, registry


@pytest.fixture(autouse=True)
def put_back():
    """All scenes are what they were."""
    before = dict(SCENES)
    yield
    SCENES.clear()
    SCENES.update(before)


def test_a_scene_is_played_by_its_name():
    @registry.scene
    def doubled(hole, x, times):
        return times * hole(x)

    described = {"scene": "doubled", "times": 2}
    assert played(lambda x: x + 1, [described, 3]) == 8


def test_two_scenes_of_one_name_are_refused_and_the_first_stays():
    @registry.scene
    def twice(hole):
        return "first"

    def other():
        @registry.scene
        def twice(hole):
            return "second"

    with pytest.raises(ValueError, match="two scenes are called twice") as error:
        other()
    assert str(error.value).count(f"{__file__}:") == 2
    assert played(None, [{"scene": "twice"}]) == "first"


def test_a_module_can_be_loaded_again():
    names = [n for n, f in SCENES.items() if f.__module__ == learning.__name__]
    before = {name: SCENES[name] for name in names}
    importlib.reload(learning)
    assert names and all(SCENES[name] is not before[name] for name in names)
