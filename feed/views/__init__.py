"""Pages and forms: ``timelines``, single ``posts``, what people do with them (``marks``), ``comments``."""
