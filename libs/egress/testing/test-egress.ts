import { onTestFinished } from 'vitest';
import { openEgress, type Egress, type EgressOptions } from '../egress.ts';

/** Closes the resource when the current test ends. */
export const closeAfterTest = async <T extends { close: () => Promise<void> }>(opening: Promise<T>): Promise<T> => {
  const opened = await opening;
  onTestFinished(opened.close);
  return opened;
};

/** A resolver that finds 127.0.0.1 for every name. */
export const resolveToLoopback = async () => [{ address: '127.0.0.1', family: 4 as const }];

export type TestEgress = Egress & {
  /** The URL of a proxy that is already open. */
  proxyUrl: string;
  /** The fields of every blocked request in the log. */
  blockedRequests: Record<string, unknown>[];
};

/** Opens an egress that resolves every name to 127.0.0.1, and records what it logs. */
export const openTestEgress = async (options: {
  [K in keyof EgressOptions]?: EgressOptions[K] | undefined;
}): Promise<TestEgress> => {
  const blockedRequests: Record<string, unknown>[] = [];
  const definedOptions = Object.fromEntries(
    Object.entries({ resolve: resolveToLoopback, ...options }).filter(([, value]) => value !== undefined),
  );
  const egress = await closeAfterTest(
    openEgress({ allowList: [], logger: { warn: (fields) => void blockedRequests.push(fields) }, ...definedOptions }),
  );
  const { url: proxyUrl } = await egress.openProxy();
  return { ...egress, proxyUrl, blockedRequests };
};
