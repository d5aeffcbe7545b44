"""Create ICC profiles for tests, as small as the format allows: real ones take up to megabytes."""

import struct
from itertools import product

D50 = (0.9642, 1.0, 0.8249)
P3_COLORANTS = (
    (0.51512, 0.24120, -0.00105),
    (0.29198, 0.69225, 0.04189),
    (0.15710, 0.06657, 0.78407),
)
ADOBE_RGB_COLORANTS = (
    (0.60974, 0.31111, 0.01947),
    (0.20528, 0.62567, 0.06087),
    (0.14919, 0.06322, 0.74457),
)


def display_p3() -> bytes:
    """Return the profile of pictures from newer phones."""
    return _screen_profile(P3_COLORANTS, _srgb_curve())


def adobe_rgb() -> bytes:
    return _screen_profile(ADOBE_RGB_COLORANTS, _gamma_curve(2.2))


def dark_grey() -> bytes:
    """Return a profile of grey pictures with a gamma of 3."""
    return _profile(b"mntr", b"GRAY", b"XYZ ", {b"kTRC": _gamma_curve(3)})


def printer() -> bytes:
    """Return a CMYK profile with the table of an imaginary printer, whose inks are not pure."""
    return _profile(b"prtr", b"CMYK", b"Lab ", {b"A2B0": _printer_table()})


def free_formula() -> bytes:
    """Return a profile of screens with a formula besides the colorants, which may have any length."""
    matrix = b"matf" + bytes(4) + struct.pack(">HH12f", 3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
    formula = b"mpet" + bytes(4) + struct.pack(">HHIII", 3, 3, 1, 24, len(matrix)) + matrix
    return _screen_profile(P3_COLORANTS, _srgb_curve(), {b"D2B0": formula})


def _screen_profile(colorants, curve, tags=()):
    names = (b"rXYZ", b"gXYZ", b"bXYZ")
    primaries = {name: _xyz(*xyz) for name, xyz in zip(names, colorants, strict=True)}
    curves = dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), curve)
    return _profile(b"mntr", b"RGB ", b"XYZ ", primaries | curves | dict(tags))


def _profile(device_class, space, connection_space, tags):
    tags = {b"wtpt": _xyz(*D50)} | tags
    offset = 128 + 4 + 12 * len(tags)
    table, content = struct.pack(">I", len(tags)), b""
    for name, value in tags.items():
        table += name + struct.pack(">II", offset + len(content), len(value))
        content += value + bytes(-len(value) % 4)
    date = struct.pack(">6H", 2026, 1, 1, 0, 0, 0)
    header = struct.pack(">I4sI", offset + len(content), b"", 0x04200000)
    header += device_class + space + connection_space + date + b"acsp" + bytes(28)
    header += struct.pack(">3i", *map(_fixed, D50))
    return header.ljust(128, b"\0") + table + content


def _fixed(number):
    return round(number * 65_536)


def _xyz(*values):
    return b"XYZ " + bytes(4) + struct.pack(">3i", *map(_fixed, values))


def _srgb_curve():
    parameters = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    return b"para" + bytes(4) + struct.pack(">HH5i", 3, 0, *map(_fixed, parameters))


def _gamma_curve(gamma):
    return b"para" + bytes(4) + struct.pack(">HHi", 0, 0, _fixed(gamma))


def _printer_table():
    """Return the colors of all 16 combinations of the four inks, as Lab with eight bits."""
    head = b"mft1" + bytes(4) + bytes((4, 3, 2, 0))
    matrix = struct.pack(">9i", *map(_fixed, (1, 0, 0, 0, 1, 0, 0, 0, 1)))
    ramp = bytes(range(256))
    colors = b""
    for cyan, magenta, yellow, black in product((0, 1), repeat=4):
        lightness = (
            255 * (1 - 0.45 * cyan) * (1 - 0.5 * magenta) * (1 - 0.1 * yellow) * (1 - 0.85 * black)
        )
        red = 128 + (1 - black) * (70 * magenta - 35 * cyan)
        yellowness = 128 + (1 - black) * (80 * yellow - 45 * cyan)
        colors += bytes((round(lightness), round(red), round(yellowness)))
    return head + matrix + ramp * 4 + colors + ramp * 3
