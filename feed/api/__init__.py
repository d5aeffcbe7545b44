"""The API of posts, comments and people: ``entities`` makes JSON of what selectors return; the rest has the
endpoints, which call services and selectors as the pages do."""
