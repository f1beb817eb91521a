"""The tokens Prolific signs its addresses with, and the keys it publishes for checking them."""

from __future__ import annotations

import datetime as dt
from functools import cached_property
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm

VALID: Final = dt.timedelta(minutes=2)


class Signer:
    """A key pair, made when it is first needed."""

    def __init__(self, kid: str = "rehearsal") -> None:
        self.kid = kid

    @cached_property
    def key(self) -> RSAPrivateKey:
        return generate_private_key(public_exponent=65537, key_size=2048)

    def published(self) -> dict[str, Any]:
        """The JSON Web Key Set, as Prolific's document has it."""
        public = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": self.kid, "alg": "RS256", "use": "sig"}]}

    def token(
        self, submission: str, address: str, signed: dict[str, str], *, now: dt.datetime
    ) -> str:
        claims = {
            "iss": "https://www.prolific.com",
            "iat": now,
            "exp": now + VALID,
            "aud": address,
            "sub": submission,
            "prolific": signed,
        }
        return self.sign(claims)

    def sign(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": self.kid})
