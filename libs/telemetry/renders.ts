import type { Attributes } from '@opentelemetry/api';
import type { EventData } from '#contracts/events/all.ts';
import { accountIdOf, renderIdOf, templateIdOf } from '#contracts/names.ts';
import { count, record } from './metrics.ts';

type Input = EventData['RenderCompleted']['input'];

const phases = { queue: 'queueMs', prepare: 'prepareMs', wait: 'waitMs', load: 'loadMs', print: 'printMs', total: 'totalMs' } as const;

/** Counts a render that has become a PDF. */
export const countCompleted = ({ lane, input, pages, pdf, durations }: EventData['RenderCompleted']): void => {
  count('colophon.renders', 1, { lane, input, outcome: 'done' });
  count('colophon.pages', pages, {});
  count('colophon.pdf.size', pdf.size, {});
  for (const phase of Object.keys(phases) as (keyof typeof phases)[]) record('colophon.render.duration', durations[phases[phase]] / 1000, { phase, lane });
};

/** Counts a render that has failed; `none` is the lane of those that came to no printer. How long it took stays apart from what PDFs take, whatever its lane: time-outs would hide them. */
export const countFailed = ({ fault, totalMs }: EventData['RenderFailed'], input: Input, lane: EventData['RenderCompleted']['lane'] | 'none'): void => {
  count('colophon.renders', 1, { lane, input, outcome: 'failed' });
  count('colophon.render.failures', 1, { error: fault.name });
  record('colophon.render.duration', totalMs / 1000, { phase: 'total', lane: 'none' });
};

/** What a trace says of a render: whose it is and what is made from what. */
export const attributesOf = (id: string, attempt: number, { accountId, keyType, source }: EventData['RenderRequested']): Attributes => ({
  'colophon.render.id': renderIdOf(id), 'colophon.account.id': accountIdOf(accountId), 'colophon.key.type': keyType, 'colophon.attempt': attempt,
  ...(source.mode === 'CONVERT' ? { 'colophon.input': source.inputType } : { 'colophon.input': 'template', 'colophon.template.id': templateIdOf(source.templateId), 'colophon.template.version': source.templateVersion }),
});

/** What a trace says of a finished render; not why it took its lane, which can quote the document. */
export const resultOf = ({ lane, pages, pdf }: EventData['RenderCompleted']): Attributes => ({ 'colophon.lane': lane, 'colophon.pages': pages, 'colophon.bytes': pdf.size });
