import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadSettings } from '#libs/config/settings.ts';
import { count, record, observeGauge } from './metrics.ts';
import { startTelemetry, type Telemetry } from './telemetry.ts';
import { currentTraceparent, isTracingEnabled, startManualSpan, withSpan } from './tracing.ts';

const running: Telemetry[] = [];
const silent = { warn: () => undefined };
const start = async (
  env: Record<string, string> = {},
  log: Parameters<typeof startTelemetry>[3] = silent,
): Promise<Telemetry> => {
  const telemetry = await startTelemetry(loadSettings(env), ['api', 'relay'], '1.2.3', log);
  running.push(telemetry);
  return telemetry;
};
afterEach(() => Promise.all(running.splice(0).map((telemetry) => telemetry.close())));

const lineOf = async (telemetry: Telemetry, beginning: string): Promise<string | undefined> =>
  (await telemetry.metricsText()).split('\n').find((line) => line.startsWith(beginning));

/** The collector rejects requests below this path. */
const locked = '/locked';
let refusals = 0;
const sink = createServer((request, response) => {
  const refused = request.url!.startsWith(locked);
  request
    .resume()
    .on('end', () => response.writeHead(refused ? 401 : 200).end(() => void (refusals += refused ? 1 : 0)));
});
const somewhere: Record<string, string> = {};
beforeAll(async () => {
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = somewhere['OTEL_EXPORTER_OTLP_ENDPOINT'] =
    `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
});
afterAll(() => {
  sink.close();
  sink.closeAllConnections();
});

describe('Without an OTLP endpoint', () => {
  it('nothing is traced', async () => {
    await start();
    expect(isTracingEnabled()).toBe(false);
    expect(startManualSpan({ name: 'x' })).toBeNull();
    expect(await withSpan({ name: 'x' }, async (span) => [span.traceparent, currentTraceparent()])).toEqual([
      null,
      null,
    ]);
  });

  it('the tracing SDK is not loaded', () => {
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { startTelemetry } = await import('#libs/telemetry/telemetry.ts');
      const { loadSettings } = await import('#libs/config/settings.ts');
      const environment = process.argv[1] ? { OTEL_EXPORTER_OTLP_ENDPOINT: process.argv[1] } : {};
      const telemetry = await startTelemetry(loadSettings(environment), ['api'], '1', console);
      console.log(loaded.filter((url) => /sdk-trace|exporter-trace|otlp/.test(url)).length);
      process.exit();
    `;
    const loadedWith = (...args: string[]): number => {
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, ...args], {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        encoding: 'utf8',
      });
      if (!/^\d+\n$/.test(stdout)) throw new Error(stderr);
      return Number(stdout);
    };
    expect(loadedWith()).toBe(0);
    expect(loadedWith('http://127.0.0.1:9')).toBeGreaterThan(0);
  });

  it.each<Record<string, string>>([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])(
    'or with %o nothing is traced',
    async (env) => {
      await start({ ...somewhere, ...env });
      expect(isTracingEnabled()).toBe(false);
    },
  );
});

