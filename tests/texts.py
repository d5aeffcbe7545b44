# ruff: noqa: RUF001 - tests need letters that look like ASCII letters
"""A Hypothesis strategy for arbitrary texts and for texts with mentions, hashtags, links and markup."""

from hypothesis import strategies as st

PIECES = [
    *["@alice", "＠bob", "@", "@a.b", "RT", "#tag", "＃漢字", "#", "_", "me@x.org"],
    *[
        "http://",
        "https://",
        "HTTP://",
        "example.com",
        "a.co.jp",
        "みんな",
        "中国語",
        "xn--",
        "t.co/abc",
    ],
    *["ä.de", "/", "/a_(b)", "?q=1", "://", ".", "..", "-", "(", ")", ":80", "é", "한국", "б"],
    *["（", "）", "！", "「", "」", "ı", "İ", "ß", "\u0307"],
    *["<script>", '"', "'", "&", "&amp;", "<", ">", "javascript:", "onclick="],
    *[" ", "\n", "\r\n", "\t", "\x00", "\u200b", "\u200c", "\u200d", "\ufe0f", "\ufeff", "\u2028"],
    *["\u202a", "\u202e", "\u202c", "\u2067", "\u2069", "\u0301", "\u0323", "ǖ", "👨‍👩‍👧", "❤️"],
]

texts = st.one_of(
    st.text(),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=30).map("".join),
)
