# sh send.sh URL BODY_FILE: sends a signed body to your own receiver, without the service.
signature=$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r "$2" | cut -d ' ' -f 1)
curl -sS --fail-with-body "$1" -H 'Content-Type: application/json' -H "X-Service-Signature: $signature" \
  -H "X-Service-Signature-All: $signature" --data-binary "@$2"
