import type { AccountAnswer } from '#contracts/http/account.ts';
import type { PlanLimits } from '#contracts/plans.ts';

/** The limits of an account as callers and operators see them; null is unlimited. */
export const limitsView = (limits: PlanLimits): AccountAnswer['limits'] => ({
  requests_per_minute: limits.requestsPerMinute,
  requests_per_month: limits.requestsPerMonth,
  max_pdf_mb: limits.maxPdfMb,
  max_payload_mb: limits.maxPayloadMb,
  processing_timeout_seconds: limits.processingMs / 1000,
  javascript_timeout_seconds: limits.scriptMs / 1000,
  max_pages: limits.maxPages,
  max_external_images: limits.maxImages,
  max_templates: limits.maxTemplates,
  max_template_mb: limits.maxTemplateMb,
  max_variables: limits.maxVariables,
  kept_versions: limits.keptVersions,
});
