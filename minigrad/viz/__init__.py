"""The pictures of the lessons, one in each file.

`draw` is what they are drawn with, `svg` holds those that never change, and `widgets`
those that the reader moves. Matplotlib is imported when the first picture is drawn.
"""

from .access import access as access
from .bank_map import bank_map as bank_map
from .banks import banks as banks
from .bars import bars as bars
from .broadcast import broadcast as broadcast
from .columns import columns as columns
from .curve import curve as curve
from .divergence import divergence as divergence
from .draw.picture import Picture as Picture
from .drawing import drawing as drawing
from .finding import finding as finding
from .formula import formula as formula
from .graph import graph as graph
from .halo import halo as halo
from .histograms import histograms as histograms
from .images import images as images
from .launch import launch as launch
from .learned import learned as learned
from .lines import lines as lines
from .overlaps import overlaps as overlaps
from .pooling import pooling as pooling
from .product import product as product
from .profile import profile as profile
from .program import program as program
from .pyramid import pyramid as pyramid
from .ranking import ranking as ranking
from .roofline import Point as Point
from .roofline import point as point
from .roofline import roofline as roofline
from .slots import slots as slots
from .source import source as source
from .spans import spans as spans
from .stages import stages as stages
from .step import step as step
from .storage_order import storage_order as storage_order
from .strides import strides as strides
from .strides_explorer import strides_explorer as strides_explorer
from .surface import surface as surface
from .svg import calls as calls
from .svg import dependency_counts as dependency_counts
from .svg import dispatch as dispatch
from .svg import dispatch_keys as dispatch_keys
from .svg import double_buffering as double_buffering
from .svg import extension as extension
from .svg import fusion as fusion
from .svg import machine as machine
from .svg import memories as memories
from .svg import promotion as promotion
from .svg import tiling as tiling
from .svg import toolchain as toolchain
from .tables import tables as tables
from .threads import threads as threads
from .timeline import timeline as timeline
from .tree import tree as tree
from .versions import versions as versions
from .windows import windows as windows
