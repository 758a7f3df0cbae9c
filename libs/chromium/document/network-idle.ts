import { setTimeout as pause } from 'node:timers/promises';
import type { Protocol } from 'devtools-protocol';
import type { Session } from '../cdp/connection.ts';

const idleAfterMs = 500;

// These last as long as the page, or are of no consequence to it.
const ignoredResourceTypes = new Set<Protocol.Network.ResourceType>([
  'EventSource',
  'WebSocket',
  'Ping',
  'Prefetch',
  'CSPViolationReport',
]);

/** Follows the requests of a page. `idle` resolves once none has been under way for half a second; the signal ends the wait. */
export const trackRequests = async (session: Session): Promise<{ waitForIdle(signal: AbortSignal): Promise<void> }> => {
  const underWay = new Set<string>();
  let lastChange = performance.now();
  const ended = ({ requestId }: { requestId: string }) => {
    underWay.delete(requestId);
    lastChange = performance.now();
  };
  session.on('Network.requestWillBeSent', ({ requestId, type }) => {
    if (type !== undefined && ignoredResourceTypes.has(type)) return;
    underWay.add(requestId);
    lastChange = performance.now();
  });
  session.on('Network.loadingFinished', ended);
  session.on('Network.loadingFailed', ended);
  await session.send('Network.enable', {});

  return {
    waitForIdle: async (signal) => {
      lastChange = performance.now();
      for (
        let left = idleAfterMs;
        left > 0;
        left = underWay.size > 0 ? 50 : idleAfterMs - (performance.now() - lastChange)
      )
        await pause(Math.max(left, 5), undefined, { signal });
    },
  };
};
