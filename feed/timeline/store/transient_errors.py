"""Transient database errors, such as an election of a new primary or a broken connection.

After a transient error, an operation is retried within seconds. Other errors, such as a full disk or a bug,
need a fix by an operator, so the operation is retried at growing intervals.
"""

from pymongo.errors import ConnectionFailure, OperationFailure

TRANSIENT_LABELS = (
    "TransientTransactionError",
    "RetryableWriteError",
    "UnknownTransactionCommitResult",
)
TRANSIENT_CODES = {
    # The server is not the primary, or interrupts operations because it steps down or shuts down.
    *(11600, 11602, 10107, 13435, 13436, 189, 91),
    # A host or its network is unreachable or slow.
    *(6, 7, 89, 9001, 262),
    # Too few members are reachable to satisfy the write or read concern.
    *(64, 100, 133),
    # The server that held the cursor is gone.
    *(43, 237),
    # Two writers conflicted, or the primary that held the transaction is gone.
    *(112, 251),
}


def is_transient(*, error: BaseException | None) -> bool:
    """Return whether the same operation is likely to succeed within seconds."""
    while error is not None:
        if _is_transient_itself(error):
            return True
        error = error.__cause__  # the ORM wraps the driver's errors
    return False


def _is_transient_itself(error: BaseException) -> bool:
    if isinstance(error, ConnectionFailure):  # also NotPrimaryError and AutoReconnect
        return True
    if not isinstance(error, OperationFailure):
        return False
    if error.code in TRANSIENT_CODES or any(map(error.has_error_label, TRANSIENT_LABELS)):
        return True
    # A ``BulkWriteError`` has the same code for all causes, so the codes of its single errors decide.
    details = error.details or {}
    errors = [*details.get("writeErrors", ()), *details.get("writeConcernErrors", ())]
    return bool(errors) and all(error.get("code") in TRANSIENT_CODES for error in errors)
