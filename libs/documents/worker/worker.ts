import { prepareDocument, type PrepareInput } from '../prepare.ts';
import type { Prepared } from '../prepared.ts';
import { type Answer, answering } from './answer.ts';

/** What the threads of the pool can do. A further task is one line here and one in {@link Tasks}. */
const tasks: { [Name in keyof Tasks]: (input: Tasks[Name]['input']) => Tasks[Name]['output'] | Promise<Tasks[Name]['output']> } = {
  prepare: prepareDocument,
};

export type Tasks = {
  prepare: { input: PrepareInput; output: Prepared };
};

export default <Name extends keyof Tasks>({ task, input }: { task: Name; input: Tasks[Name]['input'] }): Promise<Answer<Tasks[Name]['output']>> =>
  answering(() => tasks[task](input));
