import { availableParallelism } from 'node:os';
import { defineSecretSetting, defineSetting, type Environment, type Setting } from './define-setting.ts';
import { findBrowser } from './find-browser.mjs';
import { oidcSettings } from './oidc-settings.ts';
import {
  certificateFile,
  engineUrl,
  executableFile,
  fraction,
  hostName,
  egressAllowList,
  optional,
  oneOf,
  readableFile,
  secretText,
  secretList,
  text,
  url,
  publicUrl,
  integer,
  trueOrFalse,
} from './setting-types.ts';

export type { Environment, Setting } from './define-setting.ts';

const defaultBaseUrl = (env: Environment): string => {
  const host = env.HOST || '127.0.0.1';
  const publicHost = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${env.TLS_CERT_FILE ? 'https' : 'http'}://${publicHost}:${env.PORT || '8080'}`;
};

export const defaultDataDir = './data';

// More documents than cores: while some are printed, others are converted or wait for images.
const defaultRenderConcurrency = (): string => String(Math.min(3 * availableParallelism(), 64));

/** All settings: variable, allowed values, default (as text of the variable) and description. */
export const settingTable = {
  port: defineSetting(
    'PORT',
    integer(0, 65_535),
    '8080',
    'The port that the API listens on; 0 uses a free one, and then the addresses in responses need BASE_URL.',
  ),
  host: defineSetting('HOST', hostName, '127.0.0.1', 'The address that the API listens on.'),
  healthPort: defineSetting(
    'HEALTH_PORT',
    integer(0, 65_535),
    '0',
    'The port of /health in a process without the API; with the API, its port serves /health. 0 uses a free one.',
  ),
  metricsToken: defineSecretSetting(
    'METRICS_TOKEN',
    optional(text('16 to 1024 visible ASCII characters', /^[\x21-\x7e]{16,1024}$/)),
    undefined,
    'The bearer token that /metrics requires, in every process. By default /metrics needs none.',
  ),
  baseUrl: defineSetting(
    'BASE_URL',
    publicUrl,
    defaultBaseUrl,
    'The public URL of the service; download links start with it.',
  ),
  tlsCertFile: defineSetting(
    'TLS_CERT_FILE',
    optional(readableFile),
    undefined,
    'PEM file of the certificate chain; with TLS_KEY_FILE, the API uses HTTPS itself.',
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
    defaultDataDir,
    'The folder in which the embedded engines store their files.',
  ),
  eventStoreUrl: defineSetting(
    'EVENT_STORE_URL',
    engineUrl('sqlite:', 'kurrentdb://', 'kurrentdb+discover://', 'esdb://', 'esdb+discover://'),
    'sqlite:',
    'The event log; `sqlite:` alone is a file in the data folder.',
  ),
  busUrl: defineSetting(
    'BUS_URL',
    engineUrl('memory:', 'nats://', 'tls://'),
    'memory:',
    'The message bus; `memory:` is a queue in the memory of the one process, refilled from the event log at start.',
  ),
  readStoreUrl: defineSetting(
    'READ_STORE_URL',
    engineUrl('sqlite:', 'mongodb://', 'mongodb+srv://'),
    'sqlite:',
    'The read models, and on MongoDB also the limits; `sqlite:` alone is a file in the data folder.',
  ),
  blobStoreUrl: defineSetting(
    'BLOB_STORE_URL',
    engineUrl('file:', 'gridfs:', 'gridfs+srv:'),
    'file:',
    'Inputs, templates and PDFs; `file:` alone is in the data folder, `gridfs:` alone in the MongoDB of the read models.',
  ),

  secret: defineSecretSetting(
    'COLOPHON_SECRET',
    optional(secretText),
    undefined,
    'The secret that webhook secrets and download links are derived from. By default it is stored in the data folder. ' +
      'All processes of an installation need the same one.',
  ),
  previousSecrets: defineSecretSetting(
    'COLOPHON_PREVIOUS_SECRETS',
    secretList,
    '',
    'Previous values of COLOPHON_SECRET, for a day after it changed: callbacks that were encrypted with them can still be ' +
      'sent, and their download links are accepted. Passwords of PDFs need them for longer, to repeat or verify a render.',
  ),

  renderConcurrency: defineSetting(
    'RENDER_CONCURRENCY',
    integer(1, 256),
    defaultRenderConcurrency,
    'How many documents of one account are rendered at the same time; twice as many of several accounts, and up to four ' +
      'times as many while some take long. By default three times the number of cores, at most 64.',
  ),
  renderBacklog: defineSetting(
    'RENDER_BACKLOG',
    integer(1, 100_000_000),
    '100000',
    'How many renders can wait before asynchronous requests are refused.',
  ),
  maxPdfRetentionMinutes: defineSetting(
    'MAX_PDF_RETENTION_MINUTES',
    integer(10, 527_040),
    '10080',
    'The longest time, in minutes, that an account can choose to have its PDFs kept. Without a choice it is 60.',
  ),
  browserFile: defineSetting(
    'PUPPETEER_EXECUTABLE_PATH',
    optional(executableFile),
    findBrowser,
    'The Chromium that prints; by default the first one on PATH, else the one that the set-up downloaded.',
  ),
  chromiumMemoryMb: defineSetting(
    'CHROMIUM_MEMORY_MB',
    integer(256, 1_048_576),
    '2048',
    'The memory that one browser with all its processes can use, in MiB.',
  ),
  libreOfficeFolder: defineSetting(
    'LIBREOFFICE_FOLDER',
    optional(text('a folder, or none')),
    undefined,
    'The folder of the LibreOffice that lays out office documents, by default the one of the system; `none` for no ' +
      'LibreOffice.',
  ),
  libreOfficeMemoryMb: defineSetting(
    'LIBREOFFICE_MEMORY_MB',
    integer(256, 1_048_576),
    '1024',
    'The memory that one process of LibreOffice can use, in MiB.',
  ),
  countAsyncTowardRateLimit: defineSetting(
    'COUNT_ASYNC_TOWARD_RATE_LIMIT',
    trueOrFalse,
    'true',
    'Whether asynchronous renders count toward the rate limit (requests per minute).',
  ),

  egressAllow: defineSetting(
    'COLOPHON_EGRESS_ALLOW',
    egressAllowList,
    '',
    'Hosts and ranges that documents and callbacks can reach although they are not public. A range also allows addresses ' +
      'of this machine that are in it. The search domains of /etc/resolv.conf complete a short name in this list.',
  ),
  egressCaFile: defineSetting(
    'COLOPHON_EGRESS_CA_FILE',
    optional(certificateFile),
    undefined,
    'PEM file of certificate authorities to trust for outgoing connections, in addition to the usual ones.',
  ),

  ...oidcSettings,

  logLevel: defineSetting(
    'LOG_LEVEL',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'The lowest level that is logged.',
  ),
  logFormat: defineSetting(
    'LOG_FORMAT',
    oneOf('json', 'pretty'),
    () => (process.stdout.isTTY ? 'pretty' : 'json'),
    'json for programs, pretty for people. By default pretty on a terminal, else json.',
  ),

  otlpEndpoint: defineSetting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    optional(url('http://', 'https://')),
    undefined,
    'Where traces and metrics are sent; without it, nothing is sent. Other OTEL_* variables have their standard meaning.',
  ),
  otlpHeaders: defineSecretSetting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    optional(text('name=value pairs with commas', /^[^=,]+=/)),
    undefined,
    'Headers to send with traces and metrics.',
  ),
  serviceName: defineSetting(
    'OTEL_SERVICE_NAME',
    text('a name'),
    'colophon',
    'The service name in traces and metrics.',
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
    'Which traces are sampled.',
  ),
  tracesSamplerArg: defineSetting(
    'OTEL_TRACES_SAMPLER_ARG',
    fraction,
    '1',
    'The fraction of traces that a ratio sampler samples.',
  ),
  telemetryDisabled: defineSetting(
    'OTEL_SDK_DISABLED',
    trueOrFalse,
    'false',
    'Whether sending is disabled, even if an endpoint is set.',
  ),
  tracesExporter: defineSetting(
    'OTEL_TRACES_EXPORTER',
    oneOf('otlp', 'none'),
    'otlp',
    'Whether traces are sent if an endpoint is set.',
  ),
  metricsExporter: defineSetting(
    'OTEL_METRICS_EXPORTER',
    oneOf('otlp', 'none'),
    'otlp',
    'Whether metrics are sent if an endpoint is set; `/metrics` is always served.',
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
    'How many spans can wait to be sent; further ones are dropped.',
  ),
  spanBatchSize: defineSetting(
    'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
    integer(1, 1_000_000),
    '512',
    'How many spans are sent in one request.',
  ),
  spanExportDelayMs: defineSetting(
    'OTEL_BSP_SCHEDULE_DELAY',
    integer(1, 3_600_000),
    '1000',
    'The maximum time that spans wait to be sent, in milliseconds.',
  ),
} as const satisfies Record<string, Setting<unknown>>;
