"""The registry of scenes: a name stands for one scene."""

import importlib

import pytest
from answers import filled  # noqa: F401

import minigrad
from grading.drivers import SCENES, played, registry, training
from grading.drivers.guards import Misuse, Watched


@pytest.fixture(autouse=True)
def put_back():
    """All scenes are what they were."""
    before = dict(SCENES)
    yield
    SCENES.clear()
    SCENES.update(before)


def test_a_scene_is_played_by_its_name():
    @registry.scene
    def multiplied(exercise, x, times):
        return times * exercise(x)

    described = {"scene": "multiplied", "times": 2}
    assert played(lambda x: x + 1, [described, 3], []) == 8


def test_two_scenes_of_one_name_are_refused_and_the_first_stays():
    @registry.scene
    def twice(exercise):
        return "first"

    def other():
        @registry.scene
        def twice(exercise):
            return "second"

    with pytest.raises(ValueError, match="two scenes are called twice") as error:
        other()
    assert str(error.value).count(f"{__file__}:") == 2
    assert played(None, [{"scene": "twice"}], []) == "first"


def test_a_module_can_be_loaded_again():
    names = [n for n, f in SCENES.items() if f.__module__ == training.__name__]
    before = {name: SCENES[name] for name in names}
    importlib.reload(training)
    assert names and all(SCENES[name] is not before[name] for name in names)


def changed(x):
    x.fill_(0)
    return minigrad.tensor([1.0])


buffers = {}


def one_buffer(x):
    return buffers.setdefault(x.shape, minigrad.zeros(2)).copy_(x * 2)


def changed_before_an_error(x):
    x.fill_(0)
    raise ValueError


@pytest.mark.parametrize(
    "answer, kind",
    [
        (changed, "changed"),
        (changed_before_an_error, "changed"),
        (one_buffer, "reused"),
    ],
)
def test_what_a_call_must_leave_alone(answer, kind):
    earlier = []
    with pytest.raises(Misuse) as error:
        for _ in range(2):
            played(answer, [minigrad.tensor([1.0, 2.0])], earlier)
    assert error.value.kind == kind


def test_a_view_of_an_argument_may_come_back_again():
    x, earlier = minigrad.tensor([1.0, 2.0]), []
    for _ in range(2):
        assert played(lambda x: x.view(2, 1), [x], earlier).shape == (2, 1)


def test_what_may_be_changed_is_not_compared():
    x = minigrad.tensor([1.0, 2.0])
    assert Watched(changed, [], changes=("x",))(x).tolist() == [1.0]


def turned(items):
    items.reverse()
    raise ValueError


@pytest.mark.parametrize(
    "answer, items",
    [(turned, [1, 2]), (lambda items: items.pop(), {1}), (dict.clear, {1: 2})],
)
def test_containers_stay_as_they_are_after_an_error_too(answer, items):
    def call(items):
        return answer(items)

    with pytest.raises(Misuse, match="items, which it was given, has changed"):
        Watched(call, [])(items)


def test_an_error_that_changes_nothing_is_the_answer_s_own():
    def refused(items):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Watched(refused, [])([1, 2])
