"""Link cards: the title, description, author and picture of the page that a post links to.

``links`` decides which link of a post gets a card, ``page_data`` reads a page, ``jobs`` fetches cards and
stores them (decision 0023).
"""
