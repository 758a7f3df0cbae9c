import { availableParallelism } from 'node:os';
import { findBrowser } from './find-browser.mjs';
import {
  engineUrl,
  executableFile,
  fraction,
  egressAllowList,
  type SettingType,
  optional,
  oneOf,
  readableFile,
  secretText,
  secretList,
  text,
  url,
  integer,
  trueOrFalse,
} from './setting-types.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
type DefaultValue = string | undefined | ((env: Environment) => string | undefined);

export type Setting<T> = {
  variable: string;
  type: SettingType<T>;
  defaultValue: DefaultValue;
  description: string;
  isSecret: boolean;
};

const defineSetting = <T>(
  variable: string,
  kind: SettingType<T>,
  initial: DefaultValue,
  about: string,
): Setting<T> => ({ variable, type: kind, defaultValue: initial, description: about, isSecret: false });
const defineSecretSetting = <T>(...parts: Parameters<typeof defineSetting<T>>): Setting<T> => ({
  ...defineSetting(...parts),
  isSecret: true,
});

const defaultBaseUrl = (env: Environment): string => {
  const host = env.HOST || '127.0.0.1';
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${env.TLS_CERT_FILE ? 'https' : 'http'}://${reachable}:${env.PORT || '8080'}`;
};

// More documents than cores: while some are printed, others are converted or wait for their pictures.
const defaultRenderConcurrency = (): string => String(Math.min(3 * availableParallelism(), 64));

