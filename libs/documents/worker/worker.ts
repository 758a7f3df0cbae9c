import { flushCompileCache } from 'node:module';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import type { HeaderFooterContent, HeaderFooterSources } from '#libs/chromium/header-footer/parse.ts';
import { analyse, type TemplateAnalysis } from '#libs/templating/analyse.ts';
import { prepareDocument, type DocumentInput, prepareTemplate, type TemplateInput } from '../prepare.ts';
import type { PreparedDocument } from '../prepared-document.ts';
import { type TaskResult, runTask } from './task-result.ts';

/** What the processes of the pool can do. A further task is one line here and one in {@link Tasks}. */
const tasks: {
  [Name in keyof Tasks]: (input: Tasks[Name]['input']) => Tasks[Name]['output'] | Promise<Tasks[Name]['output']>;
} = {
  prepare: prepareDocument,
  prepareTemplate,
  analyse: ({ content, variables }) => analyse(content, variables),
  parseHeaderFooter: async ({ sources, requestedAt }) =>
    (await import('#libs/chromium/header-footer/parse.ts')).parseHeaderFooter(sources, requestedAt),
};

export type Tasks = {
  prepare: { input: DocumentInput; output: PreparedDocument };
  prepareTemplate: { input: TemplateInput; output: PreparedDocument };
  analyse: { input: { content: string; variables: VariableDeclaration[] }; output: TemplateAnalysis };
  parseHeaderFooter: { input: { sources: HeaderFooterSources; requestedAt: Date }; output: HeaderFooterContent[] };
};

export type TaskRequest<Name extends keyof Tasks = keyof Tasks> = { task: Name; input: Tasks[Name]['input'] };
/** The first message of a process, and then one for each order. */
export type WorkerMessage = 'ready' | TaskResult<unknown>;

const runRequest = <Name extends keyof Tasks>({
  task,
  input,
}: TaskRequest<Name>): Promise<TaskResult<Tasks[Name]['output']>> => runTask(() => tasks[task](input));

const sendMessage = (message: WorkerMessage): void => {
  process.send?.(message);
};

// A signal to the whole group is for the service, which finishes what runs; this process ends when the service lets go
// of it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('message', (order: TaskRequest) => void runRequest(order).then(sendMessage));
sendMessage('ready');
// This process is killed in the end, and Node keeps what it compiled only when told to.
flushCompileCache();
