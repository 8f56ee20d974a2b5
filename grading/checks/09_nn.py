"""Chapter 09, named_parameters."""

from grading.checking import cause, checks
from minigrad.nn import Module

from .module_trees import (
    BLOCK,
    DEEP,
    LEAF,
    SHARED,
    TIED,
    TWO,
    OfTrees,
    grown,
    number_of,
)


@checks(Module.named_parameters)
class NamedParameters(OfTrees):
    def cases(self, random):
        for spec in (LEAF, TWO, DEEP):
            yield "names", self.of(spec)
        for spec in (TIED, SHARED):
            yield "a shared one once", self.of(spec)
            yield "a shared one twice, if asked", self.of(spec, remove_duplicate=False)
        for spec in (DEEP, LEAF):
            yield "a prefix", self.of(spec, prefix="net")
            yield "its own alone", self.of(spec, recurse=False)
        yield "a prefix", self.of(DEEP, prefix="net", recurse=False)
        yield "nothing", self.of({})

    def expected(self, scene):
        module, known = grown(scene["spec"])
        pairs = module.named_parameters(**scene["options"])
        return [(name, number_of(p, known)) for name, p in pairs]

    def walk(self, scene, twice=False, none=False, order="own first", dot=True,
             deep=True, own=True):  # fmt: skip
        """The list with a mistake."""
        options, found, seen = scene["options"], [], set()
        keep = twice or not options.get("remove_duplicate", True)

        def visit(spec, path, depth):
            own_ones = [
                (path + name, n)
                for name, n in spec.get("parameters", {}).items()
                if n is not None or none
            ]
            below = [
                (whole(part), path + name + (dot and "." or ""))
                for name, part in spec.get("modules", {}).items()
                if part is not None
            ]
            if order == "own first":
                add(own_ones)
            if options.get("recurse", True) and (deep or depth == 0):
                for part, name in below:
                    visit(part, name, depth + 1)
            if order != "own first":
                add(own_ones)

        def whole(part):
            return BLOCK if part.keys() == {"is"} else part

        def add(pairs):
            for name, number in pairs:
                if keep or number not in seen:
                    found.append((name, number))
                seen.add(number)

        prefix = options.get("prefix", "")
        visit(scene["spec"], prefix + "." if prefix and dot else prefix, 0)
        return found

    @cause("a parameter that is found again is listed again: remove_duplicate asks to "
           "leave out what was there, by the object, whatever its name")  # fmt: skip
    def twice(self, scene):
        return self.walk(scene, twice=True)

    @cause("a parameter that is None stands for nothing, and is left out")
    def none_listed(self, scene):
        return self.walk(scene, none=True)

    @cause("a module's own parameters come first, then those of the modules below it")
    def children_first(self, scene):
        return self.walk(scene, order="children first")

    @cause('between the names of modules and parameters stands a dot: "0.weight"')
    def no_dot(self, scene):
        return self.walk(scene, dot=False)

    @cause("only the modules right below are asked: those below them have parameters, "
           "too. Let the child list its own")  # fmt: skip
    def one_level(self, scene):
        return self.walk(scene, deep=False)

    @cause("the modules below are not asked: self._modules has them")
    def own_alone(self, scene):
        return self.walk({**scene, "options": {**scene["options"], "recurse": False}})

    @cause("recurse=False asks for this module's own parameters alone")
    def always_deep(self, scene):
        return self.walk({**scene, "options": {**scene["options"], "recurse": True}})

    @cause("`prefix` is not used: it stands in front of every name, with a dot")
    def no_prefix(self, scene):
        return self.walk({**scene, "options": {**scene["options"], "prefix": ""}})

    @cause("`prefix` is lost below: a child's names have the prefix, then the child's "
           "name, then the parameter's")  # fmt: skip
    def prefix_lost(self, scene):
        prefix = scene["options"].get("prefix", "")
        bare = self.no_prefix.model.function(self, scene)
        own = scene["spec"].get("parameters", {})
        return [(f"{prefix}.{n}" if n in own and prefix else n, k) for n, k in bare]

    @cause("an empty prefix leaves a dot in front of the names: only a prefix that is "
           "not empty is followed by one")  # fmt: skip
    def dot_in_front(self, scene):
        if scene["options"].get("prefix"):
            return self.expected(scene)
        return [("." + name, number) for name, number in self.expected(scene)]

    @cause("with remove_duplicate=False a parameter is listed under each of its names")
    def always_once(self, scene):
        return self.walk(
            {**scene, "options": {**scene["options"], "remove_duplicate": True}}
        )

    @cause("the duplicates are told by their values: two parameters may be equal in "
           "value, and one object is one parameter")  # fmt: skip
    def names_alone(self, scene):
        found, seen = [], set()
        for name, number in self.walk(scene, twice=True):
            last = name.rpartition(".")[2]
            if last not in seen:
                found.append((name, number))
            seen.add(last)
        return found
