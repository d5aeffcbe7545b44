"""What a post's plain text holds and how it looks.

Pure functions, no database: ``entities`` finds mentions, hashtags and addresses by the published
twitter-text rules, ``rendering`` makes HTML. How texts are kept: ``accounts.plaintext``.
"""
