import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingTable } from '#libs/config/setting-table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const dockerfile = read('deploy/Dockerfile');

type Seccomp = { defaultAction: string; syscalls: { names: string[]; action: string }[] };
const seccomp = JSON.parse(read('deploy/seccomp.json')) as Seccomp;
const allowed = seccomp.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);

describe('The Docker image', () => {
  it.each(readdirSync(join(root, 'deploy/image')))('is built by scripts with valid shell syntax (%s)', (name) => {
    const { status, stderr } = spawnSync('sh', ['-n', join(root, 'deploy/image', name)], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('has the browser and the fonts that the set-up installs', () => {
    const packages = read('deploy/image/packages.sh');
    const fonts = new Set(read('scripts/setup/fonts.mjs').match(/\bfonts-[a-z-]+/g));
    expect(fonts.size).toBeGreaterThan(3);
    for (const name of [...fonts, 'fontconfig', 'chromium-headless-shell', 'libnss3-tools', 'tini'])
      expect(packages).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('copies existing files, and sets known environment variables', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
      sources!.split(' '),
    );
    for (const source of copied) expect(existsSync(join(root, source)), source).toBe(true);
    const [, environment] = /^ENV (.+)$/m.exec(dockerfile)!;
    const variables = new Set<string>([...Object.values(settingTable).map(({ variable }) => variable), 'NODE_ENV']);
    for (const name of environment!.split(' ').map((pair) => pair.split('=')[0]!))
      expect(variables.has(name), name).toBe(true);
  });

  it('holds the built dashboard, but not what builds it', () => {
    const stages = dockerfile.split(/^FROM /m);
    expect(stages.at(-1)).toMatch(
      /^COPY --from=dashboard \/app\/services\/dashboard\/dist services\/dashboard\/dist$/m,
    );
    expect(stages.at(-1)).toMatch(/^COPY --from=dependencies \/app\/node_modules node_modules$/m);
    expect(read('deploy/image/dependencies.sh')).toContain('--omit=dev');
  });

  it('runs as an unprivileged user, below an init process', () => {
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["tini", "--", "colophon"\]$/m);
  });
});

describe('The seccomp profile', () => {
  it('refuses system calls that it does not list', () => {
    expect(seccomp.defaultAction).toBe('SCMP_ACT_ERRNO');
  });

  it('allows the system calls of the browser sandbox', () => {
    for (const name of ['clone', 'unshare', 'chroot', 'seccomp', 'prctl']) expect(allowed).toContain(name);
  });

  it('allows no system call that changes the machine or inspects other processes', () => {
    const dangerous = new Set([
      'mount',
      'umount2',
      'pivot_root',
      'ptrace',
      'process_vm_writev',
      'bpf',
      'perf_event_open',
      'init_module',
      'finit_module',
      'kexec_load',
      'keyctl',
      'add_key',
      'reboot',
      'swapon',
      'sethostname',
      'settimeofday',
      'clock_settime',
      'iopl',
      'userfaultfd',
      'io_uring_setup',
      'setns',
      'open_by_handle_at',
      'quotactl',
      'syslog',
    ]);
    expect(allowed.filter((name) => dangerous.has(name))).toEqual([]);
    expect(new Set(allowed.filter((name) => name !== 'personality')).size).toBe(
      allowed.filter((name) => name !== 'personality').length,
    );
  });
});

describe('The OpenTelemetry collector', () => {
  it('has pipelines with components that it defines', () => {
    type Collector = {
      service: { extensions: string[]; pipelines: Record<string, Record<string, string[]>> };
    } & Record<string, Record<string, unknown>>;
    const collector = parse(read('deploy/observability/collector.yaml')) as Collector;
    for (const pipeline of Object.values(collector.service.pipelines)) {
      for (const [section, names] of Object.entries(pipeline))
        for (const name of names) expect(Object.keys(collector[section]!)).toContain(name);
    }
    expect(Object.keys(collector.service.pipelines).toSorted()).toEqual(['metrics', 'traces']);
  });
});
