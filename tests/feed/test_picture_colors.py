"""Uploaded pictures keep their colors: profiles, sixteen bits and the gamma of a PNG."""

import io
from struct import pack

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image, ImageCms
from PIL.PngImagePlugin import PngInfo

from accounts.brand.logos import square_logo
from accounts.infra import picture_colors, pictures
from accounts.models import User
from feed.models import Picture
from tests import color_profiles
from tests.api.api_client import Api
from tests.feed.picture_uploads import publish, served
from tests.socialsite.archive.zips import import_zip, note, zipped

SRGB = ImageCms.createProfile("sRGB")
P3_OF_RED, ADOBE_OF_GREEN = (234, 51, 35), (144, 255, 60)
"""What Display P3 and Adobe RGB call the red and the green of sRGB."""


def decoded(content):
    return pictures.decode_picture(upload=io.BytesIO(content), min_side=2048)


def ramp(mode):
    """Return a picture with many colors in each band."""
    bands = len(Image.new(mode, (1, 1)).getbands())
    size = (32, 32)
    return Image.frombytes(
        mode, size, bytes((7 * n + n // 32) % 256 for n in range(32 * 32 * bands))
    )


def saved(image, kind="PNG", **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def converted(image, profile, mode):
    """Return the conversion to sRGB that the profile describes."""
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    return ImageCms.profileToProfile(image, source, SRGB, outputMode=mode)


PROFILES = {
    "Display P3": ("RGB", color_profiles.display_p3(), ("PNG", "JPEG", "WEBP")),
    "Adobe RGB": ("RGB", color_profiles.adobe_rgb(), ("PNG", "JPEG", "WEBP")),
    "P3 with alpha": ("RGBA", color_profiles.display_p3(), ("PNG", "WEBP")),
    "CMYK": ("CMYK", color_profiles.printer(), ("JPEG",)),
    "grey": ("L", color_profiles.dark_grey(), ("PNG", "JPEG")),
}


@pytest.mark.parametrize(("mode", "profile", "kinds"), PROFILES.values(), ids=PROFILES)
def test_colors_are_converted_as_the_profile_says(mode, profile, kinds):
    for kind in kinds:
        lossless = {"lossless": True, "exact": True} if kind == "WEBP" else {}
        content = saved(ramp(mode), kind, icc_profile=profile, **lossless)
        result, original = decoded(content), Image.open(io.BytesIO(content))
        target = "RGBA" if mode == "RGBA" else "RGB"
        assert result.tobytes() == converted(original, profile, target).tobytes(), kind
        assert result.tobytes() != original.convert(target).tobytes()
        assert result.info == {}


@pytest.mark.parametrize(
    ("profile", "color", "srgb"),
    [
        (color_profiles.display_p3(), P3_OF_RED, (255, 0, 0)),
        (color_profiles.adobe_rgb(), ADOBE_OF_GREEN, (0, 255, 0)),
    ],
)
def test_colors_are_those_of_published_tables(profile, color, srgb):
    result = decoded(saved(Image.new("RGB", (9, 9), color), icc_profile=profile))
    assert result.getpixel((4, 4)) == pytest.approx(srgb, abs=2)


def test_a_grey_picture_with_alpha_keeps_both():
    content = saved(ramp("LA"), icc_profile=color_profiles.dark_grey())
    result, original = decoded(content), Image.open(io.BytesIO(content))
    assert result.getchannel("A").tobytes() == original.getchannel("A").tobytes()
    grey = converted(original.getchannel("L"), color_profiles.dark_grey(), "RGB")
    assert result.convert("RGB").tobytes() == grey.tobytes()


def test_palettes_are_converted():
    image = Image.new("RGB", (9, 9), P3_OF_RED).quantize(8)
    result = decoded(saved(image, icc_profile=color_profiles.display_p3()))
    assert result.getpixel((4, 4)) == pytest.approx((255, 0, 0), abs=2)


def test_grey_of_sixteen_bits_keeps_its_shades():
    shades = [*range(0, 65_536, 257)]
    image = Image.new("I;16", (len(shades), 1))
    image.putdata(shades)
    grey = list(decoded(saved(image)).getchannel("R").tobytes())
    assert grey == list(range(256))
    transparent = decoded(saved(image, transparency=257 * 40))
    assert (transparent.getpixel((40, 0))[3], transparent.getpixel((41, 0))[3]) == (0, 255)
    profile = color_profiles.dark_grey()
    expected = converted(Image.frombytes("L", (256, 1), bytes(range(256))), profile, "RGB")
    assert decoded(saved(image, icc_profile=profile)).tobytes() == expected.tobytes()


def test_the_frames_of_an_animation_are_converted():
    first, second = (Image.new("RGB", (9, 9), color) for color in (P3_OF_RED, (0, 0, 0)))
    content = saved(
        first,
        save_all=True,
        append_images=[second],
        duration=200,
        icc_profile=color_profiles.display_p3(),
    )
    animation = pictures.decode_animation(upload=io.BytesIO(content), side=480)
    assert animation.frames[0].getpixel((4, 4)) == pytest.approx((255, 0, 0), abs=2)
    assert b"ICCP" not in pictures.encode_animation(animation=animation)


UNUSABLE_PROFILES = {
    "damaged": color_profiles.display_p3()[:300],
    "nonsense": b"nonsense",
    "of printers": color_profiles.printer(),
    "of grey pictures": color_profiles.dark_grey(),
    "too large": color_profiles.display_p3() + bytes(picture_colors.MAX_PROFILE_BYTES),
}


@pytest.mark.parametrize("profile", UNUSABLE_PROFILES.values(), ids=UNUSABLE_PROFILES)
def test_a_profile_that_is_not_usable_changes_nothing(profile):
    result = decoded(saved(ramp("RGB"), "WEBP", lossless=True, icc_profile=profile))
    assert result.tobytes() == ramp("RGB").tobytes()


def test_a_formula_of_any_length_has_no_effect():
    with_formula, without = (
        decoded(saved(ramp("RGB"), icc_profile=profile))
        for profile in (color_profiles.free_formula(), color_profiles.display_p3())
    )
    assert with_formula.tobytes() == without.tobytes()


def test_the_profile_of_srgb_changes_nothing():
    profile = ImageCms.ImageCmsProfile(SRGB).tobytes()
    result = decoded(saved(ramp("RGB"), icc_profile=profile))
    assert result.tobytes() == ramp("RGB").tobytes()


def png_with(chunk, value, image):
    info = PngInfo()
    info.add(chunk, value)
    return saved(image, pnginfo=info)


@pytest.mark.parametrize(("gamma", "shade"), [(100_000, 128), (45_455, 55), (0, 55), (2**31, 55)])
def test_the_gamma_of_a_png_is_applied(gamma, shade):
    for image in (
        Image.new("RGB", (9, 9), (55, 55, 55)),
        Image.new("RGBA", (9, 9), (55, 55, 55, 55)),
    ):
        result = decoded(png_with(b"gAMA", pack(">I", gamma), image))
        assert result.getpixel((4, 4)) == (*[shade] * 3, 55)[: len(result.getbands())]


@pytest.mark.parametrize("key", ["gamma", "srgb", "icc_profile"])
def test_texts_with_the_names_of_color_data_have_no_effect(key):
    content = png_with(b"tEXt", key.encode() + b"\0text", ramp("RGB"))
    assert decoded(content).tobytes() == ramp("RGB").tobytes()


def is_red(content):
    image = Image.open(io.BytesIO(content)).convert("RGB")
    assert "icc_profile" not in image.info
    red, green, blue = image.getpixel((image.width // 2, image.height // 2))
    return red > 245 and green < 12 and blue < 12


@pytest.mark.usefixtures("no_pictures")
def test_every_kind_of_upload_keeps_its_colors(alice, bob, client):
    size = (90, 60)
    content = saved(Image.new("RGB", size, P3_OF_RED), icc_profile=color_profiles.display_p3())
    client.force_login(alice)
    post = publish(client, content)
    assert is_red(served(client, post, "large")[1])
    assert is_red(served(client, post, "small")[1])

    def file():
        return SimpleUploadedFile("me.png", content, content_type="image/png")

    media = Api(alice).form("media", {"file": file()}).json()
    assert is_red(b"".join(client.get(media["url"]).streaming_content))
    profile = {"avatar": file(), "header": file()}
    assert (
        Api(alice).form("accounts/update_credentials", profile, method="patch").status_code == 200
    )
    user = User.objects.get(pk=alice.pk)
    for path in (f"avatars/{user.avatar}.webp", f"headers/{user.header}.webp"):
        with default_storage.open(path) as stored_file:
            assert is_red(stored_file.read())
    assert is_red(square_logo(upload=io.BytesIO(content)))
    name = "media_attachments/files/1.png"
    attached = {"type": "Document", "mediaType": "image/png", "url": name, "name": "Red"}
    import_zip(zipped(note(1, attachment=[attached]), **{name: content}), bob)
    name = Picture.objects.get(owner=bob.pk).name
    with default_storage.open(f"pictures/{name}-large.webp") as stored_file:
        assert is_red(stored_file.read())
