"""Which errors of the database pass by themselves: a new primary is being elected, a connection broke.

Whoever gets one tries again soon. All others (a full disk, a mistake of ours) tell of something that
has to be mended, and are tried less and less often.
"""

from pymongo.errors import BulkWriteError, ConnectionFailure, OperationFailure

TRANSIENT_LABELS = (
    "TransientTransactionError",
    "RetryableWriteError",
    "UnknownTransactionCommitResult",
)
TRANSIENT_CODES = {
    # The server's own words for "not the primary (any more)" and for what it breaks off then.
    *(11600, 11602, 10107, 13435, 13436, 189, 91),
    # A host or its network is away, or slow.
    *(6, 7, 89, 9001, 262),
    # Enough members answer again when the one that is away is back.
    *(64, 100, 133),
    # The server that held a cursor is not there any more.
    *(43, 237),
    # Two writers met in one document; a transaction was ended with its primary.
    *(112, 251),
}


def is_transient(*, error: BaseException | None) -> bool:
    """Whether the same is likely to succeed within seconds, without anybody doing anything."""
    while error is not None:
        if _passes(error):
            return True
        error = error.__cause__  # the ORM wraps the driver's errors
    return False


def _passes(error: BaseException) -> bool:
    if isinstance(error, ConnectionFailure):  # also NotPrimaryError and AutoReconnect
        return True
    if not isinstance(error, OperationFailure):
        return False
    if error.code in TRANSIENT_CODES or any(map(error.has_error_label, TRANSIENT_LABELS)):
        return True
    if isinstance(error, BulkWriteError):
        return _of_bulk(error)
    return False


def _of_bulk(error: BulkWriteError) -> bool:
    """All that went wrong in it passes. Its own code tells nothing."""
    details = error.details or {}
    wrong = [*details.get("writeErrors", ()), *details.get("writeConcernErrors", ())]
    return bool(wrong) and all(one.get("code") in TRANSIENT_CODES for one in wrong)
