import { join } from 'node:path';
import type { CliCommand } from './cli-command.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { type FullTemplate, readTemplate } from '#application/templates/content.ts';
import { pushTemplate, type TemplateToPush } from '#application/templates/push.ts';
import { findTemplateByName, listTemplates } from '#application/templates/queries.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { templateIdOf } from '#contracts/names.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import { withEngines, UsageError } from '../process/command-context.ts';
import { oneLine, requireAccountOrOnly, wantsJson } from './arguments.ts';
import { print, table } from './output.ts';
import { addInstallExamplesCommand } from './template-examples-command.ts';
import {
  filesOf,
  findConflicts,
  findTemplateFolders,
  folderNameOf,
  readTemplateWithSample,
  writeTemplateFolder,
} from './template-files.ts';

type AccountOption = { account?: string };

const listAll = ({ account }: AccountOption, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads } }) => {
    const { id: accountId } = await requireAccountOrOnly(reads, account);
    const rows = (await listTemplates(reads, accountId)).map(({ id, name, category, version, updatedAt }) => ({
      id: templateIdOf(id),
      name,
      category,
      version,
      updated_at: updatedAt,
    }));
    print(json, rows, table(rows));
  });

type PushOptions = AccountOption & { changes?: string };

const resultTexts = { created: 'created', updated: 'new version', unchanged: 'unchanged' } as const;

const push = (paths: readonly string[], { account, changes }: PushOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads, blobs }, eventLog, actor }) => {
    const accountDocument = await requireAccountOrOnly(reads, account);
    const folders = await findTemplateFolders(paths);
    // All folders are read before the first is stored, so that a mistake in one of them changes nothing.
    const templates = await Promise.all(folders.map(readTemplateWithSample));
    const { openDocumentPreparation } = await import('#libs/documents/document-preparation.ts');
    const preparation = openDocumentPreparation();
    const results = [];
    try {
      for (const [index, template] of templates.entries()) {
        const cause = newCause(actor, accountDocument.id);
        const dependencies = { eventLog, reads, blobs, preparation };
        const pushed = await pushTemplate(dependencies, accountDocument, template, cause, changes).catch(
          (error: unknown) => {
            if (!(error instanceof ApiError)) throw error;
            const { line } = error.fields.extra;
            const place = typeof line === 'number' ? `, line ${line}` : '';
            throw new UsageError(`${folders[index]}${place}: ${error.message}`);
          },
        );
        const { id, version, result, changed } = pushed;
        results.push({ id: templateIdOf(id), name: template.name, version, result, changed });
      }
    } finally {
      await preparation.close();
    }
    const rows = results.map(({ result, changed, ...row }) => ({
      ...row,
      result: resultTexts[result],
      changed: changed.join(', '),
    }));
    print(json, results, table(rows));
  });

type PullOptions = AccountOption & { dir: string; force?: true };

const requireTemplates = (all: readonly TemplateDocument[], names: readonly string[]): TemplateDocument[] =>
  names.map((name) => {
    const found = all.find((template) => template.name === name || templateIdOf(template.id) === name);
    if (!found) throw new UsageError(`The account has no template ${name}. "colophon template list" shows all.`);
    return found;
  });

/** A folder for each template; templates whose names differ only in punctuation get numbers. */
const assignFolders = (documents: readonly TemplateDocument[], dir: string): [string, TemplateDocument][] => {
  const used = new Set<string>();
  return documents.map((document) => {
    const base = folderNameOf(document.name);
    let folder = base;
    for (let number = 2; used.has(folder); number += 1) folder = `${base}-${number}`;
    used.add(folder);
    return [join(dir, folder), document];
  });
};

