import { type VerificationResponse, verificationResponse, verifyRenderRequest } from '#contracts/http/render-detail.ts';
import { readModels, renderIdOf } from '#contracts/names.ts';
import { bareRenderId, requireRenderOfAccount } from '#application/renders/find-renders.ts';
import { type Verification, verifyRender } from '#application/renders/verification.ts';
import type { DownloadUrlFor } from '../jobs/job-view.ts';
import { requirePermission } from '../server/authenticate.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { documentErrors, renderParams } from './reference.ts';
import { waitSignal } from './send-render.ts';

type Compared = VerificationResponse['recorded'];

const differencesOf = (recorded: Compared, now: Compared): VerificationResponse['differs_in'] => [
  ...(recorded.sha256 === now.sha256 ? [] : (['bytes'] as const)),
  ...(recorded.size_bytes === now.size_bytes ? [] : (['size'] as const)),
  ...(recorded.pages === now.pages ? [] : (['pages'] as const)),
  ...(recorded.thumbnail_sha256 === now.thumbnail_sha256 ? [] : (['thumbnail'] as const)),
  ...(recorded.engine === now.engine ? [] : (['engine'] as const)),
  ...(recorded.page?.url === now.page?.url && recorded.page?.status === now.page?.status ? [] : (['page'] as const)),
];

const explain = (recorded: Compared, now: Compared, { source }: Verification['recorded']['requested']): string => {
  const inputType = source.mode === 'CONVERT' ? source.inputType : null;
  if (recorded.sha256 === now.sha256 && recorded.thumbnail_sha256 !== now.thumbnail_sha256)
    return `The PDF has the same bytes, but its thumbnail has others. It was drawn by ${
      recorded.engine === now.engine ? 'the same engine' : 'another engine'
    }.`;
  if (recorded.sha256 === now.sha256)
    return recorded.engine === now.engine
      ? 'The document was rendered again and has the same bytes.'
      : 'The document was rendered again by another version of the program that lays it out, and has the same bytes.';
  if (inputType === 'url')
    return 'The page was loaded again, and pages change. Other bytes do not mean that the PDF is damaged.';
  if (recorded.engine !== now.engine)
    return 'The PDF has other bytes. It was made by another version of the program that lays it out, which can draw it differently.';
  if (now.engine.startsWith('LibreOffice'))
    return (
      'The PDF has other bytes although the same program made it. Fonts or hyphenation patterns may have been ' +
      'installed or removed since then, or the service has been updated.'
    );
  return (
    'The PDF has other bytes although the same program made it. Resources that the document loads, such as images and ' +
    'fonts, may have changed, or its scripts behave differently each time.'
  );
};

const verificationView = (
  id: string,
  { recorded: { requested, completed }, verified, keptUntil }: Verification,
  urlFor: DownloadUrlFor,
): VerificationResponse => {
  const { outcome } = verified.data;
  if (outcome.kind !== 'rendered') throw new TypeError('a failed verification is an error');
  const comparedOf = ({ pdf, thumbnail, pages, engine, page }: Omit<typeof outcome, 'kind' | 'firstDifference'>) => ({
    sha256: pdf.sha256,
    size_bytes: pdf.size,
    pages,
    engine,
    ...(thumbnail ? { thumbnail_sha256: thumbnail.sha256 } : {}),
    ...(page ? { page } : {}),
  });
  const [recorded, now] = [comparedOf(completed), comparedOf(outcome)];
  return {
    id: renderIdOf(id),
    matches: recorded.sha256 === now.sha256 && recorded.thumbnail_sha256 === now.thumbnail_sha256,
    recorded,
    now,
    differs_in: differencesOf(recorded, now),
    first_different_byte: outcome.firstDifference,
    explanation: explain(recorded, now, requested),
    verified_at: verified.metadata.occurredAt,
    ...(keptUntil === null ? {} : { pdf_url: urlFor(id, new Date(keptUntil)), pdf_expires_at: keptUntil }),
  };
};

/** Renders a recorded request again and compares the PDFs. */
export const verifyRenderRoute: Route = route({
  method: 'POST',
  path: '/api/v1/renders/{id}/verify',
  operationId: 'verifyRender',
  tag: 'Rendering',
  summary: 'Verify a render',
  description:
    'Renders the recorded request again and compares the PDF byte by byte with the recorded one: a PDF can be ' +
    'reproduced as long as the same version of the browser (or of LibreOffice, for office documents) serves. The key ' +
    'also needs the permission `render:create`. A verification counts toward the requests per minute, but not toward ' +
    'the quota. It is recorded in the history of the render. An account may run two at once (beyond that ' +
    '`concurrency_limit_exceeded`), and verify a render 20 times (beyond that `verification_limit_exceeded`). With ' +
    '`keep_pdf` a PDF with the same bytes is kept for an hour, or for the shorter time of the account, although the first one was ' +
    'never kept or is erased; a PDF that was lost is kept again for the rest of its time. If the ' +
    'document cannot be rendered now, the response is the error, such as `image_load_failed`.',
  permission: 'jobs:read',
  request: {
    params: renderParams,
    body: nameSchema('VerifyRender', verifyRenderRequest),
    bodyIsOptional: true,
    examples: { kept: { summary: 'Keep the PDF', value: { keep_pdf: true } } },
  },
  responses: [ok('Both PDFs.', nameSchema('Verification', verificationResponse))],
  errors: [
    'render_not_found',
    'pdf_not_available',
    'render_input_lost',
    'render_secrets_erased',
    'verification_limit_exceeded',
    'concurrency_limit_exceeded',
    ...documentErrors,
  ],
  handle: async (context, dependencies) => {
    requirePermission(context, 'render:create');
    const { account, params, body, limits, cause, reply } = context;
    const { eventLog, verificationLimiter, readYourWrites, downloadUrlFor } = dependencies;
    const id = bareRenderId(params.id);
    await requireRenderOfAccount(eventLog, account.id, id);
    const options = { keepPdf: body.keep_pdf, limits, cause, signal: waitSignal(reply) };
    const verification = await verificationLimiter.run(account.id, () => verifyRender(dependencies, id!, options));
    readYourWrites.recordWrite(account.id, verification.verified.position, readModels.renders);
    return verificationView(id!, verification, downloadUrlFor);
  },
});
