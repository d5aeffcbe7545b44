"""What a browser is called in a list, of what it says of itself."""

# In this order: most say that they are several.
BROWSERS = {
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS": "Mac",
    "Linux": "Linux",
}


def label_of(*, agent: str) -> str:
    """Such as "Firefox · Android"; "" if neither is known."""
    found = (
        next((name for mark, name in names.items() if mark in agent), "")
        for names in (BROWSERS, SYSTEMS)
    )
    return " · ".join(name for name in found if name)
