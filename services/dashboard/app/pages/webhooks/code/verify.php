<?php

function hasSignature(string $signatures, string $expected): bool
{
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/**
 * $body has the raw bytes, from php://input; $headers has lower-case names, from
 * array_change_key_case(getallheaders()).
 */
function isFromColophon(string $body, array $headers, string $secret): bool
{
    return hasSignature($headers['x-service-signature-all'] ?? '', hash_hmac('sha256', $body, $secret));
}

/** The same with Standard Webhooks, which also rejects callbacks older than five minutes. */
function isFreshFromColophon(string $body, array $headers, string $secret, ?float $now = null): bool
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signed = ($headers['webhook-id'] ?? '') . ".$timestamp.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    return hasSignature($headers['webhook-signature'] ?? '', $expected);
}
