import { availableParallelism } from 'node:os';
import { findBrowser } from './find-browser.mjs';
import { engine, executableFile, fraction, hosts, type Kind, maybe, oneOf, readableFile, secretText, secretTexts, text, url, whole, yesOrNo } from './kinds.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
type Initial = string | undefined | ((env: Environment) => string | undefined);

export type Setting<T> = { variable: string; kind: Kind<T>; initial: Initial; about: string; secret: boolean };

const setting = <T>(variable: string, kind: Kind<T>, initial: Initial, about: string): Setting<T> => ({ variable, kind, initial, about, secret: false });
const secret = <T>(...parts: Parameters<typeof setting<T>>): Setting<T> => ({ ...setting(...parts), secret: true });

const originOf = (env: Environment): string => {
  const host = env.HOST || '127.0.0.1';
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${env.TLS_CERT_FILE ? 'https' : 'http'}://${reachable}:${env.PORT || '8080'}`;
};

// More documents than cores: while some are printed, others are converted or wait for their pictures.
const renderConcurrency = (): string => String(Math.min(3 * availableParallelism(), 64));

/** Every setting there is: its variable, what it may be, its default (as one would write it in the environment) and what it is for. */
export const settingTable = {
  port: setting('PORT', whole(0, 65_535), '8080', 'The port that the API listens on; 0 takes a free one.'),
  host: setting('HOST', text('an address or host name of this machine', /^[\w.:-]+$/), '127.0.0.1', 'The address that the API listens on.'),
  healthPort: setting('HEALTH_PORT', whole(0, 65_535), '0', 'The port of /health where a process runs without the API, whose own port serves it otherwise; 0 takes a free one.'),
  metricsToken: secret('METRICS_TOKEN', maybe(text('16 to 1024 visible ASCII characters', /^[\x21-\x7e]{16,1024}$/)), undefined, 'The bearer token that /metrics requires, in every process; by default none.'),
  baseUrl: setting('BASE_URL', url('http://', 'https://'), originOf, 'How callers reach the service; download links begin with it.'),
  tlsCertFile: setting('TLS_CERT_FILE', maybe(readableFile), undefined, 'PEM file of the certificate chain; with TLS_KEY_FILE the API speaks HTTPS itself.'),
  tlsKeyFile: setting('TLS_KEY_FILE', maybe(readableFile), undefined, 'PEM file of the private key that belongs to TLS_CERT_FILE.'),

  dataDir: setting('COLOPHON_DATA_DIR', text('a folder'), './data', 'The folder in which the embedded engines keep their files.'),
  eventStoreUrl: setting('EVENT_STORE_URL', engine('sqlite:', 'kurrentdb://', 'kurrentdb+discover://', 'esdb://', 'esdb+discover://'), 'sqlite:', 'The event log; `sqlite:` alone lies in the data folder.'),
  busUrl: setting('BUS_URL', engine('memory:', 'nats://', 'tls://'), 'memory:', 'The message bus; `memory:` is a queue in the memory of the one process, filled again from the event log at start.'),
  readStoreUrl: setting('READ_STORE_URL', engine('sqlite:', 'mongodb://', 'mongodb+srv://'), 'sqlite:', 'The read models, and on MongoDB the limits; `sqlite:` alone lies in the data folder.'),
  blobStoreUrl: setting('BLOB_STORE_URL', engine('file:', 'gridfs:', 'gridfs+srv:'), 'file:', 'Inputs, templates and PDFs; `file:` alone lies in the data folder, `gridfs:` alone beside the read models.'),

  secret: secret('COLOPHON_SECRET', maybe(secretText), undefined, 'What webhook secrets and download links are made from; by default it lies in the data folder. All processes of a cluster need the same one.'),
  previousSecrets: secret('COLOPHON_PREVIOUS_SECRETS', secretTexts, '', 'What COLOPHON_SECRET was before, for a day after a new one was set: callbacks that were sealed with it can still be sent, and its download links are accepted.'),

  renderConcurrency: setting('RENDER_CONCURRENCY', whole(1, 256), renderConcurrency, 'How many documents are rendered at once, and at most of one account; up to four times as many while some take long. By default three times the number of cores.'),
  renderBacklog: setting('RENDER_BACKLOG', whole(1, 100_000_000), '100000', 'How many renders may wait before asynchronous ones are refused.'),
  browser: setting('PUPPETEER_EXECUTABLE_PATH', maybe(executableFile), findBrowser, 'The Chromium that prints; by default the first one found on PATH or left by the set-up.'),
  chromiumMemoryMb: setting('CHROMIUM_MEMORY_MB', whole(256, 1_048_576), '2048', 'Memory that one browser with all its processes may take, in MiB.'),
  countAsyncTowardRateLimit: setting('COUNT_ASYNC_TOWARD_RATE_LIMIT', yesOrNo, 'true', 'Whether asynchronous renders count toward the requests per minute.'),

  egressAllow: setting('COLOPHON_EGRESS_ALLOW', hosts, '', 'Hosts and ranges that documents and callbacks may reach although they are not public. A range opens those of the own addresses that lie in it; a short name that is named here is completed by the search domains of /etc/resolv.conf.'),
  egressCaFile: setting('COLOPHON_EGRESS_CA_FILE', maybe(readableFile), undefined, 'PEM file of authorities to trust, beside the usual ones, where the service connects to.'),

  logLevel: setting('LOG_LEVEL', oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info', 'The least important kind of line that is logged.'),
  logFormat: setting('LOG_FORMAT', oneOf('json', 'pretty'), () => (process.stdout.isTTY ? 'pretty' : 'json'), 'json for programs, pretty for people; by default pretty on a terminal.'),

  otlpEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', maybe(url('http://', 'https://')), undefined, 'Where traces and metrics are sent; without it none are, whatever other OTEL_* variables say. These apply as they are.'),
  otlpHeaders: secret('OTEL_EXPORTER_OTLP_HEADERS', maybe(text('name=value pairs with commas', /^[^=,]+=/)), undefined, 'Headers that are sent along with traces and metrics.'),
  serviceName: setting('OTEL_SERVICE_NAME', text('a name'), 'colophon', 'What traces and metrics call this service.'),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    oneOf('always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'),
    'parentbased_always_on',
    'Which traces are kept.',
  ),
  tracesSamplerArg: setting('OTEL_TRACES_SAMPLER_ARG', fraction, '1', 'The share of traces that a ratio sampler keeps.'),
  otelDisabled: setting('OTEL_SDK_DISABLED', yesOrNo, 'false', 'Whether nothing is sent even where there is an address to send to.'),
  tracesExporter: setting('OTEL_TRACES_EXPORTER', oneOf('otlp', 'none'), 'otlp', 'Whether traces are sent where there is an address to send to.'),
  metricsExporter: setting('OTEL_METRICS_EXPORTER', oneOf('otlp', 'none'), 'otlp', 'Whether metrics are sent, beside `/metrics`, where there is an address to send to.'),
  metricIntervalMs: setting('OTEL_METRIC_EXPORT_INTERVAL', whole(100, 3_600_000), '60000', 'How often metrics are sent, in milliseconds.'),
  spanQueueSize: setting('OTEL_BSP_MAX_QUEUE_SIZE', whole(1, 1_000_000), '20000', 'How many spans may wait to be sent; further ones are lost.'),
  spanBatchSize: setting('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', whole(1, 1_000_000), '512', 'How many spans are sent at once.'),
  spanDelayMs: setting('OTEL_BSP_SCHEDULE_DELAY', whole(1, 3_600_000), '1000', 'How long spans wait at most to be sent, in milliseconds.'),
} as const satisfies Record<string, Setting<unknown>>;
