import { useRef } from 'react';
import type { InfiniteData, QueryKey } from '@tanstack/react-query';
import type { DeliverySummary } from '#contracts/http/deliveries.ts';
import { api } from '../../api/client.ts';
import type { CursorPage } from '../../api/cursor-list.ts';
import { useLiveEvents, useLiveQueries } from '../../api/live-events.ts';
import { queryClient } from '../../api/queries.ts';
import { useThrottled } from '../../api/use-throttled.ts';

const webhookEvent = /^(?:Webhook|Delivery|Redelivery|RenderCompleted|RenderFailed)/;
const none = /^$/;

/** Loads a delivery again when something happens to it. */
export const useWebhookEvents = (jobId: string): void =>
  useLiveQueries([['delivery', jobId]], webhookEvent, { isShown: (subject) => subject === jobId });

type List = InfiniteData<CursorPage<DeliverySummary>>;

/** Rows that are loaded again in one second; a person can send ten requests a second. */
const maxRows = 4;

/** Keeps the list up to date: one page is loaded again as a whole, of more pages only the rows that changed. */
export const useDeliveryListEvents = (queryKey: QueryKey): void => {
  const changed = useRef(new Set<string>());
  const pages = (): List['pages'] => queryClient.getQueryData<List>(queryKey)?.pages ?? [];
  const isLong = pages().length > 1;
  useLiveQueries([queryKey], isLong ? none : webhookEvent);

  const load = async (jobId: string): Promise<void> => {
    const delivery: DeliverySummary = await api.get('/api/v1/deliveries/{job_id}', { params: { job_id: jobId } });
    queryClient.setQueryData<List>(
      queryKey,
      (list) =>
        list && {
          ...list,
          pages: list.pages.map((page) => ({
            ...page,
            rows: page.rows.map((row) => (row.job_id === jobId ? delivery : row)),
          })),
        },
    );
  };
  const loadChanged = useThrottled(() => {
    const shown = new Set(pages().flatMap(({ rows }) => rows.map(({ job_id }) => job_id)));
    const ids = [...changed.current].filter((id) => shown.has(id));
    // The others are loaded after the next event.
    changed.current = new Set(ids.slice(maxRows));
    // A row that cannot be loaded stays as it is.
    for (const id of ids.slice(0, maxRows)) load(id).catch(() => undefined);
  });
  useLiveEvents(({ data }) => {
    const { type, subject } = data as { type?: string; subject?: string };
    if (!isLong || subject === undefined || type === undefined || !webhookEvent.test(type)) return;
    changed.current.add(subject);
    loadChanged();
  });
};
