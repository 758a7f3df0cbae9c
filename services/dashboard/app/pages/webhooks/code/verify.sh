# sh verify.sh BODY_FILE SIGNATURES: verifies a body with the value of the header X-Service-Signature-All.
signature=$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r "$1" | cut -d ' ' -f 1)
case " $2 " in
*" $signature "*) echo 'from Colophon' ;;
*) echo 'not from Colophon' >&2 && exit 1 ;;
esac
