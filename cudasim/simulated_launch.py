"""One launch in the simulator: its memory, its limits, and what is found."""

import contextlib
import contextvars
import dataclasses
import math
import time

import numpy as np

from . import native
from .device import fresh_of
from .engine import admit, apart, arguments, warps
from .engine.batch import Batch
from .engine.geometry import geometry
from .engine.memory import TEXT, Pointer, Region, Root
from .engine.print import Printer
from .engine.watched import WatchedBatch
from .front import ctype as C
from .report import NOTES, Finding, Report, Stop

LANES = 131_072  # threads that run side by side
STATIC_SHARED = 48 * 1024
MOST_SHARED = 227 * 1024
SHARED_ADDRESS = 1 << 24  # of shared memory: it fits 32 bits, as a GPU's does
MOST_FINDINGS = 64
CAUSES = ("out-of-bounds", "misaligned")  # named first: others may follow from them
ENDS = ("timeout", "memory", "trap", "assert")  # findings that end the launch
BATCH_BYTES = 2**28  # for the values of a batch
WATCHED_BYTES = 16  # that tools keep for each byte of shared memory
COUNTS = (
    "sectors", "ideal_sectors", "transactions", "requests", "bank_passes",
    "shared_requests", "branches", "divergent_branches", "reads", "writes",
    "atomics", "reads_per_thread", "writes_per_thread",
)  # fmt: skip
ENDLESS = (
    "does this loop end? A thread that waits for another one (a lock, a flag) waits "
    "forever if the two are in one warp, or if the other block has not started"
)
DEEP = "does it end for every argument? A loop takes no stack at all"
NOBODY = (
    "let all lanes of the warp reach the shuffle, those without an element with a "
    "neutral value (0 for a sum), or shuffle by as many lanes as there are"
)
NO_LANE = "this warp has fewer than 32 lanes: use the value only if its lane exists"


@dataclasses.dataclass
class Limits:
    """How much a launch may use.

    A launch that exceeds a limit ends with the finding `timeout` or `memory`.
    steps: rounds of loops and calls of functions, each for up to LANES threads.
    seconds: of this thread's computing time. bytes: for the local arrays of the
    threads that run side by side; if each needs a lot, fewer run at a time.
    """

    steps: int = 3_000_000
    seconds: float = 60.0
    bytes: int = 2**29


most = contextvars.ContextVar("most", default=(math.inf, math.inf))


@contextlib.contextmanager
def at_most(seconds, steps=math.inf):
    """Launches in this block end after so much, if their own limits are wider."""
    before = most.set((seconds, steps))
    try:
        yield
    finally:
        most.reset(before)


