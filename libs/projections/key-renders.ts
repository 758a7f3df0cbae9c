import type { Collection } from '#libs/read-store/port.ts';
import { additionalEffect, type AdditionalEffect } from './projection.ts';

/**
 * What one API key had rendered in one month (`YYYY-MM`, UTC, of the acceptance): how many, how they ended, and how many of them
 * count toward the quota. Those that are neither succeeded nor failed still go on.
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

/** A render, as far as its key is concerned. */
export type KeyRender = { keyId: string; accountId: string; createdAt: string };

const updateKeyRenders = (
  { keyId, accountId, createdAt }: KeyRender,
  change: (document: KeyRendersDocument) => Partial<KeyRendersDocument>,
): AdditionalEffect => {
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
  return additionalEffect<KeyRendersDocument>(keyRenders, `${keyId}/${month}`, (document) => ({
    ...(document ?? none),
    ...change(document ?? none),
  }));
};

/** Counts a render that a key has asked for; `counts` says whether toward the quota, too. */
export const countRequestedRender = (render: KeyRender, counts: boolean): AdditionalEffect =>
  updateKeyRenders(render, ({ renders, quotaUsed }) => ({
    renders: renders + 1,
    quotaUsed: quotaUsed + Number(counts),
    lastRenderAt: render.createdAt,
  }));

/** Counts a render of a key that has become a PDF. */
export const countSucceededRender = (render: KeyRender): AdditionalEffect =>
  updateKeyRenders(render, ({ succeeded }) => ({ succeeded: succeeded + 1 }));

/** Counts a render of a key that has failed; `givenBack` says whether it no longer counts toward the quota. */
export const countFailedRender = (render: KeyRender, givenBack: boolean): AdditionalEffect =>
  updateKeyRenders(render, ({ failed, quotaUsed }) => ({
    failed: failed + 1,
    quotaUsed: quotaUsed - Number(givenBack),
  }));

/** Requests of one API key in one month (`YYYY-MM`, UTC), and the time of the last of them. Requests are no events: these figures are not in the log. */
export type ApiKeyUsageDocument = {
  keyId: string;
  accountId: string;
  month: string;
  requests: number;
  lastRequestAt: string;
};

export const apiKeyUsageCollection: Collection = { name: 'apiKeyUsage', indexes: [['accountId', 'month']] };
