"""What a text may include: the headers that the simulator ships, and no other file."""

import os
import tempfile
from pathlib import Path

import cudasim
import pytest
from cudasim.front import headers

KERNEL = "__global__ void k(int* y) { y[0] = 1; }"
READING = r"""
#include "FILE"
#include <FILE>
#include "UP"
#include "cuda/UP"
#include "cuda/barrier/UP"
#include "./FILE"
#include "//FILE"
#define F "FILE" NL #include F
#define F <FILE> NL #include F
#define F(x) #x NL #include F(FILE)
#in\ NL clude "FILE"
/* */ # /* */ include "FILE"
%:include "FILE"
??=include "FILE"
#include_next "FILE"
#import "FILE"
#embed "FILE"
__device__ int t[] = { NL #embed "FILE" NL };
#line 1 "FILE" NL #include __FILE__
#include __FILE__
#include "BESIDE"
#include <BESIDE>
#include "LINK"
#include "FILE\0.h"
asm(".incbin \"FILE\"");
__device__ void f() { asm(".include \"FILE\""); }
__device__ void f() { asm(".file 1 \"FILE\""); }
#pragma include "FILE"
#pragma GCC dependency "FILE"
_Pragma("include \"FILE\"")
"""
ASKING = r"""
__has_include("FILE")
__has_include(<FILE>)
__has_include("UP")
__has_include("cuda/UP")
__has_include("BESIDE")
__has_include("LINK")
__has_include("ptx")
__has_include("groups")
__has_include(<memory>)
__has_include("")
__has_include(<>)
"""


@pytest.fixture
def outcome(monkeypatch):
    """outcome(text, options): what the compiler says, without and with the files."""
    with tempfile.TemporaryDirectory() as folder:  # a path of letters alone
        monkeypatch.chdir(folder)
        yield compiler(Path(folder, "secret.h"))


def compiler(secret):
    beside, link = Path("beside.cuh"), Path("link.h")
    up = os.path.relpath(secret, headers.FOLDER)
    names = {"FILE": str(secret), "UP": up, "BESIDE": str(beside), "LINK": str(link)}

    def said(text, options):
        try:
            program = cudasim.compile(text, "k.cu", options)
        except cudasim.CompileError as error:
            return str(error)
        return [v.name for v in program.globals], program.warnings

    def both(text, options=()):
        for name, path in names.items():
            text = text.replace(name, path)
            options = [option.replace(name, path) for option in options]
        text = f"{text}\n{KERNEL}".replace(" NL ", "\n").replace("\\0", "\0")
        secret.write_text("__device__ int leaked = 4711;\n#error leaked\n")
        beside.write_text(secret.read_text())
        link.symlink_to(secret)
        there = said(text, options)
        for path in secret, beside, link:
            path.unlink()
        return said(text, options), there

    return both


@pytest.mark.parametrize("text", READING.strip().splitlines())
def test_no_text_brings_a_file_or_tells_that_it_is_there(text, outcome):
    before, after = outcome(text)
    assert before == after and "leaked" not in str(after)


def test_no_option_brings_a_file(outcome):
    for option in "-include=FILE", "--pre-include=FILE", "--pre-include=UP":
        before, after = outcome("", [option])
        assert before == after and "cannot open source file" in after
    before, after = outcome('#include "secret.h"', ["-I.", "--include-path=."])
    assert before == after and "cannot open source file" in after


@pytest.mark.parametrize("question", ASKING.strip().splitlines())
def test_a_text_cannot_ask_what_files_there_are(question, outcome):
    before, after = outcome(f"#if {question}\n#error there\n#endif")
    assert before == after and "there" not in str(after)


@pytest.mark.parametrize("name", [*sorted(headers.FILES.keys() - headers.IMPLIED)])
def test_what_is_shipped_can_be_included_and_asked_for(name):
    cudasim.compile(f"#if !__has_include(<{name}>)\n#error\n#endif\n#include <{name}>")


@pytest.mark.parametrize("name", sorted(headers.IMPLIED))
def test_what_every_text_may_use_has_no_name(name):
    with pytest.raises(cudasim.CompileError, match="cannot open source file"):
        cudasim.compile(f'#include "{name}"')


def test_names_that_a_text_gives_itself_are_not_given_again():
    texts = "#define NAN 1", "typedef long uint;", "using uint = long;"
    texts += ("__device__ float NAN = 1;",)
    for text in texts:
        name = "NAN" if "NAN" in text else "uint"
        assert not headers.usual(f"{text} {name} a;")
        assert headers.usual(f"typedef {name} a; {name} b;") == {
            name: headers.USUAL[name]
        }
