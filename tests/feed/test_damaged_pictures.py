"""Slightly damaged pictures, which browsers show, are accepted. Others are called damaged."""

import io
import struct
import zlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image, ImageChops

from accounts.infra import pictures
from tests import color_profiles
from tests.api.api_client import Api
from tests.feed.picture_uploads import media_of, send
from tests.uploads import animation, picture, png_header, zipped

DAMAGED = "This picture is damaged."
SIZE = (64, 64)


def decoded(content):
    return pictures.decode_picture(upload=io.BytesIO(content), min_side=2048)


def original(mode="RGB"):
    """Return a picture of stripes, whose files contain as many bytes above as below."""
    return Image.radial_gradient("L").resize(SIZE).convert(mode)


def saved(kind, image=None, **options):
    out = io.BytesIO()
    (image or original()).save(out, kind, **options)
    return out.getvalue()


def chunk(kind, data, *, checksum=None):
    checksum = zlib.crc32(kind + data) if checksum is None else checksum
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def png(*chunks):
    """Return a PNG with chunks in front of its pixels."""
    content = saved("PNG")
    return content[:33] + b"".join(chunks) + content[33:]


def late_png(*chunks):
    """Return a PNG with chunks behind its pixels."""
    content = saved("PNG")
    return content[:-12] + b"".join(chunks) + content[-12:]


def jpeg(marker, data):
    """Return a JPEG with a segment in front of its pixels."""
    content = saved("JPEG")
    return content[:2] + struct.pack(">BBH", 255, marker, len(data) + 2) + data + content[2:]


def flipped(content, position):
    changed = bytearray(content)
    changed[position] ^= 85
    return bytes(changed)


LARGE_TEXT = b"a\0\0" + zlib.compress(b"x" * 2**21)
UNDAMAGED_PIXELS = {
    "JPEG without an end": lambda: saved("JPEG")[:-2],
    "JPEG with half an end": lambda: saved("JPEG")[:-1],
    "short JFIF": lambda: jpeg(0xE0, b"JFIF"),
    "short profile": lambda: jpeg(0xE2, b"ICC_PROFILE\0"),
    "short Adobe": lambda: jpeg(0xEE, b"Adobe"),
    "Exif data": lambda: jpeg(0xE1, b"Exif\0\0nonsense"),
    "Exif data that end": lambda: jpeg(
        0xE1, b"Exif\0\0MM\0*\0\0\0\x08\0\x05\1\x12\0\3\0\0\0\1\0\6\0\0"
    ),
    "list of pictures": lambda: jpeg(0xE2, b"MPF\0nonsense"),
    "PNG without an end": lambda: saved("PNG")[:-12],
    "checksum of a text": lambda: png(chunk(b"tEXt", b"a\0b", checksum=1)),
    "checksum of pixels": lambda: flipped(saved("PNG"), -14),
    "short profile of a PNG": lambda: png(chunk(b"iCCP", b"x")),
    "compression of a profile": lambda: png(chunk(b"iCCP", b"x\0\1abc")),
    "short gamma": lambda: png(chunk(b"gAMA", b"")),
    "short resolution": lambda: png(chunk(b"pHYs", b"")),
    "Exif data of a PNG": lambda: png(chunk(b"eXIf", b"nonsense")),
    "short animation": lambda: png(chunk(b"acTL", b"x")),
    "animation without frames": lambda: png(chunk(b"acTL", bytes(8))),
    "frame numbers": lambda: png(
        chunk(b"acTL", b"\0\0\0\2" + bytes(4)), chunk(b"fcTL", b"\5" * 26)
    ),
    "claimed frames": lambda: png(chunk(b"acTL", b"\0\0\0\2" + bytes(4))),
    "claimed frame without pixels": lambda: png(
        chunk(b"acTL", b"\0\0\0\2" + bytes(4)),
        chunk(b"fcTL", struct.pack(">5I2H2B", 0, *SIZE, 0, 0, 1, 10, 0, 0)),
    ),
    "late claimed frames": lambda: late_png(chunk(b"acTL", b"\0\0\0\2" + bytes(4))),
    "large text": lambda: png(chunk(b"zTXt", LARGE_TEXT)),
    "large text at the end": lambda: late_png(chunk(b"zTXt", LARGE_TEXT)),
}


