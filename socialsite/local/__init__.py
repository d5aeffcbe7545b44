"""What `make` runs on one machine: set-up, the embedded MongoDB, the demo.

Of all this a real site uses ``address`` (by the settings) and ``server_check`` (to explain what is wrong
with a server).
"""
