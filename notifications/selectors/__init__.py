"""What somebody was told, in sentences: the newest (``page``), with those of one thing in one group, and
the history; and chosen items, for mails (``telling``)."""
