import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeSettings, loadSettings, SettingsError } from './settings.ts';
import { settingTable } from './setting-table.ts';
import { findUnknownVariables } from './unknown-variables.ts';

const minimalEnvironment = { PATH: '' };
const settingsErrorOf = (env: Record<string, string>): string => {
  try {
    loadSettings({ ...minimalEnvironment, ...env });
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
  throw new Error('The settings were accepted.');
};

describe('Without any variable', () => {
  test('the service listens on loopback, port 8080, with embedded engines', () => {
    expect(loadSettings(minimalEnvironment)).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      baseUrl: 'http://127.0.0.1:8080',
      dataDir: './data',
      eventStoreUrl: 'sqlite:',
      busUrl: 'memory:',
      readStoreUrl: 'sqlite:',
      blobStoreUrl: 'file:',
      egressAllow: [],
      countAsyncTowardRateLimit: true,
    });
  });

  test('an empty variable counts as one that is not set', () => {
    expect(loadSettings({ ...minimalEnvironment, PORT: '', TLS_CERT_FILE: '' })).toEqual(
      loadSettings(minimalEnvironment),
    );
  });
});

describe('A value', () => {
  test('of BASE_URL is derived from host, port and TLS unless it is set', () => {
    expect(loadSettings({ ...minimalEnvironment, HOST: '::1', PORT: '9000' }).baseUrl).toBe('http://[::1]:9000');
    expect(loadSettings({ ...minimalEnvironment, HOST: '0.0.0.0' }).baseUrl).toBe('http://localhost:8080');
    expect(
      loadSettings({ ...minimalEnvironment, TLS_CERT_FILE: process.execPath, TLS_KEY_FILE: process.execPath }).baseUrl,
    ).toBe('https://127.0.0.1:8080');
    expect(loadSettings({ ...minimalEnvironment, PORT: '9000', BASE_URL: 'https://pdf.example' }).baseUrl).toBe(
      'https://pdf.example',
    );
    expect(loadSettings({ ...minimalEnvironment, BASE_URL: 'https://pdf.example/a//' }).baseUrl).toBe(
      'https://pdf.example/a',
    );
  });

  test('that is a list is split at commas and trimmed', () => {
    expect(
      loadSettings({ ...minimalEnvironment, COLOPHON_EGRESS_ALLOW: 'intranet:8443, 10.0.0.0/8,' }).egressAllow,
    ).toEqual(['intranet:8443', '10.0.0.0/8']);
  });

  test('of PUPPETEER_EXECUTABLE_PATH selects the browser', () => {
    expect(loadSettings({ ...minimalEnvironment, PUPPETEER_EXECUTABLE_PATH: process.execPath }).browserFile).toBe(
      process.execPath,
    );
  });
});

