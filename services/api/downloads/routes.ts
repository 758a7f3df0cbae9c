import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, streams } from '#contracts/names.ts';
import { checkDownloadToken } from '#libs/secrets/download-token.ts';
import { findKeptPdf, type StoredPdf } from '#application/renders/kept-pdf.ts';
import type { RequestContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { publicRoute, type Route } from '../server/route.ts';
import { pdfExpired, pdfResponses, sendKeptPdf, sendThumbnail, thumbnailResponses } from './send-pdf.ts';

const notFound = (): ApiError => ApiError.of('not_found', 'There is no such PDF.');

const requireValidToken = ({ secrets, eventLog }: Dependencies, id: string, token: string): void => {
  const result = checkDownloadToken(secrets, id, token, eventLog.now());
  if (result === 'invalid') throw notFound();
  if (result === 'expired') throw pdfExpired();
};

/** Reads the event log: a webhook receiver may fetch the PDF before a read model shows it. */
const requireKeptPdf = async ({ eventLog, blobs }: Dependencies, id: string, accountId: string | null) => {
  const history = await eventLog.store.read(streams.render(id));
  const owner = history[0]?.metadata.accountId;
  if (!owner || (accountId !== null && owner !== accountId)) throw notFound();
  const kept = await findKeptPdf(blobs, history, eventLog.now());
  if (kept.kind === 'expired') throw pdfExpired();
  if (kept.kind !== 'kept') throw notFound();
  return { owner, kept };
};

const params = z.object({ render_id: z.string().describe('render_<id>') });
// A repeated token parameter is a wrong token.
const query = z.object({ token: z.coerce.string().optional().describe('The token of pdf_url.') });

/** The stored PDF that a request with a key or token may fetch, and its account. @throws ApiError not_found, download_expired */
const requireDownload = async (
  context: RequestContext<undefined, z.output<typeof query>, z.output<typeof params>>,
  dependencies: Dependencies,
): Promise<{ owner: string; kept: StoredPdf }> => {
  const { caller, params, query } = context;
  const id = bareId('render', params.render_id);
  if (!id) throw notFound();
  if (!caller) requireValidToken(dependencies, id, query.token ?? '');
  return requireKeptPdf(dependencies, id, caller?.account.id ?? null);
};

/** Downloads of PDFs, with a key of the account or with the token of `pdf_url`. */
export const downloadRoutes: Route[] = [
  publicRoute({
    method: 'GET',
    path: '/api/v1/download/{render_id}',
    operationId: 'downloadPdf',
    tag: 'Jobs',
    summary: 'Fetch the PDF of a job',
    description:
      'The PDF of an asynchronous render, or of one with `keep_pdf`, is available for one hour after its end, or as long ' +
      'as the settings of the account said when the render was accepted. A PDF that was regenerated for a repeated ' +
      'request is available for at most an hour, and one that was lost and stored again for the rest of its time. Then ' +
      'it is erased and only its hash remains. The URL in `pdf_url` has a token that ' +
      'replaces the key. `Range` and `If-None-Match` are supported.',
    permission: 'jobs:read',
    tokenParameter: 'token',
    request: { params, query },
    responses: pdfResponses,
    errors: ['not_found', 'download_expired'],
    handle: async (context, dependencies) => {
      const { owner, kept } = await requireDownload(context, dependencies);
      return sendKeptPdf(dependencies, context.reply, owner, kept);
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/api/v1/download/{render_id}/thumbnail',
    operationId: 'downloadThumbnail',
    tag: 'Jobs',
    summary: 'Fetch the thumbnail of a job',
    description:
      'The image of the first page that a render with `thumbnail` makes beside its PDF. It is available as long as the ' +
      'PDF. The URL in `thumbnail_url` has a token that replaces the key.',
    permission: 'jobs:read',
    tokenParameter: 'token',
    request: { params, query },
    responses: thumbnailResponses,
    errors: ['not_found', 'download_expired'],
    handle: async (context, dependencies) => {
      const { owner, kept } = await requireDownload(context, dependencies);
      return sendThumbnail(dependencies, context.reply, owner, kept);
    },
  }),
];
