import { onTestFinished } from 'vitest';
import { openEgress, type Egress, type EgressOptions } from '../egress.ts';

/** Closes what is opened when the test that opened it has finished. */
export const closeAfterTest = async <T extends { close: () => Promise<void> }>(opening: Promise<T>): Promise<T> => {
  const opened = await opening;
  onTestFinished(opened.close);
  return opened;
};

/** A resolver that finds every name on this machine. */
export const resolveToLoopback = async () => [{ address: '127.0.0.1', family: 4 as const }];

export type TestEgress = Egress & {
  /** Of a proxy that is open from the beginning. */ proxyUrl: string;
  refusals: Record<string, unknown>[];
};

/** A door that finds every name on this machine, and keeps what it logs. */
export const openTestEgress = async (settings: {
  [K in keyof EgressOptions]?: EgressOptions[K] | undefined;
}): Promise<TestEgress> => {
  const refusals: Record<string, unknown>[] = [];
  const given = Object.fromEntries(
    Object.entries({ resolve: resolveToLoopback, ...settings }).filter(([, value]) => value !== undefined),
  );
  const egress = await closeAfterTest(
    openEgress({ allowList: [], logger: { warn: (fields) => void refusals.push(fields) }, ...given }),
  );
  const { url: proxyUrl } = await egress.openProxy();
  return { ...egress, proxyUrl, refusals };
};
