"""What also runs with the code of another commit (``against``). It needs nothing else of the tests."""
