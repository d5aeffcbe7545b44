"""None: notifications are in raw collections (``store``). Django tells only apps with this module that the
database has been migrated, which is when their indexes are made."""
