import { flushCompileCache } from 'node:module';
import type { Variable } from '#contracts/http/templates.ts';
import type { EdgeContent, HeaderFooterSources } from '#libs/chromium/header-footer/read.ts';
import { analyse, type Analysis } from '#libs/templating/analyse.ts';
import { prepareDocument, type PrepareInput, prepareTemplate, type TemplateInput } from '../prepare.ts';
import type { Prepared } from '../prepared.ts';
import { type Answer, answering } from './answer.ts';

/** What the processes of the pool can do. A further task is one line here and one in {@link Tasks}. */
const tasks: { [Name in keyof Tasks]: (input: Tasks[Name]['input']) => Tasks[Name]['output'] | Promise<Tasks[Name]['output']> } = {
  prepare: prepareDocument,
  prepareTemplate,
  analyse: ({ content, variables }) => analyse(content, variables),
  readHeaderFooter: async ({ sources, requestedAt }) => (await import('#libs/chromium/header-footer/read.ts')).readHeaderFooter(sources, requestedAt),
};

export type Tasks = {
  prepare: { input: PrepareInput; output: Prepared };
  prepareTemplate: { input: TemplateInput; output: Prepared };
  analyse: { input: { content: string; variables: Variable[] }; output: Analysis };
  readHeaderFooter: { input: { sources: HeaderFooterSources; requestedAt: Date }; output: EdgeContent[] };
};

export type Order<Name extends keyof Tasks = keyof Tasks> = { task: Name; input: Tasks[Name]['input'] };
/** The first message of a process, and then one for each order. */
export type Message = 'ready' | Answer<unknown>;

const carryOut = <Name extends keyof Tasks>({ task, input }: Order<Name>): Promise<Answer<Tasks[Name]['output']>> => answering(() => tasks[task](input));

const say = (message: Message): void => {
  process.send?.(message);
};

// A signal to the whole group is for the service, which finishes what runs; this process ends when the service lets go
// of it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('message', (order: Order) => void carryOut(order).then(say));
say('ready');
// This process is killed in the end, and Node keeps what it compiled only when told to.
flushCompileCache();
