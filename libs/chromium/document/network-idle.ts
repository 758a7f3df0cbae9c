import { setTimeout as pause } from 'node:timers/promises';
import type { Protocol } from 'devtools-protocol';
import type { Session } from '../cdp/connection.ts';

const idleAfterMs = 500;

// These last as long as the page, or do not affect it.
const ignoredResourceTypes = new Set<Protocol.Network.ResourceType>([
  'EventSource',
  'WebSocket',
  'Ping',
  'Prefetch',
  'CSPViolationReport',
]);

/**
 * Tracks the requests of a page. `waitForIdle` resolves once no request has been pending for half a second; the signal
 * aborts it.
 */
export const trackRequests = async (session: Session): Promise<{ waitForIdle(signal: AbortSignal): Promise<void> }> => {
  const pending = new Set<string>();
  let lastChange = performance.now();
  const removeRequest = ({ requestId }: { requestId: string }) => {
    pending.delete(requestId);
    lastChange = performance.now();
  };
  session.on('Network.requestWillBeSent', ({ requestId, type }) => {
    if (type !== undefined && ignoredResourceTypes.has(type)) return;
    pending.add(requestId);
    lastChange = performance.now();
  });
  session.on('Network.loadingFinished', removeRequest);
  session.on('Network.loadingFailed', removeRequest);
  await session.send('Network.enable', {});

  return {
    waitForIdle: async (signal) => {
      lastChange = performance.now();
      for (
        let remainingMs = idleAfterMs;
        remainingMs > 0;
        remainingMs = pending.size > 0 ? 50 : idleAfterMs - (performance.now() - lastChange)
      )
        await pause(Math.max(remainingMs, 5), undefined, { signal });
    },
  };
};
