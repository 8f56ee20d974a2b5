"""Chapter 08, recording: wrong answers that learners write, and right ones."""

from grading.specimens import mutant, right
from minigrad import Tensor, set_grad_enabled
from minigrad.autograd import Context, Function, is_grad_enabled, no_grad
from minigrad.autograd.tensor_methods import leaf_rules

apply = Function.apply


@mutant(apply, "never_recorded")
def _(cls, *args):
    ctx = Context(cls, args)
    with no_grad():
        results = cls.forward(ctx, *args)
        if is_grad_enabled() and any(ctx.needs_input_grad):
            return ctx.record(results)
    return results


@mutant(apply, "never_recorded", "forgets to record")
def _(cls, *args):
    ctx = Context(cls, args)
    with no_grad():
        return cls.forward(ctx, *args)


@mutant(apply, "on_the_class")
def _(cls, *args):
    if not hasattr(cls, "kept"):
        cls.kept = Context(cls, args)
    ctx = cls.kept
    with no_grad():
        results = cls.forward(ctx, *args)
    if is_grad_enabled() and any(ctx.needs_input_grad):
        return ctx.record(results)
    return results


@mutant(apply, "inside")
def _(cls, *args):
    ctx = Context(cls, args)
    results = cls.forward(ctx, *args)
    if is_grad_enabled() and any(ctx.needs_input_grad):
        return ctx.record(results)
    return results


@mutant(apply, "under_no_grad")
def _(cls, *args):
    ctx = Context(cls, args)
    with no_grad():
        results = cls.forward(ctx, *args)
    return ctx.record(results) if any(ctx.needs_input_grad) else results


@mutant(apply, "always")
def _(cls, *args):
    ctx = Context(cls, args)
    with no_grad():
        results = cls.forward(ctx, *args)
    return ctx.record(results) if is_grad_enabled() else results


@mutant(apply, "switched_on")
def _(cls, *args):
    ctx, recording = Context(cls, args), is_grad_enabled()
    set_grad_enabled(False)
    try:
        results = cls.forward(ctx, *args)
    finally:
        set_grad_enabled(True)
    return ctx.record(results) if recording and any(ctx.needs_input_grad) else results


@mutant(apply, "left_off")
def _(cls, *args):
    ctx, recording = Context(cls, args), is_grad_enabled()
    set_grad_enabled(False)
    results = cls.forward(ctx, *args)
    set_grad_enabled(recording)
    return ctx.record(results) if recording and any(ctx.needs_input_grad) else results


@mutant(apply, "two_lost")
def _(cls, *args):
    ctx = Context(cls, args)
    with no_grad():
        results = cls.forward(ctx, *args)
    if is_grad_enabled() and any(ctx.needs_input_grad):
        made = ctx.record(results)
        return list(made) if isinstance(made, tuple) else made
    return results


@mutant(apply, "raised", "no context")
def _(cls, *args):
    return cls.forward(*args)


@right(apply, "asks first")
def _(cls, *args):
    recording = is_grad_enabled()
    ctx = Context(cls, args)
    with no_grad():
        results = cls.forward(ctx, *args)
    if not recording or not any(ctx.needs_input_grad):
        return results
    return ctx.record(results)


@right(apply, "by a decorator")
def _(cls, *args):
    ctx = Context(cls, args)
    results = no_grad()(cls.forward)(ctx, *args)
    wanted = is_grad_enabled() and True in ctx.needs_input_grad
    return ctx.record(results) if wanted else results


@right(apply, "with try and finally")
def _(cls, *args):
    before, ctx = is_grad_enabled(), Context(cls, args)
    set_grad_enabled(False)
    try:
        results = cls.forward(ctx, *args)
    finally:
        set_grad_enabled(before)
    if before and sum(ctx.needs_input_grad) > 0:
        results = ctx.record(results)
    return results


# ------------------------------------------------- leaf_rules


@mutant(leaf_rules, "grad_on_non_leaf")
def _(asked, node):
    requires = asked or node is not None
    return requires, node is None, requires


@mutant(leaf_rules, "asked_alone")
def _(asked, node):
    return asked, node is None, asked and node is None


@mutant(leaf_rules, "leaf_if_asked")
def _(asked, node):
    return asked or node is not None, asked and node is None, asked and node is None


@mutant(leaf_rules, "leaf_if_not_required")
def _(asked, node):
    requires = asked or node is not None
    return requires, not requires, requires and not requires


@mutant(leaf_rules, "every_leaf_keeps")
def _(asked, node):
    return asked or node is not None, node is None, node is None


@mutant(leaf_rules, "asked_is_leaf")
def _(asked, node):
    return asked or node is not None, asked or node is None, asked


@mutant(leaf_rules, "node_itself")
def _(asked, node):
    return asked or node, node is None, asked and node is None


@mutant(leaf_rules, "list")
def _(asked, node):
    return [asked or node is not None, node is None, asked and node is None]


@right(leaf_rules, "by cases")
def _(asked, node):
    if node is not None:
        return True, False, False
    if asked:
        return True, True, True
    return False, True, False


@right(leaf_rules, "by truth")
def _(asked, node):
    return bool(asked or node), not node, bool(asked and not node)


@right(leaf_rules, "in steps")
def _(asked, node):
    is_leaf = node is None
    requires_grad = asked if is_leaf else True
    return requires_grad, is_leaf, is_leaf and requires_grad


# ------------------------------------------------- detach

detach = Tensor.detach


@mutant(detach, "recorded")
def _(self):
    return self.as_strided(self.shape, self.strides, self.offset)


@mutant(detach, "itself")
def _(self):
    with no_grad():
        return self if self.is_leaf else Tensor(self.storage, *self._layout)


@mutant(detach, "forgets")
def _(self):
    shape, strides, offset = self._layout
    self.requires_grad_(False) if self.is_leaf else setattr(self, "_meta", None)
    return Tensor(self.storage, shape, strides, offset)


@mutant(detach, "copy")
def _(self):
    with no_grad():
        x = self.clone()
    return Tensor(x.storage, self.shape, x.strides).as_strided(self.shape, x.strides)


@mutant(detach, "row_major")
def _(self):
    strides, step = [], 1
    for size in reversed(self.shape):
        strides.insert(0, step)
        step *= size
    return Tensor(self.storage, self.shape, strides, self.offset)


@mutant(detach, "row_major", "no offset")
def _(self):
    x = Tensor(self.storage, self.shape, self.strides)
    return x


@mutant(detach, "recorded", "an operator")
def _(self):
    return self * 1


@mutant(detach, "raised", "sets what is read")
def _(self):
    x = Tensor(self.storage, self.shape, self.strides, self.offset)
    x.grad_fn = None
    return x


@right(detach, "by keywords")
def _(self):
    return Tensor(
        self.storage, shape=self.shape, strides=self.strides, offset=self.offset
    )


@right(detach, "by methods")
def _(self):
    return Tensor(self.storage, self.size(), self.stride(), self.storage_offset())


@right(detach, "by an alias")
def _(self):
    return self.new_alias()
