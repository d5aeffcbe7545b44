"""What open pages are told without asking: ``hub`` hears of it, once for all pages of a process; ``events``
is what one page gets."""
