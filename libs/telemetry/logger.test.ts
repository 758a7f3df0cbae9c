import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger, secretFields } from './logger.ts';

const written = (
  write: (log: ReturnType<typeof createLogger>) => void,
  logLevel: 'info' | 'warn' = 'info',
  logFormat: 'json' | 'pretty' = 'json',
): string => {
  const lines: string[] = [];
  const out = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });
  write(createLogger({ logLevel, logFormat }, out));
  return lines.join('');
};

const secret = 'M0st-Secret';

test('A line is one JSON object with level name, ISO time and ids', () => {
  const line = JSON.parse(written((log) => log.info({ render: 'render_1' }, 'rendered')));
  expect(line).toMatchObject({ level: 'info', render: 'render_1', msg: 'rendered' });
  expect(new Date(line.time).toISOString()).toBe(line.time);
});

test('Lines below the configured level are not written', () => {
  expect(written((log) => log.info('not this'), 'warn')).toBe('');
});

test.each(secretFields)('The value of a field %s is never written, at any depth', (field) => {
  for (const fields of [
    { [field]: secret },
    { request: { [field]: secret } },
    { request: { headers: { [field]: secret } } },
  ]) {
    const line = written((log) => log.info(fields, 'seen'));
    expect(line).not.toContain(secret);
    expect(JSON.parse(line).msg).toBe('seen');
  }
});

test('A document in an object is not written', () => {
  expect(
    written((log) => log.info({ data: { a: { b: secret } }, body: { data: [{ c: secret }] } }, 'seen')),
  ).not.toContain(secret);
});

test('API keys and download tokens are redacted in messages, errors and URLs', () => {
  const line = written((log) =>
    log.error(
      { err: new Error(`svc_live_${secret} is unknown`), url: `/download/render_1?token=${secret}&x=1` },
      `svc_test_${secret} came`,
    ),
  );
  expect(line).not.toContain(secret);
  expect(line).toContain('x=1');
});

test('Redaction never breaks the JSON of a line', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'token', 'data', 'html', 'key'), fc.jsonValue()),
      fc.string(),
      (fields, message) => {
        const line = written((log) => log.info({ fields }, message));
        expect(() => JSON.parse(line)).not.toThrow();
      },
    ),
  );
});

test('On a terminal a line is readable text without secrets', () => {
  const line = written((log) => log.warn({ render: 'render_1', token: secret }, 'slow'), 'info', 'pretty');
  expect(line).toMatch(/WARN: slow/);
  expect(line).toContain('render_1');
  expect(line).not.toContain(secret);
});
