"""Create files for upload tests: pictures, and files that are not valid pictures."""

import io
import struct
import zipfile
import zlib
from contextlib import contextmanager

from PIL import ExifTags, Image


@contextmanager
def emptied(*folders):
    """Delete the files in these folders before and after the block."""

    def clear():
        for folder in folders:
            for file in folder.glob("*"):
                file.unlink()

    clear()
    yield
    clear()


def picture(kind="PNG", size=(60, 40), color="red", mode="RGB", **options):
    out = io.BytesIO()
    Image.new(mode, size, color).save(out, kind, **options)
    return out.getvalue()


def animation(kind, *, size=(60, 40), colors=("red", "lime", "blue"), duration=200, **options):
    """Return an animation with a frame of each color. ``duration``: milliseconds of each frame."""
    first, *others = (Image.new("RGB", size, color) for color in colors)
    out = io.BytesIO()
    first.save(out, kind, save_all=True, append_images=others, duration=duration, **options)
    return out.getvalue()


def png_header(width, height):
    """Return a PNG whose header states a size, but which contains no pixels."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    start = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + start + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("me.jpg", b"x" * 1000)
    return out.getvalue()


def swollen_gif():
    """Return a tiny GIF whose header and frame state a huge size.

    The frame has to be cleared after it is shown, so a decoder may allocate the full size.
    """
    size = struct.pack("<HH", 65_535, 65_535)
    wiped = b"\x21\xf9\x04\x08\0\0\0\0"
    frame = b"\x2c\0\0\0\0" + size + b"\0\x02\x02\x4c\x01\0"
    return b"GIF89a" + size + b"\x80\0\0" + b"\0" * 6 + wiped + frame + b";"


def many_scans(*, scans=198, claimed=(6000, 5480)):
    """Return a JPEG that draws the same picture in many scans, which makes decoding slow.

    Args:
        claimed: width and height in the header, in pixels.
    """
    content = picture("JPEG", (64, 64), "green", progressive=True)
    size = content.index(b"\xff\xc2") + 5
    content = content[:size] + struct.pack(">HH", *reversed(claimed)) + content[size + 4 :]
    last = content.rindex(b"\xff\xda")
    repeats = scans - content.count(b"\xff\xda")
    return content[:-2] + content[last:-2] * repeats + content[-2:]


def photograph():
    """Return a photograph with private metadata. The upright picture is blue above and red below."""
    exif = Image.Exif()
    exif[ExifTags.Base.Make] = "SecretCamera"
    exif[ExifTags.Base.Orientation] = 6
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] = (52.0, 31.0, 12.0)
    image = Image.new("RGB", (80, 40), "red")
    image.paste("blue", (0, 0, 40, 40))
    out = io.BytesIO()
    image.save(
        out, "JPEG", exif=exif, icc_profile=b"SecretProfile", comment=b"SecretComment", quality=95
    )
    return out.getvalue() + b"SecretTail<script>"


def assert_only_the_picture(content):
    """Assert that ``content`` shows the upright picture of ``photograph`` and contains no metadata."""
    assert b"Secret" not in content
    image = Image.open(io.BytesIO(content))
    assert len(image.getexif()) == 0
    assert not {"exif", "icc_profile", "xmp"} & image.info.keys()
    width, height = image.size
    assert image.convert("RGB").getpixel((width // 2, 2))[2] > 150
    assert image.convert("RGB").getpixel((width // 2, height - 3))[0] > 150
