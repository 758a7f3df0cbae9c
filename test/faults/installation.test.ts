import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ProcessResult, type EnvironmentVariables, startColophon } from '../support/service/colophon-process.ts';
import { waitUntil } from '../support/wait-until.ts';
import { areServersAvailable, openServersEnvironment, serverSettings } from '../support/environment.ts';
import { startFakeKurrentDbProcess } from '../support/kurrentdb/process.ts';

// Each command is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 90_000 });

const ends: (() => Promise<unknown>)[] = [];
let data: string;

const folder = async (): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), 'colophon-installation-'));
  ends.push(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
};
beforeEach(async () => {
  data = await folder();
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const begin = (args: string, env: EnvironmentVariables) => {
  const process = startColophon(args.split(' '), { PORT: '0', COLOPHON_DATA_DIR: data, ...env });
  ends.push(async () => {
    process.child.kill('SIGKILL');
    await process.exited;
  });
  return process;
};
const run = (args: string, env: EnvironmentVariables = {}): Promise<ProcessResult> => begin(args, env).exited;
const succeeds = async (args: string, env?: EnvironmentVariables): Promise<string> => {
  const { code, stdout, stderr } = await run(args, env);
  expect(code, stdout + stderr).toBe(0);
  return stdout;
};
const createAccount = (env?: EnvironmentVariables): Promise<string> =>
  succeeds('account create --name tests --plan free', env);

/** What a process says that refuses to start, or to carry out a command. */
const refusal = async (args: string, env: EnvironmentVariables = {}): Promise<string> => {
  const { output: said, exited: ended } = begin(args, env);
  const served = waitUntil('it ends or serves', () =>
    /Colophon is ready|"level":"info",[^\n]*"msg":"ready"/.test(said.stdout),
  ).then(() => ({ code: 'it serves' }));
  const { code } = await Promise.race([ended, served]);
  expect(code, said.stdout + said.stderr).toBe(1);
  return said.stdout + said.stderr;
};

/** Starts roles, waits until they are ready, and ends them. */
const serves = async (roles: string, env: EnvironmentVariables = {}): Promise<void> => {
  const { child, output: said, exited: ended } = begin(`start ${roles}`.trim(), env);
  await waitUntil('it is ready', async () => {
    if (child.exitCode !== null) throw new Error(said.stdout + said.stderr);
    const url = /Colophon .* at (http:\/\/[\d.:]+)/.exec(said.stdout)?.[1];
    return url !== undefined && (await fetch(`${url}/health/ready`)).ok;
  });
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
};

type Shown = {
  id: string;
  secret_fingerprint: string;
  secret: { ownership: string };
  engines: { engine: string; ownership: string }[];
};
const shown = async (env?: EnvironmentVariables): Promise<Shown> =>
  JSON.parse(await succeeds('installation show --json', env)) as Shown;
const ownerships = async (env?: EnvironmentVariables): Promise<string[]> =>
  (await shown(env)).engines.map((engine) => engine.ownership);
const typesIn = async (): Promise<string[]> =>
  (JSON.parse(await succeeds('events installation-1 --json')) as { type: string }[]).map(({ type }) => type);

const secretFile = (): string => join(data, 'secret.key');
const another = 'another secret that is long enough';

describe('The first start', () => {
  it('of several processes at once makes one installation, with one secret, whose all engines are', async () => {
    await Promise.all(Array.from({ length: 4 }, () => createAccount()));
    expect(await typesIn()).toEqual(['InstallationCreated', 'BlobStoreRegistered']);
    expect(await ownerships()).toEqual(['own', 'own']);
    expect((await shown()).secret).toMatchObject({ ownership: 'own' });
  });

  it.each(['', 'cut of'])('makes a secret anew that a crash has left as "%s"', async (left) => {
    await writeFile(secretFile(), left);
    await createAccount();
    expect(Buffer.from(readFileSync(secretFile(), 'utf8'), 'base64')).toHaveLength(32);
    await createAccount();
  });

  it('takes a secret that is there already', async () => {
    const given = Buffer.alloc(32, 7).toString('base64');
    await writeFile(secretFile(), given);
    await createAccount();
    expect(readFileSync(secretFile(), 'utf8')).toBe(given);
  });
});

describe('An installation whose secret', () => {
  beforeEach(async () => void (await createAccount()));

  it.each([
    ['is missing', () => rm(secretFile())],
    ['is cut off', () => writeFile(secretFile(), 'cut of')],
  ])('%s refuses to start, says what to do, and makes no other one', async (_, harm) => {
    const right = readFileSync(secretFile());
    await harm();
    for (const args of ['start', 'account list'])
      expect(await refusal(args)).toMatch(
        /The secret of this installation is missing: .*secret\.key .*Restore secret\.key from the backup, or set COLOPHON_SECRET\./,
      );
    expect(existsSync(secretFile()) ? readFileSync(secretFile(), 'utf8') : 'cut of').toBe('cut of');
    await writeFile(secretFile(), right);
    await serves('');
    expect(await typesIn()).toEqual(['InstallationCreated', 'BlobStoreRegistered']);
  });

  it('is another one refuses to start, unless the former one is named among the previous ones', async () => {
    const former = `base64:${readFileSync(secretFile(), 'utf8').trim()}`;
    const env = { COLOPHON_SECRET: another };
    expect(await refusal('start', env)).toMatch(
      /COLOPHON_SECRET is not the secret of this installation: its fingerprint is [0-9a-f]{16}, but the event log has [0-9a-f]{16}\..*COLOPHON_PREVIOUS_SECRETS/,
    );
    await serves('', { ...env, COLOPHON_PREVIOUS_SECRETS: former });
    expect((await run('account list', env)).code).toBe(0);
    expect(await refusal('account list')).toContain('secret.key is not the secret of this installation');
    expect(JSON.parse(await succeeds('events installation-1 --json', env))).toMatchObject([
      {},
      {},
      { type: 'SecretRotated', data: { to: (await shown(env)).secret_fingerprint } },
    ]);
  });

  it('is lost has another one once a person accepts that', async () => {
    const { secret_fingerprint: before } = await shown();
    await rm(secretFile());
    expect(await succeeds('installation accept-secret')).toContain('Every account now has another webhook secret');
    expect((await shown()).secret_fingerprint).not.toBe(before);
    await serves('');
    expect(await succeeds('installation accept-secret')).toContain('already');
    await succeeds('installation accept-secret', { COLOPHON_SECRET: another });
    expect(await refusal('account list')).toContain('not the secret');
    await succeeds('account list', { COLOPHON_SECRET: another });
  });
});

describe('A process', () => {
  beforeEach(async () => void (await createAccount()));

  it.each([
    ['BLOB_STORE_URL', 'file:', 'blobs', 'blobs'],
    ['READ_STORE_URL', 'sqlite:', 'read-models.db', 'read models'],
  ])(
    'whose %s leads to another installation refuses to work, and changes nothing',
    async (variable, scheme, place, part) => {
      const [own, other] = [data, (data = await folder())];
      await createAccount();
      data = own;
      const env = { [variable]: `${scheme}${join(other, place)}` };
      for (const args of ['start', 'account list'])
        expect(await refusal(args, env)).toMatch(
          new RegExp(
            `${variable} leads to the ${part} of another installation \\(\\w+\\); the event log that EVENT_STORE_URL names is that of ${(await shown()).id}\\.`,
          ),
        );
      expect((await ownerships(env)).filter((whose) => whose === 'other')).toHaveLength(1);
      data = other;
      expect(await ownerships()).toEqual(['own', 'own']);
    },
  );

  it('with a new event log beside what another log was built into refuses to work, and names all of it', async () => {
    await rm(join(data, 'log.db'));
    const said = await refusal('start');
    for (const setting of ['BLOB_STORE_URL (file: in COLOPHON_DATA_DIR)', 'READ_STORE_URL'])
      expect(said).toContain(`${setting}${setting.endsWith('URL') ? ' (sqlite:' : ' leads to'}`);
    expect(said).toContain('the log may be the wrong one, or a new one');
  });

  it('whose blobs are gone refuses to work until they are back, or a person accepts the loss', async () => {
    const kept = await folder();
    await cp(join(data, 'blobs'), kept, { recursive: true });
    await rm(join(data, 'blobs'), { recursive: true });
    for (const args of ['start', 'account list'])
      expect(await refusal(args)).toMatch(
        /BLOB_STORE_URL .*leads to a blob store without the mark of this installation.*Mount the right folder/,
      );
    await rm(join(data, 'blobs'), { recursive: true });
    await cp(kept, join(data, 'blobs'), { recursive: true });
    await createAccount();
    await rm(join(data, 'blobs'), { recursive: true });
    expect(await succeeds('installation accept-blobs')).toContain('from now on');
    expect(await typesIn()).toEqual([
      'InstallationCreated',
      'BlobStoreRegistered',
      'BlobStoreReplaced',
      'BlobStoreRegistered',
    ]);
    await createAccount();
  });

  it('builds anew what can be built from the log, and lets it belong to the installation', async () => {
    for (const name of ['read-models.db']) await rm(join(data, name));
    await serves('');
    expect(await ownerships()).toEqual(['own', 'own']);
  });
});

describe.skipIf(!areServersAvailable)('On servers', () => {
  it('a process with another event log refuses to work on what belongs to the first', async () => {
    const { servers, settings, close } = await openServersEnvironment();
    ends.push(close);
    await createAccount(settings);
    expect(await ownerships(settings)).toEqual(['own', 'own', 'own']);
    const second = await startFakeKurrentDbProcess({ data: join(data, 'log') });
    ends.push(() => second.kill());
    const mixed = serverSettings({
      kurrentdb: `kurrentdb://127.0.0.1:${second.port}?tls=false`,
      nats: servers.nats.url,
      mongodb: servers.mongodb.url,
    });
    const said = [
      await refusal('account list', mixed),
      await refusal('start relay', mixed),
      await refusal('start api', mixed),
    ];
    for (const one of said) expect(one).toContain('BUS_URL leads to the bus of another installation');
    for (const part of ['BLOB_STORE_URL leads to the blobs', 'READ_STORE_URL leads to the read models'])
      expect(said[0]).toContain(part);
    await createAccount(settings);
  });
});
