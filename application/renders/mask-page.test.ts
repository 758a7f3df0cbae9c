import { expect, it } from 'vitest';
import { maskPage } from './mask-page.ts';

it('The warnings of a page with thousands of secrets are masked without a long stop of the event loop', () => {
  const secretOf = (index: number): string => `q${index.toString(36).padStart(3, '0')}`;
  const headers = Object.fromEntries(
    Array.from({ length: 20 }, (_, header) => [
      `X-${header}`,
      Array.from({ length: 200 }, (_, index) => secretOf(200 * header + index)).join(' '),
    ]),
  );
  const { warning } = maskPage({ url: 'https://example.com/', headers, cookies: [] });
  for (let index = 0; index < 1_000; index += 1)
    expect(
      warning({ kind: 'resource_failed', url: `https://example.com/${secretOf(index)}`, reason: 'x'.repeat(300) }),
    ).toMatchObject({ url: 'https://example.com/***' });
}, 60_000);
