"""The API of notifications: lists, markers, streams (``streaming``) and push subscriptions."""