@pytest.mark.parametrize("content", UNDAMAGED_PIXELS.values(), ids=UNDAMAGED_PIXELS)
def test_damage_outside_of_the_pixels_changes_nothing(content):
    difference = ImageChops.difference(decoded(content()), original())
    assert max(high for _, high in difference.getextrema()) < 12  # JPEG


WRONG_LENGTHS = [
    ("L", 0),
    ("L", 1),
    ("L", 3),
    ("RGB", 2),
    ("RGB", 5),
    ("RGB", 7),
    ("P", 0),
    ("P", 257),
]


@pytest.mark.parametrize(("mode", "length"), WRONG_LENGTHS)
def test_a_transparent_color_of_a_wrong_length_has_no_effect(mode, length):
    """Decoders of browsers (libpng) ignore such a chunk. The color profile stays."""
    image = Image.new(mode, SIZE, 0)
    profile = color_profiles.display_p3() if mode == "RGB" else b""
    content = saved("PNG", image, icc_profile=profile)
    position = content.index(b"IDAT") - 4
    wrong = content[:position] + chunk(b"tRNS", bytes(length)) + content[position:]
    assert decoded(wrong).tobytes() == decoded(content).tobytes()
    assert decoded(wrong).mode == "RGB"


@pytest.mark.parametrize(
    ("channels", "depth"), [(1, 1), (1, 2), (1, 4), (1, 8), (1, 16), (3, 8), (3, 16)]
)
def test_the_transparent_color_of_a_png_is_that_of_its_depth(channels, depth):
    levels = [0, 1] if depth == 1 else [0, 1, 2**depth // 2, 2**depth - 1]
    for transparent in levels:
        header = struct.pack(">IIBBBBB", len(levels), 1, depth, channels - 1, 0, 0, 0)
        bits = "".join(f"{level:0{depth}b}" * channels for level in levels).ljust(8, "0")
        row = b"\0" + int(bits, 2).to_bytes(len(bits) // 8)
        color = struct.pack(">H", transparent) * channels
        parts = [(b"IHDR", header), (b"tRNS", color), (b"IDAT", zlib.compress(row)), (b"IEND", b"")]
        result = decoded(b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts))
        shown = [level >> max(depth - 8, 0) for level in levels]
        expected = [0 if level == transparent >> max(depth - 8, 0) else 255 for level in shown]
        assert list(result.getchannel("A").tobytes()) == expected, transparent


def shortened(kind, share, mode="RGB", **options):
    content = saved(kind, original(mode), **options)
    return content[: round(len(content) * share)]


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "P"])
def test_a_png_that_ends_early_keeps_its_rows(mode):
    content = shortened("PNG", 0.93, mode)
    result, expected = decoded(content), original(mode).convert("RGB")
    top = (0, 0, 64, 48)
    assert result.convert("RGB").crop(top).tobytes() == expected.crop(top).tobytes()


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_that_ends_early_keeps_its_rows(mode, progressive):
    result = decoded(shortened("JPEG", 0.95, mode, progressive=progressive))
    expected = original(mode).convert("RGB")
    difference = ImageChops.difference(result, expected).crop((0, 0, 64, 48))
    assert max(high for _, high in difference.getextrema()) < 40


@pytest.mark.parametrize("position", [-60, -18])
def test_a_damaged_byte_among_the_last_pixels_is_accepted(position):
    top = (0, 0, 64, 48)
    result = decoded(flipped(saved("PNG"), position))
    assert result.crop(top).tobytes() == original().crop(top).tobytes()


