import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { openWebhookReceivers, type ReceivedWebhook, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

let receivers: WebhookReceivers;
const at = serviceForTestFile(async () => {
  receivers = await openWebhookReceivers();
  return receivers.settings;
});

type Callback = { body: string; headers: Record<string, unknown>; secret: string; now: number };
let folder: string;
let genuine: Callback[];

const callbackOf = ({ bytes, headers }: ReceivedWebhook, secret: string): Callback => ({
  body: bytes.toString('base64'),
  headers,
  secret,
  now: Date.now(),
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-docs-'));
  const account = await openAccount(at.installation);
  const jobs = createJobClient(createClient(at.service.url, (await issueKey(at.installation, account)).key));
  const receiver = await receivers.openReceiver();
  const secretOf = async (...options: string[]) =>
    (await at.installation.runJsonCommand<{ secret: string }>('account', 'webhook-secret', account, ...options)).secret;
  const next = async (): Promise<ReceivedWebhook> => {
    const { job_id } = await jobs.submit({ webhook_url: receiver.url });
    return waitUntil('the callback comes', () => receiver.forJob(job_id)[0]);
  };
  const former = await secretOf();
  const first = callbackOf(await next(), former);
  const present = await secretOf('--rotate');
  const second = await next();
  genuine = [first, callbackOf(second, present), callbackOf(second, former)];
});
afterAll(async () => {
  await receivers.close();
  await rm(folder, { recursive: true, force: true });
});

const blockOf = async (language: string): Promise<string> => {
  const page = await readFile(new URL('../../docs/callbacks.md', import.meta.url), 'utf8');
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)![1]!;
};

/** Runs the functions of the page over callbacks. Returns [valid by X-Service-Signature, valid by Standard Webhooks] for each. */
type Run = (callbacks: readonly Callback[]) => Promise<[boolean, boolean][]>;

const run = (program: string, file: string, callbacks: readonly Callback[]): [boolean, boolean][] => {
  const { stdout, stderr } = spawnSync(program, [file], {
    input: JSON.stringify(callbacks),
    encoding: 'utf8',
    cwd: folder,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as [boolean, boolean][];
};

const inNode: Run = async (callbacks) => {
  await writeFile(join(folder, 'verify.mjs'), await blockOf('js'));
  await writeFile(
    join(folder, 'main.mjs'),
    `import { isFromColophon, isFreshFromColophon } from ${JSON.stringify(pathToFileURL(join(folder, 'verify.mjs')))};
    import { json } from 'node:stream/consumers';
    const bytes = (one) => Buffer.from(one.body, 'base64');
    const verify = (one) => [
      isFromColophon(bytes(one), one.headers, one.secret),
      isFreshFromColophon(bytes(one), one.headers, one.secret, one.now),
    ];
    console.log(JSON.stringify((await json(process.stdin)).map(verify)));`,
  );
  return run(process.execPath, 'main.mjs', callbacks);
};

const inPython: Run = async (callbacks) => {
  await writeFile(join(folder, 'verify.py'), await blockOf('python'));
  await writeFile(
    join(folder, 'main.py'),
    `import base64, json, sys
from verify import is_from_colophon, is_fresh_from_colophon
results = []
for one in json.load(sys.stdin):
    body = base64.b64decode(one["body"])
    results.append([
        is_from_colophon(body, one["headers"], one["secret"]),
        is_fresh_from_colophon(body, one["headers"], one["secret"], one["now"] / 1000),
    ])
print(json.dumps(results))`,
  );
  return run('python3', 'main.py', callbacks);
};

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe.each<[string, Run, boolean]>([
  ['Node.js', inNode, true],
  ['Python', inPython, hasPython],
])('The code of the page about callbacks for %s', (_, verify, isThere) => {
  it.skipIf(!isThere)(
    'accepts real callbacks; after a rotation the new secret is valid in both schemes, the previous one in Standard Webhooks',
    async () => {
      expect(await verify(genuine)).toEqual([
        [true, true],
        [true, true],
        [false, true],
      ]);
    },
  );

  it.skipIf(!isThere)(
    'rejects a changed body, a wrong secret, missing headers, and a time far in the past or future',
    async () => {
      const [callback] = genuine as [Callback, ...Callback[]];
      const without = (pattern: RegExp) => ({
        ...callback,
        headers: Object.fromEntries(Object.entries(callback.headers).filter(([name]) => !pattern.test(name))),
      });
      const changed = Buffer.from(Buffer.from(callback.body, 'base64').toString().replace('DONE', 'FAIL')).toString(
        'base64',
      );
      const refused = [
        { ...callback, body: changed },
        { ...callback, secret: genuine[1]!.secret },
        without(/signature/),
        without(/^webhook|x-service/),
      ];
      expect(await verify(refused)).toEqual(refused.map(() => [false, false]));
      expect(
        await verify([
          { ...callback, now: callback.now + 400_000 },
          { ...callback, now: callback.now - 400_000 },
        ]),
      ).toEqual([
        [true, false],
        [true, false],
      ]);
    },
  );
});
