package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func sign(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

func hasSignature(signatures, expected string) bool {
	for _, signature := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true
		}
	}
	return false
}

// isFromColophon needs the raw bytes of the body, as io.ReadAll(request.Body) reads them.
func isFromColophon(body []byte, headers http.Header, secret string) bool {
	expected := hex.EncodeToString(sign([]byte(secret), body))
	return hasSignature(headers.Get("X-Service-Signature-All"), expected)
}

// isFreshFromColophon does the same with Standard Webhooks, which also rejects callbacks older than five minutes.
func isFreshFromColophon(body []byte, headers http.Header, secret string, now time.Time) bool {
	timestamp := headers.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	signed := []byte(headers.Get("Webhook-Id") + "." + timestamp + ".")
	expected := "v1," + base64.StdEncoding.EncodeToString(sign(key, signed, body))
	return hasSignature(headers.Get("Webhook-Signature"), expected)
}
