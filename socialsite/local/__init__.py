"""Tools that ``make`` runs on a development machine: set-up, the embedded MongoDB, the demo.

Production sites only use ``mongodb_uri`` (in the settings) and ``server_check`` (to report problems with
a server).
"""
