import { prepareDocument, type PrepareInput } from '../prepare.ts';
import type { Prepared } from '../prepared.ts';
import { analyseTemplate, prepareTemplate, type TemplateInput } from '../template.ts';
import { type Answer, answering } from './answer.ts';

/** What the threads of the pool can do. A further task is one line here and one in {@link Tasks}. */
const tasks: { [Name in keyof Tasks]: (input: Tasks[Name]['input']) => Tasks[Name]['output'] | Promise<Tasks[Name]['output']> } = {
  prepare: prepareDocument,
  prepareTemplate,
  analyse: analyseTemplate,
};

export type Tasks = {
  prepare: { input: PrepareInput; output: Prepared };
  prepareTemplate: { input: TemplateInput; output: Prepared };
  analyse: { input: Parameters<typeof analyseTemplate>[0]; output: ReturnType<typeof analyseTemplate> };
};

export default <Name extends keyof Tasks>({ task, input }: { task: Name; input: Tasks[Name]['input'] }): Promise<Answer<Tasks[Name]['output']>> =>
  answering(() => tasks[task](input));
