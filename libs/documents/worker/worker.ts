import { flushCompileCache } from 'node:module';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import type { HeaderFooterContent, HeaderFooterSources } from '#libs/chromium/header-footer/parse.ts';
import { analyse, type TemplateAnalysis } from '#libs/templating/analyse.ts';
import { prepareDocument, type DocumentInput, prepareTemplate, type TemplateInput } from '../prepare.ts';
import type { PreparedDocument } from '../prepared-document.ts';
import { type TaskResult, runTask } from './task-result.ts';

/** The tasks of the worker processes. A new task needs one line here and one in {@link Tasks}. */
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
/** `ready` is the first message of a process; then there is one result for each task. */
export type WorkerMessage = 'ready' | TaskResult<unknown>;

const runRequest = <Name extends keyof Tasks>({
  task,
  input,
}: TaskRequest<Name>): Promise<TaskResult<Tasks[Name]['output']>> => runTask(() => tasks[task](input));

const sendMessage = (message: WorkerMessage): void => {
  process.send?.(message);
};

// Signals to the whole process group are for the service, which waits for running tasks. This process ends when the
// service disconnects or kills it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('message', (request: TaskRequest) => void runRequest(request).then(sendMessage));
sendMessage('ready');
// This process will be killed, and Node saves its compile cache only at a regular exit.
flushCompileCache();
