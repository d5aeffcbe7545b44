"""Link cards: the title, description, author and picture of the page that a post links to.

``page_data`` reads a page, ``cards`` decides which link of a post gets a card, fetches cards and stores
them (decision 0023).
"""
