"""What the site does not let in, and whom it lets in by invitation: ``models``; ``values`` writes what is
typed in the one way in which it is kept and compared. Who asks: ``selectors.guards``.
"""
