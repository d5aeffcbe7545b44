"""What moderators read: a case with all around it (``case_page``, ``content``), what there is to do
(``overview``), who is meant (``names``), ``people`` for programs; and what everybody may know of the
``site``."""
