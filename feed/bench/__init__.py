"""Measures what a delivery costs: ``manage.py feed_bench``.

``throwaway`` lends the strategies a database that is nobody's, ``workload`` says who reads and brings
their inboxes into a steady state, ``rivals`` are the loops to compare with, ``run`` takes turns with
them and a clock, ``report`` is for the eye.
"""
