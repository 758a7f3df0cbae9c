import { invoice } from './fixtures/invoice.ts';
import { compareWithCommandLine, hasSamePages } from '../support/documents/compare-office.ts';
import { canCompare } from '../support/documents/compare-pdfs.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { wordFilesOfOthers } from '../support/documents/office-files.ts';
import { sampleDocument } from '../support/documents/sample-documents.ts';
import { hostileDocuments } from '../fixtures/documents/hostile-documents.ts';
import { processTreeMemoryMb } from './memory.ts';
import { commandOf, processTree } from './processes.ts';
import { measure } from './raw-limit.ts';
import { median, printHeading, printMeasurement, printTarget, quantile } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

type Render = (inputType: string, data: string) => Promise<{ pdf_base64: string }>;

const renderWith =
  ({ request }: Bench): Render =>
  async (inputType, data) =>
    JSON.parse(
      requireStatus(
        await request('POST', '/api/v1/render', JSON.stringify({ mode: 'CONVERT', input_type: inputType, data })),
      ).toString(),
    ) as { pdf_base64: string };

/** The duration of renders of the invoice, one after the other, in milliseconds, until `over` or for `count`. */
const renderInvoices = async (render: Render, isOver: (count: number) => boolean): Promise<number[]> => {
  const times: number[] = [];
  while (!isOver(times.length)) {
    const start = performance.now();
    await render('html', invoice(times.length));
    times.push(performance.now() - start);
  }
  return times;
};

const officeMemoryMb = (root: number): number =>
  processTree(root)
    .filter((pid) => commandOf(pid).includes('convert.py') && !commandOf(pid).startsWith('/bin/sh'))
    .reduce((sum, pid) => sum + processTreeMemoryMb(pid), 0);

const compareFilesOfOthers = async (render: Render): Promise<void> => {
  const compared = await compareWithCommandLine(wordFilesOfOthers, async (type, file) => {
    const { pdf_base64 } = await render(type, file);
    return pdf_base64;
  });
  for (const one of compared.filter((other) => !hasSamePages(other)))
    console.log(
      `  ${one.name}: ${one.sizes.join(', ')}; LibreOffice itself: ${one.expectedSizes.join(', ') || 'none'}`,
    );
  const same = compared.filter(hasSamePages).length / compared.length;
  console.log(`  ${compared.length} files of others`);
  printTarget('files with the pages of LibreOffice itself, as a share', same, 'at least', 0.95);
  const sameText = compared.filter((one) => one.hasSameText).length / compared.length;
  printTarget('files with the text of LibreOffice itself, as a share', sameText, 'at least', 0.95);
  const similarities = compared.flatMap((one) => one.similarities);
  printTarget('median similarity of a page, where it differs most', median(similarities), 'at least', 0.95);
};

/** HTML while another account sends hostile documents, each after the last has ended. */
const measureBesideHostile = async ({ installation, request }: Bench, render: Render): Promise<void> => {
  const account = await installation.runJsonCommand<{ id: string }>(
    ...['account', 'create', '--name', 'hostile', '--plan', 'enterprise'],
  );
  const { key } = await installation.runJsonCommand<{ key: string }>(
    ...['key', 'create', '--account', account.id, '--type', 'live'],
  );
  const documents = Object.values(hostileDocuments('http://127.0.0.1:9/'));
  const alone = await renderInvoices(render, (count) => count >= 100);
  let over = false;
  const beside = renderInvoices(render, () => over);
  for (const { inputType, file } of documents) {
    const body = JSON.stringify({ mode: 'CONVERT', input_type: inputType, data: file.toString('base64') });
    await request('POST', '/api/v1/render', body, { authorization: `Bearer ${key}` });
  }
  over = true;
  const [aloneMs, besideMs] = [median(alone), median(await beside)];
  console.log(
    `  HTML alone p50 ${aloneMs.toFixed(1)} ms, beside ${documents.length} hostile files ${besideMs.toFixed(1)} ms`,
  );
  printTarget('HTML beside hostile documents, in multiples of HTML alone', besideMs / aloneMs, 'at most', 2);
};

export const word = async (documents: number): Promise<void> => {
  printHeading('Word documents, laid out by LibreOffice');
  if (!isOfficeAvailable) return console.log('  LibreOffice is not installed: nothing is measured.');
  await withBenchService({}, async (bench) => {
    const render = renderWith(bench);
    const agreement = sampleDocument('agreement.docx');
    const one = await measure(50, 1, () => render('docx', agreement));
    printMeasurement('one page, warm', one);
    printTarget('one page, warm, p50', one.p50Ms, 'at most', 300, ' ms');
    const early = officeMemoryMb(bench.service.pid);

    await renderInvoices(render, (count) => count >= 20);
    const alone = await renderInvoices(render, (count) => count >= 100);
    let over = false;
    const beside = renderInvoices(render, () => over);
    const parallel = await measure(100, 10, () => render('docx', agreement));
    over = true;
    const besideTimes = await beside;
    printMeasurement('10 at once beside HTML', parallel);
    const [aloneMs, besideMs] = [median(alone), median(besideTimes)];
    console.log(
      `  HTML alone p50 ${aloneMs.toFixed(1)} ms, beside them p50 ${besideMs.toFixed(1)} ms, ` +
        `p99 ${quantile(besideTimes, 0.99).toFixed(1)} ms`,
    );
    printTarget('HTML beside 10 Word documents, in multiples of HTML alone', besideMs / aloneMs, 'at most', 3);
    printTarget(
      'Word documents 10 at once, in multiples of the rate one by one',
      parallel.documentsPerSecond / one.documentsPerSecond,
      'at least',
      0.5,
    );

    await measureBesideHostile(bench, render);

    await measure(Math.max(1, documents - 160), 4, () => render('docx', agreement));
    const late = officeMemoryMb(bench.service.pid);
    console.log(`  LibreOffice: ${early.toFixed(0)} MiB after 55 documents, ${late.toFixed(0)} MiB after ${documents}`);
    printTarget('memory of LibreOffice after all documents', late, 'at most', 1024, ' MiB');
    if (canCompare && wordFilesOfOthers.length > 0) await compareFilesOfOthers(render);
  });
};
