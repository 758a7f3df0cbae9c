import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '#libs/config/settings.ts';
import { hidden, secretFields, withoutSecrets } from './secrets.ts';
import { traceFields } from './tracing.ts';

export type { Logger } from 'pino';

/** Says what a part met with: something that is tried again, unless it is an error that somebody should look at. */
export type Report = (fact: Record<string, unknown>, message: string, level?: 'warn' | 'error') => void;

// Fields that hold text are found in the finished line at any depth; those that can hold an object are cut out before.
const secretPaths = [...secretFields.map((name) => `["${name}"]`), '*.data', '*.webhook_headers'];

type LogSettings = Pick<Settings, 'logLevel' | 'logFormat'>;

const forPeople = (out: NodeJS.WritableStream | undefined): DestinationStream =>
  pretty({ ...(out ? { destination: out } : {}), ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true, sync: true });

const destinationOf = ({ logFormat }: LogSettings, out: NodeJS.WritableStream | undefined): DestinationStream =>
  logFormat === 'pretty' ? forPeople(out) : (out ?? pino.destination({ sync: true }));

/**
 * The logger of a process: one line a fact, JSON with ISO times, or readable in a terminal. Keys, tokens and contents are hidden,
 * by the name of their field at any depth, and in messages and errors by their form. Writes to standard output unless `out` is given.
 */
export const createLog = (settings: LogSettings, out?: NodeJS.WritableStream): Logger =>
  pino(
    {
      level: settings.logLevel,
      base: null,
      mixin: traceFields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: hidden },
      hooks: { streamWrite: withoutSecrets },
    },
    destinationOf(settings, out),
  );
