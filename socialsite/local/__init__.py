"""What `make` runs on one machine: set-up, the embedded MongoDB, the demo."""
