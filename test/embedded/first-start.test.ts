import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readPdf } from '../support/documents/read-pdf.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';

const at = serviceForTestFile(() => ({ COLOPHON_DATADIR: './elsewhere', COLOPHON_KEY: 'svc_live_x' }));
let line: string;
beforeAll(() => {
  line = /^curl .*$/m.exec(at.service.output())![0];
});

const runInFolder = async (command: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-first-start-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const result = await new Promise<{ code: number | null; stderr: string }>((resolve) => {
    const child = execFile('sh', ['-c', command], { cwd: folder }, (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    );
  });
  return { ...result, invoice: await readFile(join(folder, 'invoice.pdf')) };
};

describe('The line that the first start prints', () => {
  it('makes an invoice of one page when it is pasted into a shell', async () => {
    const { code, stderr, invoice } = await runInFolder(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const pages = await readPdf(invoice.toString('base64'));
    expect(pages).toHaveLength(1);
    expect(pages[0]!.text).toMatch(/invoice/i);
  });

  it('fails visibly if the service rejects the request', async () => {
    const { code, stderr, invoice } = await runInFolder(line.replace('svc_test_', 'svc_test_x'));
    expect(code).toBe(22);
    expect(stderr).toContain('401');
    expect(invoice.toString()).toContain('"error":"invalid_api_key"');
  });
});

it('A start warns about a misspelt setting, and names the right one', () => {
  const lines = at.service.output().split('\n');
  expect(lines.filter((text) => text.includes('is no setting')).map((text) => JSON.parse(text) as unknown)).toEqual([
    expect.objectContaining({ level: 'warn', variable: 'COLOPHON_DATADIR', did_you_mean: 'COLOPHON_DATA_DIR' }),
  ]);
});
