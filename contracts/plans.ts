import { z } from 'zod';

export const planNames = ['free', 'starter', 'pro', 'business', 'enterprise'] as const;
export type PlanName = (typeof planNames)[number];

/** Null is unlimited. `...Mb` is in units of 1024 * 1024 bytes. */
export type PlanLimits = {
  requestsPerMonth: number | null;
  requestsPerMinute: number | null;
  maxPdfMb: number | null;
  maxPayloadMb: number;
  processingMs: number;
  scriptMs: number;
  /** Files in a PDF: how many, and all together. */
  maxAttachments: number;
  maxAttachmentsMb: number;
  maxPages: number | null;
  /** Of a composed document. */
  maxParts: number;
  maxImages: number | null;
  maxTemplates: number | null;
  maxTemplateMb: number;
  maxVariables: number | null;
  keptVersions: number | null;
};

const commonLimits = {
  maxPayloadMb: 10,
  processingMs: 30_000,
  scriptMs: 5_000,
  maxPages: 100,
  maxParts: 100,
  maxImages: 50,
  maxTemplates: 100,
  maxTemplateMb: 1,
  maxVariables: 50,
  keptVersions: 10,
};

/** The limits of each plan. */
export const plans: Record<PlanName, PlanLimits> = {
  free: {
    requestsPerMonth: 100,
    requestsPerMinute: 5,
    maxPdfMb: 5,
    maxAttachments: 5,
    maxAttachmentsMb: 2,
    ...commonLimits,
  },
  starter: {
    requestsPerMonth: 1_000,
    requestsPerMinute: 20,
    maxPdfMb: 10,
    maxAttachments: 10,
    maxAttachmentsMb: 5,
    ...commonLimits,
  },
  pro: {
    requestsPerMonth: 10_000,
    requestsPerMinute: 60,
    maxPdfMb: 25,
    maxAttachments: 25,
    maxAttachmentsMb: 10,
    ...commonLimits,
  },
  business: {
    requestsPerMonth: 100_000,
    requestsPerMinute: 120,
    maxPdfMb: 50,
    maxAttachments: 50,
    maxAttachmentsMb: 10,
    ...commonLimits,
  },
  enterprise: {
    requestsPerMonth: null,
    requestsPerMinute: null,
    maxPdfMb: null,
    maxPayloadMb: 50,
    processingMs: 60_000,
    scriptMs: 10_000,
    maxAttachments: 100,
    maxAttachmentsMb: 50,
    maxPages: null,
    maxParts: 1_000,
    maxImages: null,
    maxTemplates: null,
    maxTemplateMb: 5,
    maxVariables: null,
    keptVersions: null,
  },
};

const maxRequests = 1_000_000_000;

/** The values that an operator can give a limit of one account, in the API and the command line. */
export const ownLimitValues = {
  requestsPerMinute: z.int().min(1).max(maxRequests),
  requestsPerMonth: z.int().min(1).max(maxRequests),
  maxPdfMb: z.number().min(0.01).max(100_000),
};

/** Limits that an operator has set for one account, in place of those of its plan. Older events can have other values. */
export const limitOverrides = z.object({
  requestsPerMinute: z.number().int().positive().optional(),
  requestsPerMonth: z.number().int().positive().optional(),
  maxPdfMb: z.number().positive().optional(),
});
export type LimitOverrides = z.output<typeof limitOverrides>;

/** The limits of an account: those of its plan, with the overrides applied. */
export const limitsOf = (plan: PlanName, overrides: LimitOverrides): PlanLimits => {
  const set = Object.entries(overrides).filter(([, limit]) => limit !== undefined);
  return { ...plans[plan], ...Object.fromEntries(set) };
};
