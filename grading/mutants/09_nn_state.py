"""Chapter 09, state_dict and train: wrong answers, and right ones."""

from grading.specimens import mutant, right
from minigrad.nn import Module

# ------------------------------------------------------------ state_dict


def saved(module, prefix, keep_vars, hidden=False, buffers=True, order="by module"):
    found, own = {}, dict(module._parameters)
    if buffers:
        own |= {k: b for k, b in module._buffers.items()
                if hidden or k not in module._non_persistent_buffers_set}  # fmt: skip
    for name, x in own.items():
        if x is not None:
            found[prefix + name] = x if keep_vars else x.detach()
    for name, child in module._modules.items():
        if child is not None:
            found |= saved(child, f"{prefix}{name}.", keep_vars, hidden, buffers)
    return found


@mutant(Module.state_dict, "hidden")
def _(self, *, prefix="", keep_vars=False):
    return saved(self, prefix, keep_vars, hidden=True)


@mutant(Module.state_dict, "no_buffers")
def _(self, *, prefix="", keep_vars=False):
    return saved(self, prefix, keep_vars, buffers=False)


@mutant(Module.state_dict, "once", "by named_parameters")
def _(self, *, prefix="", keep_vars=False):
    kept, seen = {}, set()
    for name, x in saved(self, prefix, True).items():
        if id(x) not in seen:
            kept[name] = x if keep_vars else x.detach()
        seen.add(id(x))
    return kept


@mutant(Module.state_dict, "none_saved")
def _(self, *, prefix="", keep_vars=False):
    found = {}
    for path, module in self.named_modules(remove_duplicate=False):
        path = prefix + (path + "." if path else "")
        for name, x in [*module._parameters.items(), *module._buffers.items()]:
            if name not in module._non_persistent_buffers_set:
                found[path + name] = x if keep_vars or x is None else x.detach()
    return found


@mutant(Module.state_dict, "buffers_last")
def _(self, *, prefix="", keep_vars=False):
    found = saved(self, prefix, keep_vars, buffers=False)
    return found | saved(self, prefix, keep_vars)


@mutant(Module.state_dict, "no_dot")
def _(self, *, prefix="", keep_vars=False):
    found = saved(self, "", keep_vars)
    return {prefix + name.replace(".", ""): x for name, x in found.items()}


@mutant(Module.state_dict, "own_alone")
def _(self, *, prefix="", keep_vars=False):
    found = saved(self, "", keep_vars)
    return {prefix + name: x for name, x in found.items() if "." not in name}


@mutant(Module.state_dict, "no_prefix")
def _(self, *, prefix="", keep_vars=False):
    return saved(self, "", keep_vars)


@mutant(Module.state_dict, "copied")
def _(self, *, prefix="", keep_vars=False):
    found = saved(self, prefix, keep_vars)
    return {name: x.detach().clone() for name, x in found.items()}


@mutant(Module.state_dict, "not_detached")
def _(self, *, prefix="", keep_vars=False):
    return saved(self, prefix, True)


@mutant(Module.state_dict, "always_detached")
def _(self, *, prefix="", keep_vars=False):
    return saved(self, prefix, False)


@mutant(Module.state_dict, "keep_vars_lost")
def _(self, *, prefix="", keep_vars=False):
    found = saved(self, prefix, False)
    own = {**self._parameters, **self._buffers}
    return {n: own.get(n[len(prefix):]) if keep_vars and n[len(prefix):] in own else x
            for n, x in found.items()}  # fmt: skip


@mutant(Module.state_dict, "type", "a list of pairs")
def _(self, *, prefix="", keep_vars=False):
    return list(saved(self, prefix, keep_vars).items())


@right(Module.state_dict, "by recursion")
def _(self, *, prefix="", keep_vars=False):
    return saved(self, prefix, keep_vars)


@right(Module.state_dict, "by named_modules")
def _(self, *, prefix="", keep_vars=False):
    found = {}
    for path, module in self.named_modules(remove_duplicate=False):
        path = prefix + (path + "." if path else "")
        for name, p in module._parameters.items():
            if p is not None:
                found[path + name] = p if keep_vars else p.detach()
        for name, b in module._buffers.items():
            if b is not None and name not in module._non_persistent_buffers_set:
                found[path + name] = b if keep_vars else b.detach()
    return found


@right(Module.state_dict, "by pairs")
def _(self, *, prefix="", keep_vars=False):
    pairs = [(n, p) for n, p in self._parameters.items()]
    pairs += [(n, b) for n, b in self._buffers.items()
              if n not in self._non_persistent_buffers_set]  # fmt: skip
    result = {}
    for n, t in pairs:
        if t is None:
            continue
        if not keep_vars:
            t = t.detach()
        result[prefix + n] = t
    for n, child in self._modules.items():
        if child is None:
            continue
        for key, value in child.state_dict(keep_vars=keep_vars).items():
            result[prefix + n + "." + key] = value
    return result


# ------------------------------------------------------------ train


def check_mode(mode):
    if not isinstance(mode, bool):
        raise ValueError("training mode is expected to be boolean")


@mutant(Module.train, "own_alone")
def _(self, mode=True):
    check_mode(mode)
    self.training = mode
    return self


@mutant(Module.train, "children_alone")
def _(self, mode=True):
    check_mode(mode)
    for module in list(self.modules())[1:]:
        module.training = mode
    return self


@mutant(Module.train, "one_level")
def _(self, mode=True):
    check_mode(mode)
    self.training = mode
    for child in self.children():
        child.training = mode
    return self


@mutant(Module.train, "always_true")
def _(self, mode=True):
    check_mode(mode)
    for module in self.modules():
        module.training = True
    return self


@mutant(Module.train, "true_below")
def _(self, mode=True):
    check_mode(mode)
    self.training = mode
    for module in list(self.modules())[1:]:
        module.training = True
    return self


@mutant(Module.train, "returns_nothing")
def _(self, mode=True):
    check_mode(mode)
    for module in self.modules():
        module.training = mode


@mutant(Module.train, "no_error", "any mode will do")
def _(self, mode=True):
    for module in self.modules():
        module.training = mode
    return self


@right(Module.train, "by recursion")
def _(self, mode=True):
    check_mode(mode)
    self.training = mode
    for child in self.children():
        child.train(mode)
    return self


@right(Module.train, "by modules()")
def _(self, mode=True):
    if mode is not True and mode is not False:
        raise ValueError("True or False")
    for module in self.modules():
        module.training = mode
    return self


@right(Module.train, "by apply")
def _(self, mode=True):
    check_mode(mode)
    return self.apply(lambda module: setattr(module, "training", mode))