const pull = (names: readonly string[], { account, dir, force }: PullOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads, blobs } }) => {
    const { id: accountId } = await requireAccountOrOnly(reads, account);
    const all = (await listTemplates(reads, accountId)).toReversed();
    const assigned = assignFolders(all, dir);
    const chosen = names.length === 0 ? all : requireTemplates(all, names);
    const written = await Promise.all(
      assigned
        .filter(([, document]) => chosen.includes(document))
        .map(async ([folder, document]) => ({
          folder,
          document,
          files: filesOf(await readTemplate(blobs, document)),
        })),
    );
    const conflicts = force ? [] : await Promise.all(written.map(({ folder, files }) => findConflicts(folder, files)));
    if (conflicts.flat().length > 0)
      throw new UsageError(
        `These files have other contents: ${conflicts.flat().join(', ')}. Nothing was written; --force replaces them.`,
      );
    await Promise.all(written.map(({ folder, files }) => writeTemplateFolder(folder, files)));
    const rows = written.map(({ folder, document: { id, name, version } }) => ({
      id: templateIdOf(id),
      name,
      version,
      folder,
    }));
    print(json, rows, table(rows));
  });

const patchOf = async (folder: string, stored: FullTemplate | null, local: TemplateToPush): Promise<string> => {
  const { createTwoFilesPatch } = await import('diff');
  const before = stored ? filesOf(stored) : {};
  return Object.entries(filesOf(local))
    .filter(([name, content]) => before[name] !== content)
    .map(([name, content]) =>
      createTwoFilesPatch(
        stored ? `stored/${name}` : '/dev/null',
        join(folder, name),
        before[name] ?? '',
        content,
        undefined,
        undefined,
        { headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true } },
      ),
    )
    .join('');
};

const diff = (paths: readonly string[], { account }: AccountOption, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads, blobs } }) => {
    const { id: accountId } = await requireAccountOrOnly(reads, account);
    const results = await Promise.all(
      (await findTemplateFolders(paths)).map(async (folder) => {
        const local = await readTemplateWithSample(folder);
        const document = await findTemplateByName(reads, accountId, local.name);
        const stored = document && (await readTemplate(blobs, document));
        const patch = await patchOf(folder, stored, local);
        return { name: local.name, folder, version: document?.version ?? null, patch };
      }),
    );
    const changed = results.filter(({ patch }) => patch !== '');
    print(
      json,
      results,
      changed.length === 0 ? 'No differences.' : changed.map(({ patch }) => patch.trimEnd()).join('\n'),
    );
    if (changed.length > 0) process.exitCode = 1;
  });

const accountOption = [
  '--account <account>',
  'the id or name of the account; not needed if there is only one',
] as const;

/** `colophon template ...` */
export const addTemplateCommands = (program: CliCommand): void => {
  const template = program
    .command('template')
    .description('list the templates of an account, keep them in files, install examples')
    .addHelpText(
      'after',
      '\nA template in files is a folder with template.html, template.json (name, description, category, variables,\n' +
        'default_options, labels), and sample.json with sample data for previews.',
    )
    .examples('template pull --dir templates', 'template diff templates', 'template push templates/invoice');
  template
    .command('list')
    .description('list the templates of an account, newest first')
    .option(...accountOption)
    .examples('template list', 'template list --account default --json')
    .action((options: AccountOption, command: CliCommand) => listAll(options, wantsJson(command)));
  template
    .command('push')
    .argument('<folder...>', 'folders with a template, or folders that contain such folders')
    .description('create templates from files, or new versions of those that differ; others stay unchanged')
    .option(...accountOption)
    .option('--changes <text>', 'what changed; by default the names of the changed fields', oneLine)
    .examples('template push templates', 'template push invoice --changes "new bank account"')
    .action((folders: string[], options: PushOptions, command: CliCommand) =>
      push(folders, options, wantsJson(command)),
    );
  template
    .command('pull')
    .argument('[template...]', 'names or ids; by default all templates of the account')
    .description('write templates to files, one folder each')
    .option(...accountOption)
    .option('--dir <folder>', 'where to create the folders', '.')
    .option('--force', 'replace files that have other contents')
    .examples('template pull --dir templates', 'template pull Invoice --force')
    .action((names: string[], options: PullOptions, command: CliCommand) => pull(names, options, wantsJson(command)));
  template
    .command('diff')
    .argument('<folder...>', 'folders with a template, or folders that contain such folders')
    .description('compare files with the stored templates of the same names; exit code 1 if they differ')
    .option(...accountOption)
    .examples('template diff templates')
    .action((folders: string[], options: AccountOption, command: CliCommand) =>
      diff(folders, options, wantsJson(command)),
    );
  addInstallExamplesCommand(template);
};
