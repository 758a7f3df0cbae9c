import { InvalidArgumentError, Option } from 'commander';
import type { CliCommand } from './cli-command.ts';
import { findRenderListPage, type RenderFilter } from '#application/renders/list-renders.ts';
import { renderStatuses } from '#contracts/http/render.ts';
import { apiKeyIdOf, bareId, renderIdOf, templateIdOf } from '#contracts/names.ts';
import { errors } from '#contracts/http/errors.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { withEngines } from '../process/command-context.ts';
import { isoTimestamp, positiveInteger, requireAccountOrOnly, wantsJson } from './arguments.ts';
import { print, table } from './output.ts';

type RendersOptions = {
  account?: string;
  status?: RenderDocument['status'];
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
};

/** @throws InvalidArgumentError */
const cursor = (text: string): string => {
  if (bareId('render', text) === undefined)
    throw new InvalidArgumentError('It must be the cursor that a list ended with, such as render_<id>.');
  return text;
};

const rowOf = ({ id, status, createdAt, source, pages, durationMs, keyId, kind, error }: RenderDocument) => ({
  id: renderIdOf(id),
  created_at: createdAt,
  status,
  input:
    source.mode === 'CONVERT'
      ? source.inputType
      : source.mode === 'COMPOSE'
        ? `${source.parts} parts`
        : `${templateIdOf(source.templateId)} version ${source.templateVersion}`,
  asynchronous: kind === 'asynchronous',
  pages,
  duration_ms: durationMs,
  key_id: keyId === null ? null : apiKeyIdOf(keyId),
  error: error ? errors[error.name].error : null,
});

const listRenders = ({ account, status, ...page }: RendersOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads } }) => {
    const { id: accountId } = await requireAccountOrOnly(reads, account);
    const filter: RenderFilter = status === undefined ? {} : { status };
    const { documents, next } = await findRenderListPage(reads, accountId, filter, { ...page, cursorPrefix: 'render' });
    const rows = documents.map(rowOf);
    const nextCursor = next === null ? null : renderIdOf(next);
    const text = table(
      rows.map(({ created_at: createdAt, ...row }) => ({ created: `${createdAt.slice(0, 19)}Z`, ...row })),
    );
    print(
      json,
      { renders: rows, next_cursor: nextCursor },
      nextCursor === null ? text : `${text}\n\nMore: --cursor ${nextCursor}`,
    );
  });

/** `colophon renders` */
export const addRendersCommand = (program: CliCommand): void => {
  program
    .command('renders')
    .description('list the renders of an account, newest first')
    .option('--account <account>', 'the id or name of the account; not needed if there is only one')
    .addOption(new Option('--status <status>', 'only renders with this status').choices(renderStatuses))
    .option('--since <time>', 'only renders created at or after this time', isoTimestamp)
    .option('--until <time>', 'only renders created before this time', isoTimestamp)
    .option('--limit <n>', 'at most this number', positiveInteger, 20)
    .option('--cursor <cursor>', 'continue a list, with the cursor that it ended with', cursor)
    .addHelpText('after', '\n"colophon events render_<id>" shows the events of a render.')
    .examples('renders', 'renders --account default --status FAILED --since 2030-01-31 --json')
    .action((options: RendersOptions, command: CliCommand) => listRenders(options, wantsJson(command)));
};