class Launch:
    """One launch: its arguments, memory, limits and findings."""

    def __init__(self, kernel, grid, block, args, shared_mem=0, tools=(),
                 schedule="lockstep", seed=0, limits=None, batch=None):  # fmt: skip
        (seconds, steps), limits = most.get(), limits or kernel.limits
        self.kernel, self.how = kernel, (grid, block, args, shared_mem)
        self.functions = kernel.function.reached
        self.seconds = min(limits.seconds, seconds)
        self.limits = dataclasses.replace(limits, steps=min(limits.steps, steps))
        bounds = kernel.function.launch_bounds
        self.grid, self.block = admit.sizes(kernel.name, grid, block, bounds)
        self.schedule, self.seed, self.per_batch = schedule, seed, None
        self.last_block = math.prod(self.grid)
        self.threads = self.last_block * math.prod(self.block)
        self.patience = None  # seconds, after which C is looked for
        self.code = kernel.module.module(kernel.function, schedule)
        self.places, self.lines = self.code.places, kernel.module.program._lines
        self.grid_values = tuple(np.uint32(n) for n in self.grid)
        self.block_values = tuple(np.uint32(n) for n in self.block)
        self.volatile = self.code.volatile
        # swaps, puts: the sites of atomicCAS, and of atomicExch for its effect alone.
        self.findings, self.swaps, self.puts = {}, set(), set()
        self.storing = None  # the value that is being written, for tools
        self.lost, self.again = {}, False  # shuffles from lanes that are not there
        self.divided = False  # did a mask name lanes in another branch?
        self.classes, self.final = {}, True  # see engine/apart.py
        self.counts = {"lines": {}, **dict.fromkeys(COUNTS, 0)}
        self.steps, self.bytes, self.printer = 0, 0, Printer()
        self.new_address = arguments.Addresses().new
        self.values, self.roots = arguments.bind(
            kernel.function, args, self.new_address, fresh_of
        )
        self.globals, self.ticks = self.file_variables(), 0
        self.strings = [self.string(text) for text in self.code.strings]
        self.layout_shared(shared_mem)
        self.tools = list(tools)
        self.batch_class = batch or (WatchedBatch if self.tools else Batch)

    # Memory

    def file_variables(self):
        """Pointers to the variables of the file."""
        out = []
        for variable, data in self.kernel.module.variables.items():
            space = "constant" if variable.storage == "constant" else "global"
            root = Root(space, variable.name, data, space == "global",
                        self.new_address(data.size))  # fmt: skip
            region = Region(root, variable.name, variable.type, 0, data.size)
            unit = variable.type.size
            out.append(Pointer(region, 0, unit))
            self.roots.append(root)
        return out

    def string(self, text):
        """A pointer to a string of the program."""
        data = np.frombuffer(text + b"\0", np.uint8).copy()
        root = Root("constant", TEXT, data, False, self.new_address(data.size))
        region = Region(root, TEXT, C.CHAR.array(data.size), 0, data.size)
        self.roots.append(root)
        return Pointer(region, 0, 1)

    def layout_shared(self, dynamic):
        """Where each shared variable begins in a block's arena."""
        at, self.shared_layout = 0, []
        fixed = [v for v in self.code.shared if v.storage == "shared"]
        for variable in fixed:
            align = max(variable.type.align, 16 if variable.type.size >= 16 else 1)
            at = -(-at // align) * align
            self.shared_layout.append((variable, at, variable.type.size))
            at += variable.type.size
        if at > STATIC_SHARED:
            raise ValueError(
                f"{self.kernel.name} has {at} bytes of __shared__ variables: at most "
                f"{STATIC_SHARED}; more must be dynamic (extern __shared__)"
            )
        at = -(-at // 16) * 16
        most = min(self.kernel.max_dynamic_shared_size_bytes, MOST_SHARED - at)
        dynamic = admit.shared_bytes(self.kernel.name, dynamic, most)
        for variable in self.code.shared:
            if variable.storage != "shared":
                self.shared_layout.append((variable, at, dynamic))
        self.shared_bytes = -(-(at + dynamic) // 16) * 16
        self.dynamic_bytes = dynamic
        self.shared_root = None

    def new_shared(self, blocks):
        """Fresh shared memory for a batch: pointers in the order of code.shared."""
        if not self.shared_layout:
            return ()
        if self.shared_root is not None:  # else the last batch's would stay alive
            self.shared_root.regions.clear()
            self.shared_root = None
        data = np.full((blocks, self.shared_bytes), 0xFF, np.uint8)
        root = Root("shared", "shared memory", data, address=SHARED_ADDRESS)
        pointers = {}
        for variable, begin, nbytes in self.shared_layout:
            region = Region(root, variable.name, variable.type, begin, nbytes)
            unit = variable.type.size or variable.type.of.size
            pointers[variable] = Pointer(region, 0, unit)
        self.shared_root = root
        return [pointers[variable] for variable in self.code.shared]

    def need_memory(self, nbytes):
        """Take local memory; a launch may hold `limits.bytes` at a time."""
        self.bytes += nbytes
        if self.bytes > self.limits.bytes:
            self.out_of_memory(
                f"the local arrays of the threads that run side by side take "
                f"{self.bytes:,} bytes: at most {self.limits.bytes:,}"
            )

    def free_memory(self, nbytes):
        """Give local memory back."""
        self.bytes -= nbytes

    # Running

    def run(self, begin=None):
        """Run every block; the Report. begin: when the launch began, if not now."""
        self.begin = time.thread_time() if begin is None else begin
        self.deadline = self.begin + min(self.seconds, self.patience or math.inf)
        for tool in self.tools:
            tool.begin(self)
        before = self.written() if self.code.joins else None
        ended = False
        try:
            with np.errstate(all="ignore"):
                self.run_batches()
            ended = True
        except Stop:
            pass
        except RecursionError:
            self.too_deep()
        for tool in self.tools:
            tool.end()
        if self.divided and self.schedule != "apart":
            report = self.apart(before)
            if report is not None:
                return report
        if self.lost and self.tools and ended:
            self.report_lost(before)
        return self.report_of()

    def apart(self, before):
        """The Report of a launch whose lanes wait for those of other branches; None if
        that is of no use. The counts are those of this one, with whole warps."""
        results = self.written()
        self.put(before)
        search = self.twin("apart")
        search.final = False
        search.run()
        self.put(before)
        launch = self.twin("apart", self.tools)
        launch.classes = search.classes
        report = launch.run()
        if self.divergent() == launch.divergent():
            self.put(results)
            return None
        return dataclasses.replace(report, counts=self.counts, schedule=self.schedule)

    def divergent(self):
        """The places of what is found about masks."""
        return {site for kind, site, _ in self.findings if kind == "divergent-shuffle"}

    def written(self):
        """Copies of what the kernel can write, and of what was never written there."""
        fresh = (None if r.fresh is None else r.fresh.copy() for r in self.roots)
        pairs = zip(self.roots, fresh, strict=True)
        return [(r.data.copy(), fresh) for r, fresh in pairs if r.writable]

    def put(self, data):
        """Write back what `written` gave."""
        roots = [r for r in self.roots if r.writable]
        for root, (old, fresh) in zip(roots, data, strict=True):
            root.data[:] = old
            if fresh is not None:
                root.fresh[:] = fresh

    def twin(self, schedule=None, tools=()):
        """The same launch, not yet run."""
        twin = Launch(self.kernel, *self.how, tools, schedule or self.schedule,
                      self.seed, self.limits)  # fmt: skip
        twin.classes = self.classes
        return twin

    def report_lost(self, before):
        """Report shuffles from lanes that are not there, if the results depend on what
        they give: the launch is made once more, with another value from nobody."""
        results, roots = self.written(), [r for r in self.roots if r.writable]
        self.put(before)
        twin = self.twin()
        twin.again = True
        twin.run()
        differ = any(
            r.data.tobytes() != old.tobytes()
            for r, (old, _) in zip(roots, results, strict=True)
        )
        self.put(results)
        divergent = self.divergent()
        for site, (source, exists, lane, where, count) in self.lost.items():
            if differ and site not in divergent:
                why = "is not part of this shuffle" if exists else "does not exist"
                message = (
                    f"takes the value of lane {source}, which {why}: it is undefined, "
                    f"and the results depend on it"
                )
                hint = NOBODY if exists else NO_LANE
                self.report("missing-lane", site, lane, message, where, hint=hint,
                            count=count)  # fmt: skip

    def run_batches(self):
        per_batch = self.per_batch or self.side_by_side()
        if self.code.grid_meets and per_batch < self.last_block:
            raise ValueError(
                f"{self.kernel.name} has grid.sync(), so all its blocks run at once: "
                f"{per_batch:,} of this size can, not {self.last_block:,}"
            )
        for first in range(0, self.last_block, per_batch):
            left = self.last_block - first
            self.run_batch(first, min(per_batch, left))
            if time.thread_time() > self.deadline and left > per_batch:
                hint = f"{first + per_batch:,} of {self.last_block:,} blocks have run"
                self.timeout(0, geometry(self.grid, self.block, first, 1), hint)

    def side_by_side(self):
        """How many blocks run together."""
        threads = self.block[0] * self.block[1] * self.block[2]
        shared = self.shared_bytes * (WATCHED_BYTES if self.tools else 1)
        block_bytes = threads * self.code.lane_bytes + shared
        if block_bytes > 2 * self.limits.bytes:
            self.out_of_memory(
                f"the variables of one block take about {block_bytes:,} bytes: at most "
                f"{2 * self.limits.bytes:,}"
            )
        most = max(1, min(LANES // threads, BATCH_BYTES // max(block_bytes, 1)))
        row, plane = self.grid[0], self.grid[0] * self.grid[1]
        whole = plane if most >= plane else row if most >= row else 1
        return most - most % whole

    def run_batch(self, first, blocks):
        whole = geometry(self.grid, self.block, first, blocks)
        shared = self.new_shared(blocks)
        for tool in self.tools:
            tool.batch(whole)
        if self.schedule == "apart":
            self.run_apart(first, whole, shared)
            return
        if self.schedule != "warps":
            batch = self.batch_class(self, whole, shared, self.globals)
            self.code.run(batch, None, *self.values)
            return
        turns = [
            geometry(self.grid, self.block, first, blocks, w)
            for w in range(whole.warps)
        ]
        warps.run(
            self, self.code.run,
            lambda g: self.batch_class(self, g, shared, self.globals),
            turns, self.values, [self.seed, first],
        )  # fmt: skip

    def run_apart(self, first, whole, shared):
        """One batch, by classes of lanes: at first those of the last batch."""
        last = next(reversed(self.classes.values()), [None])
        fits = all(m is None or m.shape == whole.box for m in last)
        classes = self.classes.setdefault(first, last if fits else [None])
        before = None if self.final else self.written()
        while True:
            try:
                apart.run(
                    self, self.code.run,
                    lambda _: self.batch_class(self, whole, shared, self.globals),
                    self.values, classes, self.final,
                )  # fmt: skip
                return
            except apart.Split as split:
                classes = self.classes[first] = split.classes
                self.put(before)
                shared = self.new_shared(len(whole.block_ids))

    def turn(self, geometry):
        for tool in self.tools:
            tool.turn(geometry)

    def met(self, blocks):
        """The warps of these blocks have met at a barrier."""
        for tool in self.tools:
            tool.barrier(blocks)

    # Findings

    def more(self, kind, site, line, count):
        """Add to a finding's count; False if there is no such finding yet."""
        finding = self.findings.get((kind, site, line))
        if finding is not None:
            finding.count += count
        return finding is not None

    def report(self, kind, site, lane, message, geometry, other=None, hint="", count=1,
               sure=True, guard=""):  # fmt: skip
        """Note a finding; repetitions at the same place are counted."""
        key = kind, site, (other or {}).get("line")
        if self.more(*key, count):
            return
        if len(self.findings) >= MOST_FINDINGS and kind not in ENDS:
            return
        line, column = self.places[site]
        block, thread = geometry.where(lane)
        if other:
            other["source_line"] = self.lines[other["line"] - 1]
        self.findings[key] = Finding(
            kind, line, column, block, thread, message, self.kernel.name, other,
            source_line=self.lines[line - 1], hint=hint, count=count, sure=sure,
            guard=guard,
        )  # fmt: skip

    def timeout(self, site, geometry, hint=ENDLESS):
        """Report a kernel that does not end, and stop."""
        took = f"{self.seconds:g} seconds"
        if self.steps > self.limits.steps:
            took = f"{self.limits.steps:,} rounds of loops and calls"
        elif self.patience is not None:
            self.lose_patience()
            return
        message = f"the kernel did not end within {took}"
        self.report("timeout", site, 0, message, geometry, hint=hint)
        raise Stop

    def lose_patience(self):
        """Stop where there is C for the kernel; else it has all its time."""
        if self.kernel.native.made(self):
            raise native.Slow
        self.patience, self.deadline = None, self.begin + self.seconds

    def too_deep(self):
        """Report a function that calls itself again and again."""
        place = next(f.place for f in self.functions if f.recursive)
        message = "a function calls itself more often than a thread's stack is deep"
        first = geometry(self.grid, self.block, 0, 1)
        self.report("memory", self.code.site(place), 0, message, first, hint=DEEP)

    def out_of_memory(self, message):
        """Report a kernel whose threads need too much memory, and stop."""
        first = geometry(self.grid, self.block, 0, 1)
        hint = (
            "does the kernel declare large arrays? Use fewer threads, or shared memory"
        )
        self.report("memory", 0, 0, message, first, hint=hint)
        raise Stop

    def report_of(self):
        findings = sorted(
            self.findings.values(),
            key=lambda f: (f.kind not in CAUSES, f.line, f.column, f.kind),
        )
        notes = [f for f in findings if f.kind in NOTES]
        findings = [f for f in findings if f.kind not in NOTES]
        return Report(
            findings, self.counts, self.kernel.warnings, self.printer.text(),
            self.kernel.name, self.grid, self.block, self.schedule, notes,
        )  # fmt: skip
