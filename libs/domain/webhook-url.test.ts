import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxWebhookUrlLength } from '#contracts/http/webhook.ts';
import { mask, maskUrl } from './webhook-url.ts';

describe('The URL of a webhook is shown', () => {
  test.each([
    'https://example.com',
    'https://example.com/',
    'https://example.com:8443/hooks/pdf-ready',
    'https://example.com/v2/callbackUrl/12',
    'https://127.0.0.1:9000/hook',
    'https://example.com/api/webhooks/pdf_done.php',
  ])('unchanged if nothing in it can be a credential: %s', (url) => {
    expect(maskUrl(url)).toEqual({ url, isMasked: false });
  });

  test.each([
    ['https://example.com/hook?token=abc&empty=&flag', 'https://example.com/hook?token=***&empty=***&***'],
    [
      'https://hooks.slack.com/services/T01ABCDEF/B02GHIJKL/x7Yq9ZpLm3Kd0sVt',
      'https://hooks.slack.com/services/***/***/***',
    ],
    ['https://discord.com/api/webhooks/1122334455667788/aB-cD_eF1', 'https://discord.com/api/webhooks/***/***'],
    ['https://api.telegram.org/bot123456:AAExample/sendMessage', 'https://api.telegram.org/***/sendMessage'],
    ['https://example.com/0b6c2f4e-8a1d-4a7e-9a53-3a1f0de8c111/', 'https://example.com/***/'],
    ['https://example.com/%68ook', 'https://example.com/***'],
    ['https://example.com/hook?8f3a2c1d9e=1', 'https://example.com/hook?***=***'],
  ])('with possible credentials masked: %s', (original, url) => {
    expect(maskUrl(original)).toEqual({ url, isMasked: true });
  });

  test.each([
    ['https://example.com/hook#k9Q2z7X1', 'https://example.com/hook'],
    ['https://example.com/k9Q2z7X1/../hook', 'https://example.com/hook'],
    ['https://EXAMPLE.com:443/hook', 'https://example.com/hook'],
  ])('in the normalised form that is called: %s', (original, url) => {
    expect(maskUrl(original)).toEqual({ url, isMasked: false });
  });

  test('with at most the maximum length of a webhook URL', () => {
    expect(maskUrl(`https://example.com/?${'&'.repeat(2000)}`)).toEqual({
      url: 'https://example.com/***',
      isMasked: true,
    });
    const longer = `https://${'ü'.repeat(40)}.example/${'hooks/'.repeat(331)}`;
    expect([longer.length <= maxWebhookUrlLength, maskUrl(`${longer}hooks`).url.length <= maxWebhookUrlLength]).toEqual(
      [true, true],
    );
  });

  test('without a random key at any position; an unmasked URL has the same target', () => {
    const key = fc.integer({ min: 12, max: 40 }).map((length) => randomBytes(length).toString('base64url'));
    const url = fc.tuple(
      key,
      fc.constantFrom(
        '/KEY',
        '/hooks/KEY',
        '/hooks/KEY/end',
        '/hook?KEY',
        '/hook?key=KEY',
        '/hook?KEY=1',
        '/hook?a=1&b=KEY',
        '/hook#KEY',
        '/KEY/../hook',
      ),
    );
    fc.assert(
      fc.property(url, ([secret, path]) => {
        const whole = `https://example.com${path.replace('KEY', secret)}`;
        const { url: shown, isMasked } = maskUrl(whole);
        expect(shown).not.toContain(secret);
        expect(isMasked).toBe(shown.includes(mask));
        if (!isMasked) expect(new URL(shown).href).toBe(new URL(whole).href.replace(/#.*/, ''));
      }),
    );
  });
});
