import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAccount } from '../support/service/accounts.ts';
import { commandLineOf } from '../support/service/installation.ts';
import { type ProcessResult, type EnvironmentVariables, startColophon } from '../support/service/colophon-process.ts';
import { runColophonHere } from '../support/service/in-process-command.ts';
import { waitUntil } from '../support/wait-until.ts';
import { areServersAvailable, openServersEnvironment, serverSettings } from '../support/environment.ts';
import { startKurrentDbStandInProcess } from '../support/kurrentdb/process.ts';

const cleanups: (() => Promise<unknown>)[] = [];
let data: string;

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'colophon-installation-'));
  cleanups.push(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
};
beforeEach(async () => {
  data = await folder();
});
afterEach(async () => {
  for (const end of cleanups.splice(0).toReversed()) await end();
});

const environment = (env: EnvironmentVariables): EnvironmentVariables => ({
  PORT: '0',
  COLOPHON_DATA_DIR: data,
  ...env,
});
const start = (args: string, env: EnvironmentVariables = {}) => {
  const process = startColophon(args.split(' '), environment(env));
  cleanups.push(async () => {
    process.child.kill('SIGKILL');
    await process.exited;
  });
  return process;
};
const run = (args: string, env: EnvironmentVariables = {}): Promise<ProcessResult> =>
  runColophonHere(args.split(' '), environment(env));
const runSuccessfully = async (args: string, env?: EnvironmentVariables): Promise<string> => {
  const { code, stdout, stderr } = await run(args, env);
  expect(code, stdout + stderr).toBe(0);
  return stdout;
};
/** An installation of which no process is tested yet. */
const createInstallation = (): Promise<string> =>
  openAccount(commandLineOf({ PORT: '0', COLOPHON_DATA_DIR: data }), '--plan', 'free');
const accountCommand = 'account create --name tests --plan free';
const createAccount = (env?: EnvironmentVariables): Promise<string> => runSuccessfully(accountCommand, env);

/** Runs a command, or starts a service, that must end with code 1. Returns its output. */
const refusal = async (args: string, env: EnvironmentVariables = {}): Promise<string> => {
  if (!args.startsWith('start')) {
    const { code, stdout, stderr } = await run(args, env);
    expect(code, stdout + stderr).toBe(1);
    return stdout + stderr;
  }
  const { output, exited } = start(args, env);
  const served = waitUntil('it ends or serves', () =>
    /Colophon is ready|"level":"info",[^\n]*"msg":"ready"/.test(output.stdout),
  ).then(() => ({ code: 'it serves' }));
  const { code } = await Promise.race([exited, served]);
  expect(code, output.stdout + output.stderr).toBe(1);
  return output.stdout + output.stderr;
};

/** Starts roles, waits until they are ready, and stops them. */
const expectToServe = async (roles: string, env: EnvironmentVariables = {}): Promise<void> => {
  const { child, output, exited } = start(`start ${roles}`.trim(), env);
  await waitUntil('it is ready', async () => {
    if (child.exitCode !== null) throw new Error(output.stdout + output.stderr);
    const url = /Colophon .* at (http:\/\/[\d.:]+)/.exec(output.stdout)?.[1];
    return url !== undefined && (await fetch(`${url}/health/ready`)).ok;
  });
  child.kill('SIGTERM');
  expect((await exited).code).toBe(0);
};

type ShownInstallation = {
  id: string;
  secret_fingerprint: string;
  secret: { ownership: string };
  engines: { engine: string; ownership: string }[];
};
const showInstallation = async (env?: EnvironmentVariables): Promise<ShownInstallation> =>
  JSON.parse(await runSuccessfully('installation show --json', env)) as ShownInstallation;
const ownerships = async (env?: EnvironmentVariables): Promise<string[]> =>
  (await showInstallation(env)).engines.map((engine) => engine.ownership);
const typesIn = async (): Promise<string[]> =>
  (JSON.parse(await runSuccessfully('events installation-1 --json')) as { type: string }[]).map(({ type }) => type);

const secretFile = (): string => join(data, 'secret.key');
const another = 'another secret that is long enough';

describe('The first start', () => {
  it('of several processes at once creates one installation with one secret and its engines', async () => {
    const processes = Array.from({ length: 3 }, () => start(accountCommand));
    const results = await Promise.all(processes.map(({ exited }) => exited));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await typesIn()).toEqual(['InstallationCreated', 'BlobStoreRegistered']);
    expect(await ownerships()).toEqual(['own', 'own']);
    expect((await showInstallation()).secret).toMatchObject({ ownership: 'own' });
  });

  it.each(['', 'cut of'])('creates the secret again when a crash has left it as "%s"', async (left) => {
    await writeFile(secretFile(), left);
    await createAccount();
    expect(Buffer.from(readFileSync(secretFile(), 'utf8'), 'base64')).toHaveLength(32);
    await createAccount();
  });

  it('uses a secret file that exists already', async () => {
    const given = Buffer.alloc(32, 7).toString('base64');
    await writeFile(secretFile(), given);
    await createAccount();
    expect(readFileSync(secretFile(), 'utf8')).toBe(given);
  });
});