/** Every setting there is: its variable, what it may be, its default (as one would write it in the environment) and what it is for. */
export const settingTable = {
  port: defineSetting('PORT', integer(0, 65_535), '8080', 'The port that the API listens on; 0 takes a free one.'),
  host: defineSetting(
    'HOST',
    text('an address or host name of this machine', /^[\w.:-]+$/),
    '127.0.0.1',
    'The address that the API listens on.',
  ),
  healthPort: defineSetting(
    'HEALTH_PORT',
    integer(0, 65_535),
    '0',
    'The port of /health where a process runs without the API, whose own port serves it otherwise; 0 takes a free one.',
  ),
  metricsToken: defineSecretSetting(
    'METRICS_TOKEN',
    optional(text('16 to 1024 visible ASCII characters', /^[\x21-\x7e]{16,1024}$/)),
    undefined,
    'The bearer token that /metrics requires, in every process; by default none.',
  ),
  baseUrl: defineSetting(
    'BASE_URL',
    url('http://', 'https://'),
    defaultBaseUrl,
    'How callers reach the service; download links begin with it.',
  ),
  tlsCertFile: defineSetting(
    'TLS_CERT_FILE',
    optional(readableFile),
    undefined,
    'PEM file of the certificate chain; with TLS_KEY_FILE the API speaks HTTPS itself.',
  ),
  tlsKeyFile: defineSetting(
    'TLS_KEY_FILE',
    optional(readableFile),
    undefined,
    'PEM file of the private key that belongs to TLS_CERT_FILE.',
  ),

  dataDir: defineSetting(
    'COLOPHON_DATA_DIR',
    text('a folder'),
    './data',
    'The folder in which the embedded engines keep their files.',
  ),
  eventStoreUrl: defineSetting(
    'EVENT_STORE_URL',
    engineUrl('sqlite:', 'kurrentdb://', 'kurrentdb+discover://', 'esdb://', 'esdb+discover://'),
    'sqlite:',
    'The event log; `sqlite:` alone lies in the data folder.',
  ),
  busUrl: defineSetting(
    'BUS_URL',
    engineUrl('memory:', 'nats://', 'tls://'),
    'memory:',
    'The message bus; `memory:` is a queue in the memory of the one process, filled again from the event log at start.',
  ),
  readStoreUrl: defineSetting(
    'READ_STORE_URL',
    engineUrl('sqlite:', 'mongodb://', 'mongodb+srv://'),
    'sqlite:',
    'The read models, and on MongoDB the limits; `sqlite:` alone lies in the data folder.',
  ),
  blobStoreUrl: defineSetting(
    'BLOB_STORE_URL',
    engineUrl('file:', 'gridfs:', 'gridfs+srv:'),
    'file:',
    'Inputs, templates and PDFs; `file:` alone lies in the data folder, `gridfs:` alone beside the read models.',
  ),

  secret: defineSecretSetting(
    'COLOPHON_SECRET',
    optional(secretText),
    undefined,
    'What webhook secrets and download links are made from; by default it lies in the data folder. All processes of a cluster need the same one.',
  ),
  previousSecrets: defineSecretSetting(
    'COLOPHON_PREVIOUS_SECRETS',
    secretList,
    '',
    'What COLOPHON_SECRET was before, for a day after a new one was set: callbacks that were sealed with it can still be sent, and its download links are accepted.',
  ),

  renderConcurrency: defineSetting(
    'RENDER_CONCURRENCY',
    integer(1, 256),
    defaultRenderConcurrency,
    'How many documents are rendered at once, and at most of one account; up to four times as many while some take long. By default three times the number of cores.',
  ),
  renderBacklog: defineSetting(
    'RENDER_BACKLOG',
    integer(1, 100_000_000),
    '100000',
    'How many renders may wait before asynchronous ones are refused.',
  ),
  browserFile: defineSetting(
    'PUPPETEER_EXECUTABLE_PATH',
    optional(executableFile),
    findBrowser,
    'The Chromium that prints; by default the first one found on PATH or left by the set-up.',
  ),
  chromiumMemoryMb: defineSetting(
    'CHROMIUM_MEMORY_MB',
    integer(256, 1_048_576),
    '2048',
    'Memory that one browser with all its processes may take, in MiB.',
  ),
  countAsyncTowardRateLimit: defineSetting(
    'COUNT_ASYNC_TOWARD_RATE_LIMIT',
    trueOrFalse,
    'true',
    'Whether asynchronous renders count toward the requests per minute.',
  ),

  egressAllow: defineSetting(
    'COLOPHON_EGRESS_ALLOW',
    egressAllowList,
    '',
    'Hosts and ranges that documents and callbacks may reach although they are not public. A range opens those of the own addresses that lie in it; a short name that is named here is completed by the search domains of /etc/resolv.conf.',
  ),
  egressCaFile: defineSetting(
    'COLOPHON_EGRESS_CA_FILE',
    optional(readableFile),
    undefined,
    'PEM file of authorities to trust, beside the usual ones, where the service connects to.',
  ),

  logLevel: defineSetting(
    'LOG_LEVEL',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'The least important kind of line that is logged.',
  ),
  logFormat: defineSetting(
    'LOG_FORMAT',
    oneOf('json', 'pretty'),
    () => (process.stdout.isTTY ? 'pretty' : 'json'),
    'json for programs, pretty for people; by default pretty on a terminal.',
  ),

  otlpEndpoint: defineSetting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    optional(url('http://', 'https://')),
    undefined,
    'Where traces and metrics are sent; without it none are, whatever other OTEL_* variables say. These apply as they are.',
  ),
  otlpHeaders: defineSecretSetting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    optional(text('name=value pairs with commas', /^[^=,]+=/)),
    undefined,
    'Headers that are sent along with traces and metrics.',
  ),
  serviceName: defineSetting(
    'OTEL_SERVICE_NAME',
    text('a name'),
    'colophon',
    'What traces and metrics call this service.',
  ),
  tracesSampler: defineSetting(
    'OTEL_TRACES_SAMPLER',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    'parentbased_always_on',
    'Which traces are kept.',
  ),
  tracesSamplerArg: defineSetting(
    'OTEL_TRACES_SAMPLER_ARG',
    fraction,
    '1',
    'The share of traces that a ratio sampler keeps.',
  ),
  telemetryDisabled: defineSetting(
    'OTEL_SDK_DISABLED',
    trueOrFalse,
    'false',
    'Whether nothing is sent even where there is an address to send to.',
  ),
  tracesExporter: defineSetting(
    'OTEL_TRACES_EXPORTER',
    oneOf('otlp', 'none'),
    'otlp',
    'Whether traces are sent where there is an address to send to.',
  ),
  metricsExporter: defineSetting(
    'OTEL_METRICS_EXPORTER',
    oneOf('otlp', 'none'),
    'otlp',
    'Whether metrics are sent, beside `/metrics`, where there is an address to send to.',
  ),
  metricIntervalMs: defineSetting(
    'OTEL_METRIC_EXPORT_INTERVAL',
    integer(100, 3_600_000),
    '60000',
    'How often metrics are sent, in milliseconds.',
  ),
  spanQueueSize: defineSetting(
    'OTEL_BSP_MAX_QUEUE_SIZE',
    integer(1, 1_000_000),
    '20000',
    'How many spans may wait to be sent; further ones are lost.',
  ),
  spanBatchSize: defineSetting(
    'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    integer(1, 1_000_000),
    '512',
    'How many spans are sent at once.',
  ),
  spanExportDelayMs: defineSetting(
    'OTEL_BSP_SCHEDULE_DELAY',
    integer(1, 3_600_000),
    '1000',
    'How long spans wait at most to be sent, in milliseconds.',
  ),
} as const satisfies Record<string, Setting<unknown>>;
