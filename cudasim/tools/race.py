"""Race: two unordered accesses of one cell, one of them a write.

Two accesses are ordered if they come from one thread, or from one block with a barrier
between them, or from one warp with a __syncwarp() between them; if both are atomic; or
if the first thread makes a fence and then an atomic operation, and the second thread
makes one after that and then a fence. For threads of two blocks, a barrier may stand
between the first access and the first fence, and in the place of the second fence. All
other pairs may happen in either order on a GPU, whatever the schedule was here.

Of the atomic operations on a cell only the last is kept, since it has seen the others:
the last block of a grid may reset the counter that showed it to be the last. A plain
read beside an atomicCAS is not a race: the loop in CUDA's guide begins with one, and
the swap fails if the value was stale.

A flag is a variable of integers that is atomic somewhere, or is written as volatile
right after a fence. Its volatile accesses count as atomic operations.
"""

import dataclasses

import numpy as np

from ..engine.geometry import spread
from ..report import shown
from .async_copies import UNIT, AsyncCopies
from .base import Tool
from .order import RACE, SHIFT, THREAD, Order
from .shadow import Shadow
from .updates import branch_of, updates

EQUAL = (
    "harmless on a GPU, but let only one thread write it to make your intention clear"
)
WAIT = (
    "let each thread wait for its copies: __pipeline_wait_prior(0), cp.async.wait_all, "
    "or the wait of the group, pipeline or barrier; then a barrier for those of others"
)
TOGETHER = (
    "harmless only if they all write the same value; else make it atomic, or let one "
    "thread do it"
)
NOW = {"read": "reads", "write": "writes", "atomic": "updates"}
PAST = {
    "write": "wrote",
    "atomic": "updated atomically",
    "read": "read",
    "reader": "read",
}
AGAINST = {  # the earlier accesses that can conflict with one of this kind
    "read": ("write", "atomic"),
    "write": ("write", "atomic", "read", "reader"),
    "atomic": ("write", "read", "reader"),
}


@dataclasses.dataclass(slots=True, eq=False)
class Entry:
    """One executed instruction."""

    kind: str
    time: int
    root: object
    address: np.ndarray
    size: int
    mask: np.ndarray | None
    site: int
    geometry: object