describe('An installation whose secret', () => {
  beforeEach(async () => void (await createInstallation()));

  it.each([
    ['is missing', ['start', 'account list'], () => rm(secretFile())],
    ['is cut off', ['account list'], () => writeFile(secretFile(), 'cut of')],
  ])('%s refuses commands, says what to do, and does not create another one', async (_, commands, damage) => {
    const right = readFileSync(secretFile());
    await damage();
    for (const args of commands)
      expect(await refusal(args)).toMatch(
        /The secret of this installation is missing: .*secret\.key .*Restore secret\.key from the backup, or set COLOPHON_SECRET\./,
      );
    expect(existsSync(secretFile()) ? readFileSync(secretFile(), 'utf8') : 'cut of').toBe('cut of');
    await writeFile(secretFile(), right);
    await runSuccessfully('account list');
    expect(await typesIn()).toEqual(['InstallationCreated', 'BlobStoreRegistered']);
  });

  it('is another one refuses commands, unless the previous secrets contain the former one', async () => {
    const former = `base64:${readFileSync(secretFile(), 'utf8').trim()}`;
    const env = { COLOPHON_SECRET: another };
    expect(await refusal('account list', env)).toMatch(
      new RegExp(
        'COLOPHON_SECRET is not the secret of this installation: its fingerprint is [0-9a-f]{16}, ' +
          'but the event log has [0-9a-f]{16}\\..*COLOPHON_PREVIOUS_SECRETS',
      ),
    );
    await expectToServe('', { ...env, COLOPHON_PREVIOUS_SECRETS: former });
    expect((await run('account list', env)).code).toBe(0);
    expect(await refusal('account list')).toContain('secret.key is not the secret of this installation');
    expect(JSON.parse(await runSuccessfully('events installation-1 --raw --json', env))).toMatchObject([
      {},
      {},
      { type: 'SecretRotated', data: { to: (await showInstallation(env)).secret_fingerprint } },
    ]);
  });

  it('is lost gets another one when a person accepts that', async () => {
    const { secret_fingerprint: before } = await showInstallation();
    await rm(secretFile());
    expect(await runSuccessfully('installation accept-secret')).toContain('Every account now has a new webhook secret');
    expect((await showInstallation()).secret_fingerprint).not.toBe(before);
    await runSuccessfully('account list');
    expect(await runSuccessfully('installation accept-secret')).toContain('already');
    await runSuccessfully('installation accept-secret', { COLOPHON_SECRET: another });
    expect(await refusal('account list')).toContain('not the secret');
    await runSuccessfully('account list', { COLOPHON_SECRET: another });
  });
});

describe('A process', () => {
  beforeEach(async () => void (await createInstallation()));

  it.each([
    ['BLOB_STORE_URL', 'file:', 'blobs', 'blobs'],
    ['READ_STORE_URL', 'sqlite:', 'read-models.db', 'read models'],
  ])(
    'whose %s leads to another installation refuses commands, and changes nothing',
    async (variable, scheme, place, part) => {
      const [own, other] = [data, (data = await folder())];
      await createInstallation();
      data = own;
      const env = { [variable]: `${scheme}${join(other, place)}` };
      expect(await refusal('account list', env)).toMatch(
        new RegExp(
          `${variable} leads to the ${part} of another installation \\(\\w+\\)\\. ` +
            `The event log at EVENT_STORE_URL belongs to installation ${(await showInstallation()).id}\\.`,
        ),
      );
      expect((await ownerships(env)).filter((whose) => whose === 'other')).toHaveLength(1);
      data = other;
      expect(await ownerships()).toEqual(['own', 'own']);
    },
  );

  it('with a new event log and the engines of another log refuses to start, and names them all', async () => {
    await rm(join(data, 'log.db'));
    const output = await refusal('start');
    for (const setting of ['BLOB_STORE_URL (file: in COLOPHON_DATA_DIR)', 'READ_STORE_URL'])
      expect(output).toContain(`${setting}${setting.endsWith('URL') ? ' (sqlite:' : ' leads to'}`);
    expect(output).toContain('The event log may be the wrong one, or a new one');
  });

  it('whose blobs are gone refuses to start until they are back or a person accepts the loss', async () => {
    const kept = await folder();
    await cp(join(data, 'blobs'), kept, { recursive: true });
    await rm(join(data, 'blobs'), { recursive: true });
    for (const args of ['start', 'account list'])
      expect(await refusal(args)).toMatch(
        /BLOB_STORE_URL .*leads to a blob store without the id of this installation.*Mount the right folder/,
      );
    await rm(join(data, 'blobs'), { recursive: true });
    await cp(kept, join(data, 'blobs'), { recursive: true });
    await createAccount();
    await rm(join(data, 'blobs'), { recursive: true });
    expect(await runSuccessfully('installation accept-blobs')).toContain('now belongs to the installation');
    expect(await typesIn()).toEqual([
      'InstallationCreated',
      'BlobStoreRegistered',
      'BlobStoreReplaced',
      'BlobStoreRegistered',
    ]);
    await createAccount();
  });

  it('builds missing read models from the event log, which then belong to the installation', async () => {
    for (const name of ['read-models.db']) await rm(join(data, name));
    await expectToServe('');
    expect(await ownerships()).toEqual(['own', 'own']);
  });
});

describe.skipIf(!areServersAvailable)('On servers', () => {
  it('a process with another event log refuses to use the engines of the first', async () => {
    const { servers, settings, close } = await openServersEnvironment();
    cleanups.push(close);
    await createAccount(settings);
    expect(await ownerships(settings)).toEqual(['own', 'own', 'own']);
    const second = await startKurrentDbStandInProcess({ data: join(data, 'log') });
    cleanups.push(() => second.kill());
    const mixed = serverSettings({
      kurrentdb: `kurrentdb://127.0.0.1:${second.port}?tls=false`,
      nats: servers.nats.url,
      mongodb: servers.mongodb.url,
    });
    const outputs = [await refusal('account list', mixed), await refusal('start api relay', mixed)];
    for (const output of outputs) expect(output).toContain('BUS_URL leads to the bus of another installation');
    for (const part of ['BLOB_STORE_URL leads to the blobs', 'READ_STORE_URL leads to the read models'])
      expect(outputs[0]).toContain(part);
    await createAccount(settings);
  });
});
