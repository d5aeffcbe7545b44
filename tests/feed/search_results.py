"""Read the results of the search page."""


def found_usernames(response):
    return [row.card.username for row in response.context["people"]]


def found_texts(response):
    return [post.text for post in response.context["page"].posts]
