import { useLiveEvents, useLiveQueries, useStreamStart } from '../../api/live-events.ts';
import { type NewRowsOptions, useNewRows } from '../../api/use-new-rows.ts';
import { useThrottled } from '../../api/use-throttled.ts';

const requested = /^RenderRequested$/;

/**
 * Counts the renders that are newer than the list and match its filters. When a listed render changes, or may have
 * changed before the live stream began, `refresh` is called if `mayRefresh` is true.
 */
export const useNewRenders = (
  options: Omit<NewRowsOptions, 'types'>,
  mayRefresh: boolean,
  refresh: () => void,
): [count: number, reset: () => void] => {
  const [count, reset] = useNewRows({ ...options, types: requested });
  const throttled = useThrottled(() => {
    refresh();
    reset();
  });
  useLiveEvents(({ event, data }) => {
    const { type } = data as { type?: string };
    const hasChanged = event === 'reset' || (type !== 'RenderRequested' && type?.startsWith('Render'));
    if (mayRefresh && hasChanged) throttled();
  });
  useStreamStart(() => {
    if (mayRefresh) throttled();
  });
  return [count, reset];
};

const ofRender = /^(?:Render|Pdf|Diagnosis|Verification|PageSecrets|Delivery|Webhook|Redelivery)/;

/** Loads a render again when something happens to it. `id` is render_<id>. */
export const useRenderEvents = (id: string): void => {
  const bare = id.slice(id.indexOf('_') + 1);
  const isShown = (subject: string | undefined): boolean => subject === undefined || subject.endsWith(bare);
  useLiveQueries([['render', id]], ofRender, { isShown });
};
