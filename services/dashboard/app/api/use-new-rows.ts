import { useEffect, useRef, useState } from 'react';
import { useLiveEvents } from './live-events.ts';
import { useThrottled } from './use-throttled.ts';

export type NewRowsOptions = {
  /** The events that make a row. */
  types: RegExp;
  /** The id of the newest row that is shown. */
  first: string | undefined;
  /**
   * The ids of the newest rows that match the filters. Without filters each event is a row, so that none are loaded.
   */
  loadNewest: (() => Promise<readonly string[]>) | null;
};

/** Counts the rows that are newer than those that the list shows, and match its filters. */
export const useNewRows = ({ types, first, loadNewest }: NewRowsOptions): [count: number, reset: () => void] => {
  const [count, setCount] = useState(0);
  const shown = useRef(first);
  useEffect(() => {
    shown.current = first;
  });
  const compare = useThrottled(() => {
    loadNewest?.().then(
      (ids) => {
        const known = shown.current === undefined ? -1 : ids.indexOf(shown.current);
        setCount(known === -1 ? ids.length : known);
      },
      // The next event tries again.
      () => undefined,
    );
  });
  useLiveEvents(({ data }) => {
    const { type } = data as { type?: string };
    if (type === undefined || !types.test(type)) return;
    if (loadNewest) compare();
    else setCount((before) => before + 1);
  });
  return [count, () => setCount(0)];
};