TOO_DAMAGED = {
    "start of a JPEG": lambda: picture("JPEG", (300, 300), "green")[:700],
    "half a JPEG": lambda: saved("JPEG", Image.effect_noise((300, 300), 80))[:30_000],
    "header of a JPEG": lambda: saved("JPEG")[:200],
    "start of a PNG": lambda: picture("PNG", (300, 300))[:200],
    "half a PNG": lambda: shortened("PNG", 0.5),
    "half an interlaced PNG": lambda: interlaced()[:-40],
    "early byte of a PNG": lambda: flipped(saved("PNG"), 80),
    "PNG without pixels": lambda: png_header(10, 10),
    "PNG without a size": lambda: png_header(0, 0),
    "half a GIF": lambda: shortened("GIF", 0.5),
    "half a WebP": lambda: shortened("WEBP", 0.5),
    "half an animation": lambda: animation("WEBP", size=(300, 300))[:300],
}


def interlaced():
    """Return a PNG that claims to be interlaced."""
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 1)
    pixels = chunk(b"IDAT", zlib.compress(bytes(range(200)) * 2))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")


@pytest.mark.parametrize("content", TOO_DAMAGED.values(), ids=TOO_DAMAGED)
def test_pictures_that_lack_too_much_are_called_damaged(content):
    with pytest.raises(pictures.BadPicture, match=DAMAGED):
        decoded(content())


@pytest.mark.parametrize(
    "content", [b"text", zipped(), b"RIFF1234WAVE", b"\0\0\0\x18ftypheic", b""]
)
def test_other_files_are_not_called_damaged(content):
    with pytest.raises(pictures.BadPicture, match="This file is not a supported picture"):
        decoded(content)


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
def test_an_animation_with_a_damaged_frame_shows_its_first_frame(kind):
    content = animation(kind, size=(300, 300))
    content = content[: round(len(content) * 0.9)]
    assert pictures.decode_animation(upload=io.BytesIO(content), side=480) is None
    assert decoded(content).convert("RGB").getpixel((5, 5)) == (255, 0, 0)


@pytest.mark.parametrize("later_colors", [("lime", "blue"), ("lime",)])
def test_an_animated_png_skips_a_picture_that_is_no_frame(later_colors):
    content = animation("PNG", colors=("red", *later_colors), default_image=True)
    result = pictures.decode_animation(upload=io.BytesIO(content), side=480)
    assert decoded(content).convert("RGB").getpixel((5, 5)) == (0, 255, 0)
    if len(later_colors) == 1:
        assert result is None
    else:
        colors = [frame.convert("RGB").getpixel((5, 5)) for frame in result.frames]
        assert colors == [(0, 255, 0), (0, 0, 255)]
        assert result.durations == [200, 200]


def test_the_frames_of_an_animated_png_are_not_drawn_on_a_picture_that_is_no_frame():
    red, clear = Image.new("RGBA", SIZE, "red"), Image.new("RGBA", SIZE)
    clear.paste("lime", (0, 0, 32, 64))
    options = {"save_all": True, "default_image": True, "append_images": [clear, red], "blend": 1}
    result = decoded(saved("PNG", red, **options))
    assert (result.getpixel((5, 5)), result.getpixel((60, 5))[3]) == ((0, 255, 0, 255), 0)


@pytest.mark.usefixtures("no_pictures")
def test_pages_and_apps_accept_slightly_damaged_pictures(alice, client):
    client.force_login(alice)
    assert len(media_of(send(client, saved("JPEG")[:-2], shortened("PNG", 0.93)))) == 2
    assert DAMAGED in send(client, shortened("PNG", 0.5)).content.decode()
    for share, status in ((0.93, 200), (0.5, 422)):
        for kind, field in (("media", "file"), ("accounts/update_credentials", "avatar")):
            file = SimpleUploadedFile("me.png", shortened("PNG", share), content_type="image/png")
            method = "post" if kind == "media" else "patch"
            response = Api(alice).form(kind, {field: file}, method=method)
            assert response.status_code == status
            assert (DAMAGED in response.content.decode()) == (status == 422)
