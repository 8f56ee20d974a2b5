"""Answers of apply by other algorithms."""

import minigrad
from minigrad.autograd import Context, Function, is_grad_enabled, no_grad
from tools.audit.specimens import answer


@answer(Function.apply, right="by a decorator")
def _(cls, *args):
    ctx = Context(cls, args)
    results = no_grad()(cls.forward)(ctx, *args)
    wanted = is_grad_enabled() and True in ctx.needs_input_grad
    return ctx.record(results) if wanted else results


@answer(Function.apply, right="switched off and on by hand")
def _(cls, *args):
    ctx, before = Context(cls, args), is_grad_enabled()
    minigrad.set_grad_enabled(False)
    try:
        results = cls.forward(ctx, *args)
    finally:
        minigrad.set_grad_enabled(before)
    return ctx.record(results) if before and max(ctx.needs_input_grad) else results


@answer(Function.apply, right="asked first")
def _(cls, *args):
    ctx, recording = Context(cls, args), is_grad_enabled()
    finish = ctx.record if recording and any(ctx.needs_input_grad) else lambda y: y
    with no_grad():
        results = cls.forward(ctx, *args)
    return finish(results)