describe('A wrong setting', () => {
  test.each([
    ['COLOPHON_SECRET', 'base64:dG9vIHNob3J0', 'base64: and the content of a secret.key'],
    [
      'COLOPHON_PREVIOUS_SECRETS',
      `${'x'.repeat(32)},short`,
      'a comma-separated list of values that COLOPHON_SECRET allows; a secret with a comma must be base64: and its base64',
    ],
  ])('is reported without its value if it is a secret: %s', (variable, value, allowed) => {
    expect(settingsErrorOf({ [variable]: value })).toContain(`${variable} is "***"; allowed is`);
    expect(settingsErrorOf({ [variable]: value })).toContain(allowed);
  });

  test.each([
    ['PORT', 'eighty', 'a whole number from 0 to 65535'],
    ['PORT', '65536', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['HOST', 'http://x', 'an address or host name of this machine'],
    ['HOST', '999.1.1.1', 'an address or host name of this machine'],
    ['HOST', '::1]/', 'an address or host name of this machine'],
    ['HOST', ':8080', 'an address or host name of this machine'],
    ['BASE_URL', 'example.org', 'a URL that begins with http:// or https://, without user name'],
    ['BASE_URL', 'https://x.example/?b', 'a URL that begins with http:// or https://, without user name'],
    ['BASE_URL', 'https://x.example/#d', 'a URL that begins with http:// or https://, without user name'],
    ['EVENT_STORE_URL', 'postgres://x', 'sqlite: or kurrentdb://'],
    ['BUS_URL', 'amqp://x', 'memory: or nats://'],
    ['BLOB_STORE_URL', 's3:bucket', 'file: or gridfs:'],
    ['RENDER_CONCURRENCY', '0', 'a whole number from 1 to 256'],
    ['COUNT_ASYNC_TOWARD_RATE_LIMIT', 'yes', 'true or false'],
    ['COLOPHON_EGRESS_ALLOW', '10.0.0.0/99', 'address ranges'],
    ['COLOPHON_EGRESS_CA_FILE', '/does/not/exist', 'a file of certificates in PEM'],
    ['COLOPHON_EGRESS_CA_FILE', '/etc/passwd', 'a file of certificates in PEM'],
    ['PUPPETEER_EXECUTABLE_PATH', '/etc/passwd', 'a file that this user can execute'],
    ['LOG_LEVEL', 'loud', 'one of trace, debug'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a number from 0 to 1'],
  ])('is reported with its name, its value and what is allowed: %s=%s', (variable, value, allowed) => {
    const message = settingsErrorOf({ [variable]: value });
    expect(message).toContain(`${variable} is ${JSON.stringify(value)}; allowed is `);
    expect(message).toContain(allowed);
    expect(message.split('\n')).toHaveLength(1);
  });

  test('is reported together with all others, but without defaults derived from it', () => {
    expect(
      settingsErrorOf({ PORT: 'x', LOG_LEVEL: 'y' })
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['PORT', 'LOG_LEVEL']);
  });

  test('can be a certificate without its key, or a key without its certificate', () => {
    expect(settingsErrorOf({ TLS_CERT_FILE: process.execPath })).toContain('TLS_CERT_FILE is set without TLS_KEY_FILE');
    expect(settingsErrorOf({ TLS_KEY_FILE: process.execPath })).toContain('TLS_KEY_FILE is set without TLS_CERT_FILE');
  });

  test('can be a part of those of an identity provider; all missing ones are named', () => {
    const issuer = { OIDC_ISSUER: 'https://id.example' };
    expect(settingsErrorOf(issuer)).toBe(
      'OIDC_ISSUER is set without OIDC_CLIENT_ID and OIDC_CLIENT_SECRET; allowed is all three or none.',
    );
    expect(settingsErrorOf({ ...issuer, OIDC_CLIENT_SECRET: 'x' })).toBe(
      'OIDC_ISSUER and OIDC_CLIENT_SECRET are set without OIDC_CLIENT_ID; allowed is all three or none.',
    );
  });

  test('can be an event log on a server without a secret', () => {
    const servers = { EVENT_STORE_URL: 'kurrentdb://host', BUS_URL: 'nats://host', READ_STORE_URL: 'mongodb://host' };
    expect(settingsErrorOf(servers)).toContain('COLOPHON_SECRET is missing');
    expect(loadSettings({ ...servers, COLOPHON_SECRET: 'x'.repeat(32) }).eventStoreUrl).toBe('kurrentdb://host');
  });

  test('can be an event log and a bus on servers with read models in a file; both are named', () => {
    expect(
      settingsErrorOf({ EVENT_STORE_URL: 'kurrentdb://host', BUS_URL: 'nats://host', COLOPHON_SECRET: 'x'.repeat(32) }),
    ).toMatch(/^EVENT_STORE_URL and BUS_URL name servers, but READ_STORE_URL names a file/);
  });

  test('is reported without the password in an address', () => {
    expect(settingsErrorOf({ EVENT_STORE_URL: 'postgres://admin:changeit@host' })).not.toContain('changeit');
    expect(settingsErrorOf({ OTEL_EXPORTER_OTLP_HEADERS: 'changeit' })).not.toContain('changeit');
  });
});

describe('The description of the settings', () => {
  test('has for each setting a sentence, what is allowed, its value and the source of the value', () => {
    const descriptions = describeSettings({ ...minimalEnvironment, PORT: '9000' });
    expect(descriptions).toHaveLength(Object.keys(settingTable).length);
    expect(
      descriptions.every(({ description, allowedValues }) => description.endsWith('.') && allowedValues.length > 3),
    ).toBe(true);
    expect(descriptions.find(({ variable }) => variable === 'PORT')).toMatchObject({
      value: '9000',
      source: 'environment',
    });
    expect(descriptions.find(({ variable }) => variable === 'HOST')).toMatchObject({
      value: '127.0.0.1',
      source: 'default',
    });
  });

  test('masks passwords and tokens, also when another value is wrong', () => {
    const shown = JSON.stringify(
      describeSettings({
        ...minimalEnvironment,
        PORT: 'x',
        BUS_URL: 'nats://u:hunter2@h',
        READ_STORE_URL: 'mongodb://h/?password=hunter2',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2',
      }),
    );
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('nats://***@h');
  });
});

test('BASE_URL has no user name', () => {
  expect(settingsErrorOf({ BASE_URL: 'https://user:pw@x.example' })).toContain('BASE_URL is "https://***@x.example"');
});

describe('A variable that begins with COLOPHON_ and is no setting', () => {
  test.each([
    ['COLOPHON_DATADIR', 'COLOPHON_DATA_DIR'],
    ['COLOPHON_EGRES_ALLOW', 'COLOPHON_EGRESS_ALLOW'],
    ['COLOPHON_PORT', 'PORT'],
    ['COLOPHON_RENDER_CONCURRENCY', 'RENDER_CONCURRENCY'],
    ['COLOPHON_THEME', null],
  ])('is found, with the setting that it means: %s', (variable, didYouMean) => {
    expect(findUnknownVariables({ ...minimalEnvironment, [variable]: '1' })).toEqual([{ variable, didYouMean }]);
  });

  test('is none that the documentation names, that Kubernetes sets, that is empty, or that can belong to others', () => {
    const known = {
      COLOPHON_KEY: 'x',
      COLOPHON_URL: 'x',
      COLOPHON_OFFICE: 'install',
      COLOPHON_DATA_DIR: 'x',
      COLOPHON_SERVICE_HOST: '10.0.0.1',
      COLOPHON_SERVICE_PORT_HTTP: '80',
      COLOPHON_PORT: 'tcp://10.0.0.1:80',
      COLOPHON_API_PORT_80_TCP_ADDR: '10.0.0.1',
      COLOPHON_THEME: '',
      RENDER_CONCURENCY: '3',
    };
    expect(findUnknownVariables({ ...minimalEnvironment, ...known })).toEqual([]);
  });

  test('is none of the variables that the documentation sets', () => {
    const texts = ['README.md', 'deploy/README.md', ...globSync('docs/*.md')].map((file) => readFileSync(file, 'utf8'));
    const named = Object.fromEntries(
      texts
        .join('\n')
        .match(/\bCOLOPHON_[A-Z_]+/g)!
        .map((name) => [name, 'x']),
    );
    expect(findUnknownVariables(named)).toEqual([]);
  });
});
