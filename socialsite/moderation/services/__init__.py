"""What is done: reports (``reporting``), work on cases (``cases``), actions and their undoing (``acting``),
appeals (``appealing``), and what time brings (``keeping``). All of it is in the log (``auditing``).
"""
