"""Serializers of notifications."""
