import { bareId, streams } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Body } from '../client/api-client.ts';
import type { CommandLine } from './installation.ts';
import { withInstallationEngines } from './with-engines.ts';

export type EventOutput = Omit<RecordedEvent, 'data' | 'metadata'> & {
  data: Body;
  metadata: Body & { actor: Body };
};

/** The events of a render as in the event log; `id` is `render_<id>`. */
export const readRenderEvents = async (installation: CommandLine, id: unknown): Promise<EventOutput[]> =>
  (await withInstallationEngines(installation, ({ store }) =>
    store.read(streams.render(bareId('render', String(id))!)),
  )) as unknown as EventOutput[];
