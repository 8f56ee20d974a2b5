"""Downloading the files of a data set."""

import http.client
import os
import tempfile
import urllib.request
from pathlib import Path

from .files import Damaged, checked

CHUNK = 2**16
SECONDS = 30  # without a byte, and a mirror is given up


def fetched(file, folder, mirrors, progress):
    """Download a file into a folder, whole or not at all; its unpacked bytes.

    Each mirror is tried. Raises OSError with what every one of them said.
    """
    folder.mkdir(parents=True, exist_ok=True)
    said = []
    for mirror in mirrors:
        handle, part = tempfile.mkstemp(dir=folder, prefix=file.name + ".")
        os.close(handle)
        try:
            download(mirror + file.name, part, file, progress)
            data = checked(file, Path(part))
            os.replace(part, folder / file.name)
            return data
        except (OSError, http.client.HTTPException, Damaged) as error:
            said.append(f"{mirror}: {getattr(error, 'reason', None) or error}")
        finally:
            Path(part).unlink(missing_ok=True)
    raise OSError("\n".join(said))


def download(address, path, file, progress):
    """Fetch an address into a file, and say how far it is."""
    asked = urllib.request.Request(address, headers={"User-Agent": "minigrad"})
    with (
        urllib.request.urlopen(asked, timeout=SECONDS) as answer,
        open(path, "wb") as out,
        progress(file.name, file.size) as advance,
    ):
        while chunk := answer.read(CHUNK):
            out.write(chunk)
            advance(len(chunk))
