import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { PinoPretty } from 'pino-pretty';
import type { Settings } from '#libs/config/settings.ts';
import { traceLogFields } from './tracing.ts';

const redacted = '[redacted]';

/** Fields with credentials or with data of callers. */
export const secretFields = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-service-signature',
  'x-service-signature-all',
  'webhook-signature',
  'webhook_headers',
  'key',
  'apiKey',
  'api_key',
  'secret',
  'webhookSecret',
  'token',
  'password',
  'data',
  'html',
  'content',
  'header_html',
  'footer_html',
  'pdf',
  'pdf_base64',
];

const secretFieldPattern = new RegExp(`("(?:${secretFields.join('|')})":)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const apiKeyPattern = /svc_(test|live)_[A-Za-z0-9_-]+/g;
const linkTokenPattern = /([?&]token=)[^&\s"]+/g;

/**
 * Redacts secrets in a line of JSON. Working on the text is much cheaper than walking through every logged object, and
 * also covers error messages of libraries.
 */
const redactSecrets = (line: string): string =>
  line
    .replace(secretFieldPattern, `$1"${redacted}"`)
    .replace(apiKeyPattern, `svc_$1_${redacted}`)
    .replace(linkTokenPattern, `$1${redacted}`);

export type { Logger } from 'pino';

/** Reports a problem: a warning for something that is retried, an error for something an operator should look at. */
export type Report = (fields: Record<string, unknown>, message: string, level?: 'warn' | 'error') => void;

// Text fields are redacted in the finished line; fields that can hold an object are removed before.
const secretPaths = [...secretFields.map((name) => `["${name}"]`), '*.data', '*.webhook_headers'];

type LoggerSettings = Pick<Settings, 'logLevel' | 'logFormat'>;

/** Loads the formatter only for output on a terminal. */
const prettyDestination = (out: NodeJS.WritableStream | undefined): DestinationStream => {
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  return pretty({
    ...(out ? { destination: out } : {}),
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    sync: true,
  });
};

const destinationOf = ({ logFormat }: LoggerSettings, out: NodeJS.WritableStream | undefined): DestinationStream =>
  logFormat === 'pretty' ? prettyDestination(out) : (out ?? pino.destination({ sync: true }));

/**
 * The logger of a process: JSON lines with ISO times, or readable text on a terminal. Keys, tokens and contents are redacted,
 * by field name at any depth, and by pattern in messages and errors. Writes to `out`, by default standard output.
 */
export const createLogger = (settings: LoggerSettings, out?: NodeJS.WritableStream): Logger =>
  pino(
    {
      level: settings.logLevel,
      base: null,
      mixin: traceLogFields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: redacted },
      hooks: { streamWrite: redactSecrets },
    },
    destinationOf(settings, out),
  );
