"""Lets a test that runs as root meet the permissions that anyone else would."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_VERSION_3 = 0x20080522
_OVERRIDES = 0b111 << 1  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def as_ordinary_user(wanted: bool = True) -> Iterator[None]:
    """Gives up root's power over file permissions for a while, in this thread; skips where that cannot be done."""
    if not wanted or os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root may write anywhere")
    library = ctypes.CDLL(None, use_errno=True)
    header, both = _Header(_VERSION_3, 0), (_Capabilities * 2)()
    if library.capget(ctypes.byref(header), both) != 0:
        pytest.skip("root may write anywhere")
    had = both[0].effective
    both[0].effective = had & ~_OVERRIDES
    if library.capset(ctypes.byref(header), both) != 0:
        pytest.skip("root may write anywhere")
    try:
        yield
    finally:
        both[0].effective = had
        library.capset(ctypes.byref(header), both)
