import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApi } from '../../services/api/docs/openapi.ts';
import { routes } from '../../services/api/routes.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { readSnippets, type Snippet, snippetsOf } from '../support/repo/guide-snippets.ts';
import { freePort } from '../support/network/free-port.ts';
import { childEnvironment } from '../support/service/colophon-process.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const exampleUrl = 'http://localhost:8080';
type DescribedDocument = {
  info: { description: string };
  paths: Record<string, Record<string, { description: string }>>;
};

/** All texts of the reference in Markdown: the introduction, and those of the operations. */
const referenceTexts = ({ info, paths }: DescribedDocument): string[] => [
  info.description,
  ...Object.values(paths).flatMap((methods) => Object.values(methods).map(({ description }) => description)),
];
const builtTexts = referenceTexts(buildOpenApi(routes, { version: '1', baseUrl: exampleUrl }) as never);

const guides: [name: string, snippets: Snippet[]][] = [
  ...['README.md', 'docs/quickstart.md', 'docs/inputs.md', 'docs/pdf.md', 'docs/templates.md', 'docs/callbacks.md'].map(
    (guide): [string, Snippet[]] => [guide, readSnippets(join(root, guide))],
  ),
  ['the reference at /docs', snippetsOf(builtTexts.join('\n\n'))],
];

/** The web page that a guide prints. */
const pageServer = createServer((_, response) =>
  response.setHeader('content-type', 'text/html').end('<h1>A page</h1>'),
);
const pagePort = (): number => (pageServer.address() as AddressInfo).port;

let receiverPort: number;
let certificates: string;
const at = serviceForTestFile(async () => {
  receiverPort = await freePort();
  certificates = await mkdtemp(join(tmpdir(), 'colophon-guide-certificates-'));
  const command = readSnippets(join(root, 'docs/callbacks.md')).find(({ text: content }) =>
    content.startsWith('openssl'),
  );
  execFileSync('bash', ['-eu', '-c', command!.text], { cwd: certificates });
  await once(pageServer.listen(), 'listening');
  return {
    // Links in responses have this port.
    PORT: String(await freePort()),
    COLOPHON_EGRESS_ALLOW: `localhost:${receiverPort},localhost:${pagePort()}`,
    COLOPHON_EGRESS_CA_FILE: join(certificates, 'receiver.pem'),
  };
});
afterAll(async () => {
  pageServer.close();
  await rm(certificates, { recursive: true, force: true });
});

/** Of the encrypted PDFs that guides make. */
const passwords: Record<string, string> = { 'protected.pdf': 'tulip 7261' };

/** A text of a guide with the URLs of this test in place of those of the reader. */
const withTestUrls = (content: string): string =>
  content
    .replaceAll(exampleUrl, at.service.url)
    .replaceAll('"https://example.com/"', `"http://localhost:${pagePort()}/"`)
    .replaceAll('8443', String(receiverPort));

/** The languages of the guides that this machine lacks. */
const missingLanguages = ['python3', 'php', 'go'].filter(
  (program) => spawnSync(program, ['version']).error !== undefined,
);
const needsMissingLanguage = ({ text: command }: Snippet): boolean =>
  missingLanguages.some((program) => new RegExp(`^${program} `, 'm').test(command));

/** A group whose processes have all ended is none. */
const killGroup = (group: number): void => {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    return;
  }
};

it('The reference that the service serves is the one whose snippets are run, with the URL of the service', async () => {
  const served = (await (await fetch(`${at.service.url}/openapi.json`)).json()) as DescribedDocument;
  expect(referenceTexts(served)).toEqual(builtTexts.map((content) => content.replaceAll(exampleUrl, at.service.url)));
});

describe.each(guides)('The snippets of %s', (_, snippets) => {
  let folder: string;
  let key: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'colophon-guide-'));
    await writeFile(join(folder, 'session'), '');
    await cp(certificates, folder, { recursive: true });
    await cp(join(root, 'test/fixtures/documents/agreement.docx'), join(folder, 'agreement.docx'));
    const command = ['key', 'create', '--account', 'default', '--type', 'test'];
    key = (await at.installation.runJsonCommand<{ key: string }>(...command)).key;
    for (const { file, text: content } of snippets) {
      if (file === null) continue;
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), withTestUrls(content));
    }
  });
  const groups: number[] = [];
  afterAll(async () => {
    for (const group of groups) killGroup(group);
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a command with the variables that earlier ones exported, as in the reader's terminal. */
  const run = async (command: string): Promise<{ code: number; output: string }> => {
    const child = spawn('bash', ['-eu', '-o', 'pipefail', '-c', `source ./session\n${command}\nexport -p > session`], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that what it starts in the background ends with the test.
      detached: true,
      env: childEnvironment({
        ...at.installation.env,
        PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
        COLOPHON_KEY: key,
      }),
    });
    groups.push(child.pid!);
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: code as number, output: stdout + stderr };
  };

  it('are all run, saved to a file, read as JSON, or marked with the reason why they are not run', () => {
    const unknown = snippets.filter(
      ({ language, file, reason }) => file === null && reason === null && !['sh', 'json', 'text'].includes(language),
    );
    expect(unknown.map(({ line, language }) => `line ${line}: ${language}`)).toEqual([]);
  });

  it.each(snippets.filter(({ language, reason }) => language === 'json' && reason === null))(
    'have valid JSON on line $line',
    ({ text: content }) => {
      expect(() => JSON.parse(content) as unknown).not.toThrow();
    },
  );

  const isCommand = ({ language, file, reason, text: content }: Snippet): boolean =>
    language === 'sh' && file === null && reason === null && !content.startsWith('openssl');
  it.for(snippets.filter(isCommand))('run without an error: line $line', async (snippet, { skip }) => {
    skip(needsMissingLanguage(snippet), 'its language is not installed');
    const { code, output } = await run(withTestUrls(snippet.text));
    expect([code, output]).toEqual([0, expect.anything()]);
  });

  it('write PDFs with text', async () => {
    const pdfs = (await readdir(folder)).filter((name) => name.endsWith('.pdf'));
    for (const pdf of pdfs) {
      const pages = await readPdf((await readFile(join(folder, pdf))).toString('base64'), passwords[pdf]);
      expect(pages.map((page) => page.text.trim()).join(''), pdf).not.toBe('');
    }
  });
});
