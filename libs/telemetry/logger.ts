import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '#libs/config/settings.ts';
import { traceLogFields } from './tracing.ts';

const redacted = '[redacted]';

/** Fields that could open an account, or that belong to the caller. */
export const secretFields = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-service-signature',
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
 * A line of JSON without its secrets. It works on the finished text, since that costs a fraction of
 * walking through every logged object, and reaches any depth and what libraries put into error messages.
 */
const redactSecrets = (line: string): string =>
  line
    .replace(secretFieldPattern, `$1"${redacted}"`)
    .replace(apiKeyPattern, `svc_$1_${redacted}`)
    .replace(linkTokenPattern, `$1${redacted}`);

export type { Logger } from 'pino';

/** Says what a part met with: something that is tried again, unless it is an error that somebody should look at. */
export type Report = (fact: Record<string, unknown>, message: string, level?: 'warn' | 'error') => void;

// Fields that hold text are found in the finished line at any depth; those that can hold an object are cut out before.
const secretPaths = [...secretFields.map((name) => `["${name}"]`), '*.data', '*.webhook_headers'];

type LoggerSettings = Pick<Settings, 'logLevel' | 'logFormat'>;

const prettyDestination = (out: NodeJS.WritableStream | undefined): DestinationStream =>
  pretty({
    ...(out ? { destination: out } : {}),
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    sync: true,
  });

const destinationOf = ({ logFormat }: LoggerSettings, out: NodeJS.WritableStream | undefined): DestinationStream =>
  logFormat === 'pretty' ? prettyDestination(out) : (out ?? pino.destination({ sync: true }));

/**
 * The logger of a process: one line a fact, JSON with ISO times, or readable in a terminal. Keys, tokens and contents
 * are hidden,
 * by the name of their field at any depth, and in messages and errors by their form. Writes to standard output unless
 * `out` is given.
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
