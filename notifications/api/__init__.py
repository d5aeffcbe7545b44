"""The API of what people are told: notifications, where they have stopped reading (``markers``), what comes
by itself (``streaming``) and to devices (``subscription``)."""
