"""The activity kinds that viewers answer, one module for each.

Such a kind is one class: its fields, its details, its rules for answers and edits, and a card, which
``feed/kinds/<name>.html`` shows. ``store.answers`` counts the answers.
"""

from .polls import PollView

AnswerCard = PollView
"""The cards of all these kinds, as one viewer sees them.

Each has ``check_answer``, ``can_answer``, ``is_over``, ``is_answer_final`` and the three messages.
"""
