import { type FSWatcher, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CliCommand } from './cli-command.ts';
import type { TemporaryService } from '../process/temporary-service.ts';
import { UsageError } from '../process/command-context.ts';
import { wantsJson } from './arguments.ts';
import { chooseRender, type RenderArguments, type Run } from './choose-render.ts';
import { print } from './output.ts';
import { RenderError } from './render-errors.ts';
import { addRenderOptions, filesOfOptions } from './render-options.ts';
import { defaultOutputOf, refuseToOverwrite, writeRendered } from './render-output.ts';

/** Editors write a file in several steps. */
const settleMs = 100;

type FileWatch = { changed: Promise<'changed'>; stop(): void };

/** Waits for a change of any of these files. Their folders are watched, because editors replace files. */
const watchFiles = (files: readonly string[]): FileWatch => {
  const paths = new Set(files.map((file) => resolve(file)));
  const change = Promise.withResolvers<'changed'>();
  let timer: NodeJS.Timeout | undefined;
  const watchers: FSWatcher[] = [...new Set([...paths].map((file) => dirname(file)))].map((folder) =>
    watch(folder, (_, name) => {
      if (name === null || !paths.has(resolve(folder, name))) return;
      clearTimeout(timer);
      timer = setTimeout(() => change.resolve('changed'), settleMs);
    }),
  );
  const stop = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  return { changed: change.promise, stop };
};

/** Prints the error of a document as JSON, and passes it on. */
const printError = (error: unknown): never => {
  if (error instanceof RenderError) print(true, error.response, '');
  throw error;
};

/** Renders once; reports an error of the document and goes on. Returns the files that were read, if it succeeded. */
const renderOrReport = async (
  stopping: AbortSignal,
  run: () => Promise<Run>,
  write: (run: Run) => Promise<void>,
): Promise<string[]> => {
  try {
    const finished = await run();
    await write(finished);
    return finished.files;
  } catch (error) {
    if (stopping.aborted) return [];
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return [];
  }
};

/** Renders again whenever a file that was read changes, until the process is told to stop. */
const renderOnChange = async (
  { stopping, ended }: TemporaryService,
  firstFiles: readonly string[],
  run: () => Promise<Run>,
  write: (run: Run) => Promise<void>,
): Promise<void> => {
  const files = new Set(firstFiles);
  for (;;) {
    // Started before the files are read, so that no change is missed.
    const watched = watchFiles([...files]);
    const read = await renderOrReport(stopping, run, write);
    const others = watchFiles(read.filter((file) => !files.has(file)));
    for (const file of read) files.add(file);
    const outcome = await Promise.race([watched.changed, others.changed, ended]);
    watched.stop();
    others.stop();
    if (outcome !== 'changed') return;
  }
};

const renderFiles = async (
  files: readonly [string, ...string[]],
  options: RenderArguments,
  json: boolean,
  openService: () => Promise<TemporaryService>,
): Promise<void> => {
  const { data, watch: isWatching, output } = options;
  const { run, documents } = await chooseRender(files, options);
  const inputs = [...documents, ...filesOfOptions(options), ...(data === undefined ? [] : [data])];
  if (output !== undefined) await refuseToOverwrite(output, inputs);
  // Standard output is for the document.
  const printsErrors = json && (output ?? files[0]) !== '-';
  const service = await openService();
  try {
    const runOnce = () => (printsErrors ? run(service).catch(printError) : run(service));
    const write = ({ rendered, files: read }: Run) =>
      writeRendered(rendered, output ?? defaultOutputOf(files[0], rendered), json, [...inputs, ...read]);
    if (!isWatching) return await write(await runOnce());
    process.stderr.write('Renders again when a file changes. Ctrl+C ends it.\n');
    await renderOnChange(service, inputs, runOnce, write);
  } catch (error) {
    if (!service.stopping.aborted) throw error;
    throw new UsageError('The command was stopped before the document was rendered.');
  } finally {
    await service.close();
  }
};

const openOwnService = async (): Promise<TemporaryService> =>
  (await import('../process/temporary-service.ts')).openTemporaryService();

/** `colophon render`. `openService` gives the service that renders, which is closed afterwards. */
export const addRenderCommand = (program: CliCommand, openService = openOwnService): void => {
  const command = program
    .command('render')
    .argument(
      '<files...>',
      'a document, a template, the folder of a template, or - for standard input; several are the parts of one PDF',
    )
    .description('render files to PDF or images on this machine; needs no running service, and records nothing')
    .option(
      '--compose',
      'the file is JSON with the parts of one PDF: {"parts": [{"file": "cover.md"}, {"file": "terms.pdf"}]}',
    )
    .option('--data <file>', 'JSON with the data of a template; the file is then a template')
    .option(
      '-o, --output <file>',
      'the PDF, or images (.png, .jpg, .webp; several are a .zip); by default the name of the document with .pdf, in the current ' +
        'folder; - for standard output',
    )
    .option('--input-type <type>', 'the input type, if the name of the file does not tell it');
  addRenderOptions(command)
    .option('--watch', 'render again whenever a file changes')
    .addHelpText(
      'after',
      '\nImages, style sheets and fonts below the folder of an HTML or Markdown document are found by their relative paths.\n' +
        'Other options of POST /render: --option outline=true --option page_ranges=1-3. Passwords belong in a file, because other\n' +
        'people on the machine can read arguments. With --json, the error of a document is that of the API, as JSON.',
    )
    .examples(
      'render report.md',
      'render page.html -o page.pdf --option page_size=A5 --option orientation=landscape',
      'render page.html -o page.png --option dpi=300',
      'render invoice.html --data invoice.json --watch',
      'render templates/invoice',
      'render report.md --conformance pdf/a-3b,pdf/ua-1 --metadata author="Ines Prado" --attach values.csv',
      'render invoice.html --factur-x invoice.xml --profile en16931',
      'render draft.md --watermark DRAFT --page-numbers "{page} of {total}" --encrypt passwords.txt',
      'render cover.html report.docx terms.pdf -o contract.pdf --contents',
      'render parts.json --compose -o contract.pdf --option contents=true',
      'render - --input-type csv --output - < orders.csv > orders.pdf',
    )
    .action((files: [string, ...string[]], options: RenderArguments, own: CliCommand) =>
      renderFiles(files, options, wantsJson(own), openService),
    );
};