class Race(Tool):
    def begin(self, launch):
        self.launch, self.time = launch, 0
        self.sites = [None]  # of each moment
        self.shadows, self.order = {}, None
        self.found, self.weak = set(), {}
        self.swapped = set()  # roots with compare-and-swap
        self.flags = set()
        self.copies, self.copying = None, False
        self.updates = None  # place -> Update, once there is a finding

    def batch(self, geometry):
        self.geometry = geometry
        if self.order is None:
            self.order = Order(geometry.grid, geometry.block)
        self.order.batch(geometry, self._tick())
        self._forget_shared()
        self.copies = None

    def turn(self, geometry):
        self.geometry = geometry
        self.order.turn(geometry)

    def barrier(self, blocks):
        self.order.barrier(blocks, self._tick())
        if not self.order.split:
            self._forget_shared()

    def grid_barrier(self):
        self.order.grid = self._tick()

    def syncwarp(self, mask):
        self.order.syncwarp(self.geometry.by_block(mask), self._tick())

    def fence(self, mask, block_only):
        self.order.fence(self.geometry.by_block(mask), block_only, self._tick())

    def asynchronous(self, what, count, mask):
        mask = self.geometry.by_block(mask)
        if what < 2:
            self.copying = what == 0
        elif self.copies is not None:
            if what in (2, 4):
                self.copies.close(mask)
            if what in (3, 4):
                self.copies.wait(mask, count)
            if what == 5:
                self.copies.wait_oldest(mask)

    def ignores(self, space, root):
        return space == "global" and root.readonly

    def _copy(self, kind, root, address, size, mask, site):
        """An access of shared memory where there are asynchronous copies."""
        whole = len(self.geometry.per_block) == np.prod(self.launch.block)
        if not whole:  # the warps of a block take turns: lockstep sees all of it
            return
        if self.copying and kind == "write":
            if self.copies is None:
                self.copies = AsyncCopies(self.geometry, root.nbytes)
            self.copies.begin(address, size, mask, site)
        elif self.copies is not None:
            lanes, cells = self.copies.early(address, size, mask)
            if len(lanes):
                self._report_copy(
                    kind, root, int(lanes[0]), int(cells[0]), len(lanes), site
                )

    def _report_copy(self, kind, root, lane, cell, count, site):
        copies, geometry = self.copies, self.geometry
        line, column = self.launch.places[int(copies.site[cell])]
        block, thread = geometry.where(int(copies.owner[cell]) - 1)
        what = root.describe(cell % copies.cells * UNIT)
        message = (
            f"{NOW[kind]} {what}, which thread {shown(thread)} copies at line {line}: "
            f"the copy need not have ended"
        )
        other = {"line": line, "column": column, "block": block, "thread": thread}
        self.launch.report(
            "race", site, lane, message, geometry, other=other, hint=WAIT, count=count
        )

    def access(self, kind, space, root, address, size, mask, site):
        address, now = self.geometry.by_block(address), self._tick(site)
        mask = self.geometry.by_block(mask)
        if self.launch.volatile and self._is_flag(kind, root, address, mask, site, now):
            kind = "atomic"
        entry = Entry(kind, now, root, address, size, mask, site, self.geometry)
        shadow = self._shadow(space, root, size)
        if not shadow.keep(entry, self.order):
            self._catch_up(shadow)
            self._look(shadow, entry)
        if space == "shared" and (self.copying or self.copies is not None):
            self._copy(kind, root, address, size, mask, site)
        if kind == "atomic":
            self.order.atomic(mask, space, now)

    def _is_flag(self, kind, root, address, mask, site, now):
        """Whether this is an access of a flag that counts as atomic."""
        lane = 0 if mask is None else int(np.argmax(self.geometry.full(mask)))
        at = int(self.geometry.full(np.asarray(address))[lane])
        flag = root, root.describe(at).partition("[")[0]
        volatile = site in self.launch.volatile
        told = volatile and kind == "write" and self.order.just_fenced(mask, now)
        if kind == "atomic" or told:
            self.flags.add(flag)
        return volatile and flag in self.flags

    def end(self):
        """Report races within a warp only where no other race was found.

        Where warps race at one of its lines, too, a barrier of the block mends both.
        """
        lines = {self.launch.places[s][0] for pair in self.found for s in pair}
        for (site, other), finding in self.weak.items():
            if frozenset((site, other)) not in self.found:
                here = self.launch.places[site][0]
                mixed = not lines.isdisjoint((here, finding["other"]["line"]))
                if mixed and not self._update(site, other):
                    finding["hint"] = self._mend(RACE, here, finding["other"]["line"])
                self.launch.report("race-warp", site, **finding)

    def _update(self, site, other):
        """What to write if both accesses belong to updates of a variable, or ""."""
        if self.updates is None:
            self.updates = updates(self.launch.functions)
        both_updates = [self.updates.get(self.launch.places[s]) for s in (site, other)]
        if None in both_updates:
            return ""
        return both_updates[site == other or both_updates[0].operator == ""].advice()

    def _mend(self, grade, line, before, within=False, some=False):
        """What to write between an access and the one before, at these lines.

        within: one statement reads and then writes. some: not all threads do it."""
        barrier = "__syncthreads()" if grade == RACE else "__syncwarp()"
        if line < before and any(
            f.place[0] <= line and before <= f.end[0] for f in self.launch.functions
        ):
            return (
                f"line {line} of the next round comes after line {before} of this one: "
                f"write {barrier} at the end of the loop's body"
            )
        if within and line == before:
            return (
                f"no barrier fits into a line: is a guard missing, or must a variable "
                f"take what is read, and the write come after a {barrier}?"
            )
        text = f"if both are meant, a {barrier} must come between them"
        branch = some and branch_of(self.launch.functions, (line, before))
        whom = "threads of the block" if grade == RACE else "lanes of the warp"
        if branch:
            text += f", outside of what line {branch} begins: all {whom} must reach it"
        return text

    def _mend_blocks(self, entry, before, lane):
        """What to write where two blocks are not in order."""
        block = entry.geometry.block_ids[lane // entry.geometry.threads]
        if self.order.announced(before, block):
            return (
                "one thread announces what others of its block wrote: write "
                "__syncthreads() between the __threadfence() and its atomic operation"
            )
        if entry.site != self._site(before):
            here, there = self.launch.places[entry.site][0], self._line(before)
            if here == there and entry.kind != "atomic":
                return "write the results to another array"
            return "use two kernel launches"
        return "let one block write it, or give each block an element of its own"

    def _tick(self, site=None):
        self.time += 1
        self.sites.append(site)
        return self.time

    def _shadow(self, space, root, size):
        key = "shared" if space == "shared" else root
        shadow = self.shadows.get(key)
        if shadow is None:
            shadow = self.shadows[key] = Shadow(space, root.nbytes, size)
        return shadow

    def _forget_shared(self):
        if "shared" in self.shadows:
            self.shadows["shared"].forget()

    def _catch_up(self, shadow):
        """Record the deferred accesses, which cannot conflict with each other."""
        for entry in shadow.log:
            lanes, cells, threads = shadow.locate(entry, self.order)
            if not shadow.is_run(entry, lanes, cells):
                shadow.stop_runs(self.order)
                shadow.remember(entry, cells, threads, self.order)
        shadow.log.clear()
        shadow.logged = 0

    def _look(self, shadow, entry):
        """Compare an access with those before it, then record it."""
        lanes, cells, threads = shadow.locate(entry, self.order)
        if shadow.is_run(entry, lanes, cells):
            return
        shadow.stop_runs(self.order)
        for name in AGAINST[entry.kind]:
            if name in shadow.words and not self._swaps(entry, name):
                before = shadow.words[name][cells]
                self._compare(shadow, entry, name, before, lanes, cells, threads)
        lost = shadow.remember(entry, cells, threads, self.order)
        if lost is not None and lost.any():
            i = int(lost.argmax())
            other = int(shadow.words["write"][cells[i]])
            spot = i, lanes, cells, shadow
            count = np.count_nonzero(lost)
            if self._alike(entry, shadow, lanes, cells):
                self._note(entry, other, spot, int(count))
            else:
                self._report(entry, RACE, "write", other, spot, count)

    def _alike(self, entry, shadow, lanes, cells):
        """Do all that write one cell in this instruction write one value?"""
        bits = self._bits(entry, shadow, lanes)
        if bits is None:
            return False
        order = np.argsort(cells, kind="stable")
        cells, bits = cells[order], bits[order]
        return not ((cells[1:] == cells[:-1]) & (bits[1:] != bits[:-1])).any()

    def _bits(self, entry, shadow, lanes):
        """The bits of what each lane writes; None if they cannot be told apart here."""
        value = self.launch.storing
        if not isinstance(value, np.ndarray | np.generic):
            return None
        if entry.size != shadow.unit or value.dtype.itemsize != entry.size:
            return None
        full = np.broadcast_to(self.geometry.full(value), entry.geometry.lanes)
        return full.view(f"u{entry.size}")[lanes]

    def _unchanged(self, entry, shadow, lanes, cells, which):
        """Do these lanes write what lies there already?"""
        bits = self._bits(entry, shadow, lanes) if entry.kind == "write" else None
        if bits is None:
            return False
        held = entry.root.view(bits.dtype).reshape(-1)
        first = cells.start if isinstance(cells, slice) else 0
        places = first + which if isinstance(cells, slice) else cells[which]
        return bool((held[places] == bits[which]).all())

    def _note(self, entry, before, spot, count):
        """Note writes of one value, which are harmless on a GPU."""
        finding = self._finding(entry, RACE, "write", before, spot, count)
        finding["message"] += ", but both write the same value"
        if not self._update(entry.site, self._site(before)):
            finding["hint"] = EQUAL
        self.launch.report("race-equal", entry.site, **finding)

    def _swaps(self, entry, name):
        """Whether this is a plain read beside a compare-and-swap, which checks it."""
        if entry.kind == "atomic" and entry.site in self.launch.swaps:
            self.swapped.add(entry.root)
            return name in ("read", "reader")
        return (entry.kind, name) == ("read", "atomic") and entry.root in self.swapped

    def _compare(self, shadow, entry, name, before, lanes, cells, threads):
        """Report the lanes for which the access in `before` is not in order."""
        since = self.order.grid if shadow.space == "global" else self.order.floor
        if not before.size or int(before.max()) < since << SHIFT:
            return
        differ = (before & THREAD) != threads
        differ &= before >= since << SHIFT
        if entry.kind == "atomic" and entry.site in self.launch.volatile:
            earlier = [s in self.launch.volatile for s in self.sites]
            differ &= ~np.array(earlier)[before >> SHIFT]  # another access of the flag
        hits = np.flatnonzero(differ)
        if not len(hits):
            return
        before = before[hits]
        grade = self.order.unordered(before, threads[hits], shadow.space)
        bad = np.flatnonzero(grade)
        for moment in np.unique(before[bad] >> SHIFT):
            here = bad[before[bad] >> SHIFT == moment]
            apart = (before[here] ^ threads[hits[here]]) & THREAD
            apart = apart >> self.order.bits > 0  # no barrier helps between blocks
            i = here[(2 * grade[here] + apart).argmax()]
            spot = int(hits[i]), lanes, cells, shadow
            where = hits[here]
            if name == "write" and self._unchanged(entry, shadow, lanes, cells, where):
                self._note(entry, int(before[i]), spot, len(here))
                continue
            self._report(entry, int(grade[i]), name, int(before[i]), spot, len(here))

    def _report(self, entry, grade, name, before, spot, count):
        pair, line = (entry.site, self._site(before)), self._line(before)
        if grade == RACE:
            self.found.add(frozenset(pair))
            if self.launch.more("race", entry.site, line, int(count)):
                return  # composing the message takes time
        elif pair in self.weak:
            return
        finding = self._finding(entry, grade, name, before, spot, int(count))
        if grade == RACE:
            self.launch.report("race", entry.site, **finding)
        else:
            self.weak[pair] = finding

    def _finding(self, entry, grade, name, before, spot, count):
        """The finding of a conflict."""
        i, lanes, cells, shadow = spot
        lane = i // max(1, entry.size // shadow.unit)
        lane = lane + lanes.start if isinstance(lanes, slice) else int(lanes[lane])
        cell = cells.start + i if isinstance(cells, slice) else int(cells[i])
        what = entry.root.describe(cell % shadow.cells * shadow.unit)
        other, together = (
            self._other(before, shadow.space),
            before >> SHIFT == entry.time,
        )
        within = entry.kind == "write" and name in ("read", "reader")
        here = self.launch.places[entry.site][0]
        same_block = entry.geometry.where(lane)[0] == other["block"]
        update = self._update(entry.site, self._site(before))
        if update:
            mend = update
        elif together:
            mend = TOGETHER
        elif same_block:
            some = self._some(entry, lane, grade)
            mend = self._mend(grade, here, other["line"], within, some)
        else:
            mend = self._mend_blocks(entry, before, lane)
        why = _why(grade, other, together, same_block)
        message = f"{NOW[entry.kind]} {what}, which {_who(other, entry, lane)} {why}"
        return {
            "lane": lane,
            "message": message.format(past=PAST[name]),
            "geometry": entry.geometry,
            "other": other,
            "hint": mend,
            "count": count,
        }

    def _some(self, entry, lane, grade):
        """Whether only some threads of the lane's block (or its warp) are active."""
        if entry.mask is None:
            return False
        active = entry.geometry.full(np.asarray(entry.mask))
        first = lane - lane % entry.geometry.threads
        end = first + entry.geometry.threads
        if grade != RACE:
            first += (lane - first) // 32 * 32
            end = min(end, first + 32)
        return not active[first:end].all()

    def _site(self, word):
        return self.sites[word >> SHIFT]

    def _line(self, word):
        return self.launch.places[self._site(word)][0]

    def _other(self, before, space):
        """The other side of a conflict."""
        order, geometry = self.order, self.geometry
        number = before & THREAD
        block = (number >> order.bits) + (geometry.first_block * (space == "shared"))
        line, column = self.launch.places[self._site(before)]
        return {
            "line": line,
            "column": column,
            "block": spread(block, geometry.grid),
            "thread": spread(number & ((1 << order.bits) - 1), geometry.block),
        }


def _who(other, entry, lane):
    """The other thread, and its block if that is another one."""
    thread = f"thread {shown(other['thread'])}"
    if entry.geometry.where(lane)[0] == other["block"]:
        return thread
    return f"{thread} of block {shown(other['block'])}"


def _why(grade, other, together, same_block):
    """What is missing between the two."""
    line = other["line"]
    if together:
        return "{past} in the same instruction"
    if not same_block:
        return f"{{past}} at line {line}: nothing orders two blocks"
    if grade == RACE:
        return f"{{past}} at line {line}: no barrier between them"
    return f"{{past}} at line {line}: the same warp, but no barrier between them"
