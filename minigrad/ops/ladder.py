# ruff: noqa
"""Transitional."""

from types import SimpleNamespace

from ..launch import *  # noqa
from ..launch import Rung as NewRung
from .. import launch as _launch
from ..launch import (
    NAMES,
    compiled,
    strides_of,
    template,
    with_headers,
    file_text,
    broadcast,
    computed_in,
    struct,
    C_NAMES,
    rungs,
    formula,
    coalesce_dims as joined,
)  # noqa
from ..launch import launch


class Rung(NewRung):
    __slots__ = ()

    def __new__(cls, name, kernel, source, applies=None, like="", before=""):
        NAMES.add(name)
        fits = (lambda f: applies(**vars(f))) if applies else (lambda f: True)
        return super().__new__(cls, name, kernel, source, fits, like, before=before)

    @property
    def way(self):
        return self.args or self.name

    def text(self):
        text = NewRung.text(self)
        return self.before + text if self.is_hole and self.before else text


def choose(ladder, **facts):
    return _launch.pick(ladder, SimpleNamespace(**facts))


def memory(x):
    return x


def __getattr__(name):
    return getattr(_launch, {"chosen": "requested"}.get(name, name))
