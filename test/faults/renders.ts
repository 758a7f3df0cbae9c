import type { RecordedEvent } from '#libs/event-store/port.ts';
import { lookInto } from '../e2e/engines.ts';
import type { House } from '../e2e/service.ts';

/** The events of every render in the log, by stream, oldest first. */
export const storiesIn = (house: House): Promise<Map<string, RecordedEvent[]>> =>
  lookInto(house, async ({ store }) => Map.groupBy((await store.readAll(0, 100_000)).filter(({ stream }) => stream.startsWith('render-')), ({ stream }) => stream));

export const typesOf = (story: readonly RecordedEvent[]): string[] => story.map(({ type }) => type);

export const hasEnded = (story: readonly RecordedEvent[]): boolean => typesOf(story).some((type) => type === 'RenderCompleted' || type === 'RenderFailed');
