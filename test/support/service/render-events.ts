import type { Body } from '../client/api-client.ts';
import type { CommandLine } from './installation.ts';

export type EventOutput = {
  type: string;
  revision: number;
  position: number;
  data: Body;
  metadata: Body & { actor: Body };
};

/** The events of a render as in the event log, from the command `events`; `id` is `render_<id>`. */
export const readRenderEvents = (installation: CommandLine, id: unknown): Promise<EventOutput[]> =>
  installation.runJsonCommand<EventOutput[]>('events', String(id).replace('_', '-'), '--raw');
