import base64
import hashlib
import hmac
import time


def is_from_colophon(body: bytes, headers: dict, secret: str) -> bool:
    """`body` has the raw bytes; `headers` has lower-case names."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    signatures = headers.get("x-service-signature-all", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in signatures)


def is_fresh_from_colophon(body: bytes, headers: dict, secret: str, now: float | None = None) -> bool:
    """The same with Standard Webhooks, which also rejects callbacks older than five minutes."""
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs((time.time() if now is None else now) - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in signatures)
