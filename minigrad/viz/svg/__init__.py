"""The pictures that never change: each function shows the SVG file of its name."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from ..draw.picture import Svg

TITLE = "{http://www.w3.org/2000/svg}title"


def machine():
    """Show host and device: what each has, and what passes between them."""
    return stored("machine")


def calls():
    """Show who calls whom, from a line of Python to the GPU."""
    return stored("calls")


def toolchain():
    """Show the way from a kernel's source code to the GPU's machine code."""
    return stored("toolchain")


def memories():
    """Show which thread may read which memory."""
    return stored("memories")


def extension():
    """Show what a call of an extension passes through, and what each layer does."""
    return stored("extension")


def dispatch():
    """Show the layers that torch.matmul passes through, on a GPU."""
    return stored("dispatch")


def promotion():
    """Show the lattice of dtypes: what two of them are promoted to."""
    return stored("promotion")


def dispatch_keys():
    """Show the dispatch keys of a tensor, and which of them a call stops at."""
    return stored("dispatch_keys")


def fusion():
    """Show what three kernels read and write, and what one fused kernel does."""
    return stored("fusion")


def tiling():
    """Show what a block, a warp, and a thread make of a matrix product."""
    return stored("tiling")


def double_buffering():
    """Show how a block loads one pair of tiles while it multiplies another."""
    return stored("double_buffering")


def dependency_counts():
    """Show the order of backward by how many gradients each node still waits for."""
    return stored("dependency_counts")


def stored(name):
    """Return the picture in NAME.svg; its title is the description in words."""
    text = Path(__file__).with_name(f"{name}.svg").read_text(encoding="utf-8")
    title = ElementTree.fromstring(text).findtext(TITLE)
    return Svg(text, " ".join(title.split()))
