import type { Refresh } from './html/refresh.ts';

/** A document that the browser can print as it stands. */
export type Prepared = {
  /** Complete document. */
  html: string;
  /** `quiet` only where a standards parser saw nothing that could run. */
  lane: 'quiet' | 'script';
  /** Short, for diagnostics. */
  laneReason: string;
  /** True where anything could make the browser fetch from the network, and in doubt. */
  external: boolean;
  /** Where the document leads its page by itself, and after how many seconds; undefined where it stays. */
  refresh: Refresh | undefined;
};

/** Made here from escaped text alone, so nothing in it runs or fetches. */
export const inert = (html: string, laneReason: string): Prepared => ({ html, lane: 'quiet', laneReason, external: false, refresh: undefined });
