import type { Collection } from '#libs/read-store/port.ts';
import { additionalEffect, type AdditionalEffect } from './projection.ts';

/**
 * The renders of one API key that were accepted in one month (`YYYY-MM`, UTC). `quotaUsed` are those that count toward
 * the quota. Renders that have neither succeeded nor failed are still running.
 */
export type KeyRendersDocument = {
  keyId: string;
  accountId: string;
  month: string;
  renders: number;
  succeeded: number;
  failed: number;
  quotaUsed: number;
  lastRenderAt: string;
};

export const keyRenders: Collection = { name: 'keyRenders', indexes: [['accountId', 'month']] };

/** The fields of a render that are counted per API key. `keyId` is null for a render of a person, which is not counted. */
export type KeyRender = { keyId: string | null; accountId: string; createdAt: string };

const updateKeyRenders = (
  { keyId, accountId, createdAt }: KeyRender,
  change: (document: KeyRendersDocument) => Partial<KeyRendersDocument>,
): AdditionalEffect[] => {
  if (keyId === null) return [];
  const month = createdAt.slice(0, 7);
  const none: KeyRendersDocument = {
    keyId,
    accountId,
    month,
    renders: 0,
    succeeded: 0,
    failed: 0,
    quotaUsed: 0,
    lastRenderAt: createdAt,
  };
  const count = additionalEffect<KeyRendersDocument>(keyRenders, `${keyId}/${month}`, (document) => ({
    ...(document ?? none),
    ...change(document ?? none),
  }));
  return [count];
};

/** Counts a requested render. `quotaRenders` is how many renders it counts as toward the quota. */
export const countRequestedRender = (render: KeyRender, quotaRenders: number): AdditionalEffect[] =>
  updateKeyRenders(render, ({ renders, quotaUsed }) => ({
    renders: renders + 1,
    quotaUsed: quotaUsed + quotaRenders,
    lastRenderAt: render.createdAt,
  }));

/** Counts a render that succeeded. */
export const countSucceededRender = (render: KeyRender): AdditionalEffect[] =>
  updateKeyRenders(render, ({ succeeded }) => ({ succeeded: succeeded + 1 }));

/** Counts a render that failed. `refunded` is how many renders are refunded. */
export const countFailedRender = (render: KeyRender, refunded: number): AdditionalEffect[] =>
  updateKeyRenders(render, ({ failed, quotaUsed }) => ({ failed: failed + 1, quotaUsed: quotaUsed - refunded }));

/** The requests of one API key in one month (`YYYY-MM`, UTC). Requests are not events, so a rebuild cannot restore these numbers. */
export type ApiKeyUsageDocument = {
  keyId: string;
  accountId: string;
  month: string;
  requests: number;
  lastRequestAt: string;
};

export const apiKeyUsageCollection: Collection = { name: 'apiKeyUsage', indexes: [['accountId', 'month']] };