describe('With an OTLP endpoint', () => {
  it('spans have the parent of their cause, and are current during the work', async () => {
    await start(somewhere);
    const led = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await withSpan({ name: 'outer', parent: led }, async (outer) => {
      expect(outer.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/);
      expect(currentTraceparent()).toBe(outer.traceparent);
      await withSpan({ name: 'inner' }, async (inner) =>
        expect(inner.traceparent!.slice(0, 36)).toBe(outer.traceparent!.slice(0, 36)),
      );
    });
    expect(currentTraceparent()).toBeNull();
  });

  it('a trace that its caller does not sample is not sampled, unless the sampler ignores the caller', async () => {
    const led = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';
    const flagsOf = () => withSpan({ name: 'x', parent: led }, async ({ traceparent }) => traceparent!.slice(-2));
    const telemetry = await start(somewhere);
    expect(await flagsOf()).toBe('00');
    await telemetry.close();
    await start({ ...somewhere, OTEL_TRACES_SAMPLER: 'always_on' });
    expect(await flagsOf()).toBe('01');
  });

  it('the sampler keeps the configured share', async () => {
    await start({ ...somewhere, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' });
    const kept = await Promise.all(
      Array.from({ length: 2_000 }, () =>
        withSpan({ name: 'x' }, async ({ traceparent }) => traceparent!.endsWith('01')),
      ),
    );
    expect(kept.filter(Boolean).length / kept.length).toBeCloseTo(0.25, 1);
  });

  it('an unavailable collector delays neither work nor the end of the process', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:9');
    const telemetry = await start(somewhere);
    vi.unstubAllEnvs();
    expect(await withSpan({ name: 'x' }, async () => 'done')).toBe('done');
    await telemetry.close();
    expect(isTracingEnabled()).toBe(false);
  });

  it('a collector that rejects data is logged, but not each time', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `${somewhere['OTEL_EXPORTER_OTLP_ENDPOINT']}${locked}`);
    const lines = vi.fn<(fact: unknown, message?: unknown) => void>();
    // Metrics are sent at the end: their interval is also their time limit, which a busy machine can exceed.
    const telemetry = await start({ ...somewhere, OTEL_BSP_SCHEDULE_DELAY: '50' }, { warn: lines });
    vi.unstubAllEnvs();
    await vi.waitFor(async () => {
      await withSpan({ name: 'x' }, async () => 'done');
      expect(refusals).toBeGreaterThan(2);
    }, 60_000);
    await telemetry.close();
    expect(lines.mock.calls).toEqual([
      [{ error: expect.stringMatching(/Unauthorized/) }, expect.stringMatching(/could not be sent/)],
    ]);
  });
});

describe('Metrics', () => {
  it('are counted from the start, with the names and units of Prometheus', async () => {
    const telemetry = await start();
    count('colophon.renders', 2, { render_mode: 'static', input: 'html', outcome: 'done' });
    count('colophon.pdf.size', 1000, {});
    record('colophon.render.duration', 0.02, { phase: 'load', render_mode: 'static' });
    const stop = observeGauge('colophon.queue.length', () => [{ value: 7, labels: { queue: 'renderer' } }]);
    expect(await lineOf(telemetry, 'colophon_renders_total{render_mode="static",input="html",outcome="done"}')).toMatch(
      / 2$/,
    );
    expect(await lineOf(telemetry, 'colophon_pdf_size_bytes_total')).toMatch(/ 1000$/);
    expect(
      await lineOf(telemetry, 'colophon_render_duration_seconds_bucket{phase="load",render_mode="static",le="0.025"}'),
    ).toMatch(/ 1$/);
    expect(await lineOf(telemetry, 'colophon_queue_length{queue="renderer"}')).toMatch(/ 7$/);
    expect(await lineOf(telemetry, 'target_info')).toMatch(
      /service_name="colophon".*service_version="1.2.3".*colophon_roles="api,relay"/,
    );
    stop();
    expect(await lineOf(telemetry, 'colophon_queue_length')).toBeUndefined();
  });

  it('with bounded labels start at 0', async () => {
    const telemetry = await start();
    expect(
      await lineOf(telemetry, 'colophon_egress_blocked_total{client="browser",reason="address-not-public"}'),
    ).toMatch(/ 0$/);
    expect(await lineOf(telemetry, 'colophon_api_errors_total{error="rate_limit_exceeded"}')).toMatch(/ 0$/);
  });

  it('are collected once for concurrent requests, and again for later ones', async () => {
    const telemetry = await start();
    let looks = 0;
    const stop = observeGauge('colophon.ready', () => [{ value: (looks += 1) }]);
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => lineOf(telemetry, 'colophon_ready'))))).toEqual(
      new Set(['colophon_ready 1']),
    );
    expect(await lineOf(telemetry, 'colophon_ready')).toBe('colophon_ready 2');
    stop();
  });

  it('that cannot be read do not affect others', async () => {
    const telemetry = await start();
    const stops = [
      observeGauge('colophon.queue.age', () => Promise.reject(new Error('the engine is away'))),
      observeGauge('colophon.queue.length', () => {
        throw new Error('the engine is away');
      }),
      observeGauge('colophon.ready', () => [{ value: 0 }]),
    ];
    expect(await lineOf(telemetry, 'colophon_ready')).toBe('colophon_ready 0');
    for (const stop of stops) stop();
  });
});
