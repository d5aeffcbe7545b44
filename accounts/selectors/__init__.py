"""What there is to read about people: who they are (``profiles``), who follows whom (``graph``), how a
viewer stands to them (``relations``), how they are
``described``, lists for pages (``pages``), which get cards, never model instances;
where mail to them goes (``addresses``); people to find: by ``names``, and
``suggestions``; and what is not let in (``guards``).
"""
