"""The password hasher for client secrets."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class ClientSecretHasher(PBKDF2PasswordHasher):
    """Hash client secrets with a single iteration.

    A secret is 128 random characters, so nobody can guess a secret from its digest. Slow hashing would only
    let anonymous requests to the token endpoint use up the processor.
    """

    algorithm = "client_secret"
    iterations = 1
