# ruff: noqa
from .pointwise import *  # noqa
from .pointwise import abs, root  # noqa
