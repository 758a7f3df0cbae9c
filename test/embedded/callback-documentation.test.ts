import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { openWebhookReceivers, type ReceivedWebhook, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { readSnippets } from '../support/repo/guide-snippets.ts';
import { serviceSignature } from '../support/webhooks/signatures.ts';
import { waitUntil } from '../support/wait-until.ts';

let receivers: WebhookReceivers;
const at = serviceForTestFile(async () => {
  receivers = await openWebhookReceivers();
  return receivers.settings;
});

type Callback = { body: string; headers: Record<string, unknown>; secret: string; now: number };
let folder: string;
let genuine: Callback[];
let account: string;

const callbackOf = ({ bytes, headers }: ReceivedWebhook, secret: string): Callback => ({
  body: bytes.toString('base64'),
  headers,
  secret,
  now: Date.now(),
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-docs-'));
  account = await openAccount(at.installation);
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

const root = new URL('../../', import.meta.url);
const snippets = readSnippets(fileURLToPath(new URL('docs/callbacks.md', root)));
const snippetOf = (name: string): string => snippets.find(({ file }) => file === name)!.text;

/** Valid by X-Service-Signature-All, and by Standard Webhooks. */
type Verdict = [boolean, boolean];
/** A program beside the code of the page, which verifies callbacks. */
type Verifier = {
  language: string;
  /** The file of the page. */
  snippet: string;
  /** Reads the callbacks from standard input, and writes a verdict for each. */
  main: { file: string; text: string };
  /** The command to run the program, and one to compile it before. */
  command: [string, ...string[]];
  compile?: [string, ...string[]];
  /** The callbacks as the program reads them. Default: JSON. */
  input?: (callbacks: readonly Callback[]) => string;
  /** Present if the language may be missing on a machine: a command that it has. */
  needs?: [string, ...string[]];
};

/** One line for each callback, for a language without a JSON parser of its own. */
const linesOf = (callbacks: readonly Callback[]): string =>
  callbacks
    .map(({ body, headers, secret, now }) =>
      [body, secret, now, ...Object.entries(headers).flat()].map(String).join('\t'),
    )
    .join('\n');

const verifiers: Verifier[] = [
  {
    language: 'Node.js',
    snippet: 'verify.mjs',
    command: [process.execPath, 'main.mjs'],
    main: {
      file: 'main.mjs',
      text: `import { isFromColophon, isFreshFromColophon } from './verify.mjs';
import { json } from 'node:stream/consumers';
const bytes = (one) => Buffer.from(one.body, 'base64');
const verify = (one) => [
  isFromColophon(bytes(one), one.headers, one.secret),
  isFreshFromColophon(bytes(one), one.headers, one.secret, one.now),
];
console.log(JSON.stringify((await json(process.stdin)).map(verify)));`,
    },
  },
  {
    language: 'Python',
    snippet: 'verify.py',
    command: ['python3', 'main.py'],
    needs: ['python3', '--version'],
    main: {
      file: 'main.py',
      text: `import base64, json, sys
from verify import is_from_colophon, is_fresh_from_colophon
results = []
for one in json.load(sys.stdin):
    body = base64.b64decode(one["body"])
    results.append([
        is_from_colophon(body, one["headers"], one["secret"]),
        is_fresh_from_colophon(body, one["headers"], one["secret"], one["now"] / 1000),
    ])
print(json.dumps(results))`,
    },
  },
  {
    language: 'PHP',
    snippet: 'verify.php',
    command: ['php', 'main.php'],
    needs: ['php', '--version'],
    main: {
      file: 'main.php',
      text: `<?php
require 'verify.php';
echo json_encode(array_map(fn ($one) => [
    isFromColophon(base64_decode($one['body']), $one['headers'], $one['secret']),
    isFreshFromColophon(base64_decode($one['body']), $one['headers'], $one['secret'], $one['now'] / 1000),
], json_decode(stream_get_contents(STDIN), true)));`,
    },
  },
  {
    language: 'Go',
    snippet: 'verify.go',
    command: ['go', 'run', 'main.go', 'verify.go'],
    needs: ['go', 'version'],
    main: {
      file: 'main.go',
      text: `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"
)

func main() {
	var callbacks []struct {
		Body    []byte
		Headers map[string]string
		Secret  string
		Now     int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&callbacks); err != nil {
		panic(err)
	}
	results := [][]bool{}
	for _, one := range callbacks {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		results = append(results, []bool{
			isFromColophon(one.Body, headers, one.Secret),
			isFreshFromColophon(one.Body, headers, one.Secret, time.UnixMilli(one.Now)),
		})
	}
	json.NewEncoder(os.Stdout).Encode(results)
}`,
    },
  },
  {
    language: 'Java',
    snippet: 'Verify.java',
    compile: ['javac', '-J-XX:TieredStopAtLevel=1', 'Verify.java', 'Main.java'],
    command: ['java', 'Main'],
    needs: ['javac', '-version'],
    input: linesOf,
    main: {
      file: 'Main.java',
      text: `import java.io.*;
import java.time.Instant;
import java.util.*;

class Main {
  public static void main(String[] args) throws Exception {
    List<String> results = new ArrayList<>();
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = input.readLine()) != null; ) {
      String[] parts = line.split("\t", -1);
      byte[] body = Base64.getDecoder().decode(parts[0]);
      Map<String, String> headers = new HashMap<>();
      for (int index = 3; index + 1 < parts.length; index += 2) headers.put(parts[index], parts[index + 1]);
      results.add("[" + Verify.isFromColophon(body, headers, parts[1]) + ","
          + Verify.isFreshFromColophon(body, headers, parts[1], Instant.ofEpochMilli(Long.parseLong(parts[2]))) + "]");
    }
    System.out.println("[" + String.join(",", results) + "]");
  }
}`,
    },
  },
];

const run = ([program, ...parameters]: [string, ...string[]], input = ''): string => {
  const { stdout, stderr, status } = spawnSync(program, parameters, { input, encoding: 'utf8', cwd: folder });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
};

const isInstalled = ({ needs }: Verifier): boolean => !needs || spawnSync(needs[0], needs.slice(1)).status === 0;

describe.each(verifiers.map((one): [string, Verifier] => [one.language, one]))(
  'The code of the page about callbacks for %s',
  (_, verifier) => {
    const isThere = isInstalled(verifier);
    beforeAll(async () => {
      if (!isThere) return;
      const { snippet, main, compile } = verifier;
      await writeFile(join(folder, snippet), snippetOf(snippet));
      await writeFile(join(folder, main.file), main.text);
      if (compile) run(compile);
    });
    const verify = (callbacks: readonly Callback[]): Verdict[] =>
      JSON.parse(run(verifier.command, (verifier.input ?? JSON.stringify)(callbacks))) as Verdict[];

    it.skipIf(!isThere)('accepts real callbacks; after a rotation with either secret, in both schemes', () => {
      expect(verify(genuine)).toEqual(genuine.map(() => [true, true]));
    });

    it.skipIf(!isThere)(
      'rejects a changed body, a wrong secret, missing headers, and a time far in the past or future',
      () => {
        const [callback] = genuine as [Callback, ...Callback[]];
        const without = (pattern: RegExp) => ({
          ...callback,
          headers: Object.fromEntries(Object.entries(callback.headers).filter(([name]) => !pattern.test(name))),
        });
        const changed = Buffer.from(callback.body, 'base64').toString().replace('DONE', 'FAIL');
        const refused = [
          { ...callback, body: Buffer.from(changed).toString('base64') },
          { ...callback, secret: genuine[1]!.secret },
          without(/signature/),
          without(/^webhook|x-service/),
        ];
        const atOtherTimes = [-400_000, 400_000].map((ms) => ({ ...callback, now: callback.now + ms }));
        expect(verify([...refused, ...atOtherTimes])).toEqual([
          ...refused.map(() => [false, false]),
          ...atOtherTimes.map(() => [true, false]),
        ]);
      },
    );
  },
);

describe('The commands of the page about callbacks', () => {
  it('verify a body with openssl, and send a signed one with curl', async () => {
    for (const file of ['verify.sh', 'send.sh']) await writeFile(join(folder, file), snippetOf(file));
    const sh = (secret: string, ...parameters: string[]) => {
      const env = {
        ...process.env,
        WEBHOOK_SECRET: secret,
        CURL_CA_BUNDLE: receivers.settings['COLOPHON_EGRESS_CA_FILE'],
      };
      return spawn('sh', parameters, { cwd: folder, env, stdio: 'ignore' });
    };
    const statusOf = async (...parameters: Parameters<typeof sh>): Promise<unknown> =>
      (await once(sh(...parameters), 'close'))[0];
    const receiver = await receivers.openReceiver();
    const bodyFile = join(folder, 'body.json');
    for (const { body, headers, secret } of genuine) {
      await writeFile(bodyFile, Buffer.from(body, 'base64'));
      const signatures = String(headers['x-service-signature-all']);
      expect(await statusOf(secret, 'verify.sh', bodyFile, signatures)).toBe(0);
      expect(await statusOf(secret.replace(/.=$/, '_='), 'verify.sh', bodyFile, signatures)).toBe(1);
      expect(await statusOf(secret, 'send.sh', receiver.url, bodyFile)).toBe(0);
      const sent = receiver.received.at(-1)!;
      expect(sent.headers['x-service-signature-all']).toBe(serviceSignature(secret, sent));
      expect(sent.bytes.toString('base64')).toBe(body);
    }
  });

  it('show one secret, and name the previous one beside it', async () => {
    const [{ secret: former }, { secret: present }] = [genuine[0]!, genuine[1]!];
    const shown = await at.installation.runCommand('account', 'webhook-secret', account);
    expect(shown.stdout).toBe(`${present}\n`);
    expect(shown.stderr).toMatch(/^Callbacks are also signed with the previous secret until \S+Z: /);
    expect(shown.stderr).toContain(former);
  });

  it('and all other code are those that the dashboard shows', async () => {
    const code = new URL('services/dashboard/app/pages/webhooks/code/', root);
    const files = await readdir(code);
    expect(files.toSorted()).toEqual(['send.sh', 'verify.sh', ...verifiers.map(({ snippet }) => snippet)].toSorted());
    for (const file of files) expect(snippetOf(file), file).toBe(await readFile(new URL(file, code), 'utf8'));
  });
});
