import { randomBytes } from 'node:crypto';
import { measureLatency } from './latency-beside-heavy-render.ts';
import { printHeading, printTarget, quantile } from './report.ts';
import { requireStatus, withBenchService } from './service.ts';

const mb = 1024 * 1024;
const boundary = 'bench-boundary';

const partOf = (name: string, fileName: string, content: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const formOf = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);

/** The signature of a GIF image, and bytes that no image decoder accepts: the time to decode images is not measured. */
const imageOf = (size: number): Buffer => Buffer.concat([Buffer.from('GIF89a'), randomBytes(size)]);

const row = '<tr><td>Item of a long list</td><td class="n">12.50</td><td>Some more text that fills the cell</td></tr>';
const uploads: Record<string, () => Buffer> = {
  '9 images of 1 MB': () =>
    formOf(
      partOf('file', 'a.html', Array.from({ length: 9 }, (_, index) => `<img src="img/${index}.gif">`).join('')),
      ...Array.from({ length: 9 }, (_, index) => partOf('assets', `img/${index}.gif`, imageOf(mb))),
    ),
  'one image of 9 MB': () =>
    formOf(partOf('file', 'a.html', '<img src="a.gif">'), partOf('assets', 'a.gif', imageOf(9 * mb))),
  'a 9 MB HTML file and a logo': () =>
    formOf(
      partOf('file', 'a.html', `<img src=a.gif><table hidden>${row.repeat(Math.floor((9 * mb) / row.length))}</table>`),
      partOf('assets', 'a.gif', imageOf(1000)),
    ),
};

export const latencyBesideUpload = async (): Promise<void> => {
  printHeading('GET /api/v1/account while a 9 MB form is received and rendered');
  await withBenchService({}, async (bench) => {
    for (let warm = 0; warm < 20; warm += 1) requireStatus(await bench.request('GET', '/api/v1/account'));
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const small = formOf(partOf('file', 'a.html', '<img src=a.gif>'), partOf('assets', 'a.gif', imageOf(100_000)));
    requireStatus(await bench.request('POST', '/api/v1/render', small, headers));
    for (const [name, bodyOf] of Object.entries(uploads)) {
      const body = bodyOf();
      const started = performance.now();
      const heavy = bench.request('POST', '/api/v1/render', body, headers).then((response) => {
        requireStatus(response);
        console.log(`  ${name}: ${Math.round(performance.now() - started)} ms`);
      });
      const times = await measureLatency(bench, '/api/v1/account', heavy);
      console.log(`  ${times.length} requests, p50 ${quantile(times, 0.5).toFixed(1)} ms`);
      printTarget(`slowest response beside ${name}`, Math.max(...times), 'at most', 100, ' ms');
    }
  });
};
