import type { Aggregate, Cause } from '#application/command-handling/aggregate.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import type { PageRequest, RenderSource } from '#contracts/events/render-request.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { PageCookie } from '#contracts/http/page-request.ts';
import { pageSecretsHash, type RenderCommand, type RenderState } from '#libs/domain/render.ts';
import { mask } from '#contracts/http/request-headers.ts';
import { maskUrl } from '#libs/domain/webhook-url.ts';
import { seal, type SealDependencies } from '#libs/secrets/sealed-box.ts';
import { unsealForRender } from './unseal-for-render.ts';

/** The headers and cookies for the origin of a page. They are the content of a sealed box. */
export type PageSecrets = { headers: Record<string, string>; cookies: PageCookie[] };

export const noPageSecrets: PageSecrets = { headers: {}, cookies: [] };

const masked = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, mask]));

/**
 * The request of a page for the event log, masked, with its headers and cookies in a sealed box in the blob store. `id`
 * is the bare id of the render.
 */
export const sealPageRequest = async (
  dependencies: SealDependencies,
  id: string,
  url: string,
  { headers, cookies }: PageSecrets,
): Promise<PageRequest> => {
  const names = Object.keys(headers);
  return {
    url: maskUrl(url).url,
    headers: masked(names),
    cookies: masked(cookies.map(({ name }) => name)),
    sealed: names.length + cookies.length > 0 ? await seal(dependencies, id, { headers, cookies }) : null,
  };
};

/** The error of a repeated render whose page needs headers or cookies that are erased. */
const pageSecretsErased = ({ headers, cookies }: PageRequest): ApiError => {
  const missing = [
    ...(Object.keys(headers).length > 0 ? ['url_headers'] : []),
    ...(Object.keys(cookies).length > 0 ? ['url_cookies'] : []),
  ];
  return ApiError.of(
    'render_secrets_erased',
    `The page cannot be loaded again: its ${missing.join(' and ')} were erased when the render ended. ` +
      'Send the render request again with them, and with a new Idempotency-Key if it has one.',
    { missing_fields: missing },
  );
};

/**
 * @throws ApiError render_secrets_erased if the source is a page with headers or cookies, for renders that have ended
 */
export const requireNoPageSecrets = (source: RenderSource): void => {
  if (source.mode === 'CONVERT' && source.page?.sealed) throw pageSecretsErased(source.page);
};

/**
 * The headers and cookies as their caller gave them. A missing box does not mean that the blob store is incomplete, so
 * `has` is asked before `get`.
 * @throws ApiError render_secrets_erased; render_input_lost
 */
export const openPageSecrets = async (
  dependencies: SealDependencies,
  id: string,
  page: PageRequest,
): Promise<PageSecrets> => {
  if (page.sealed === null) return noPageSecrets;
  if (!(await dependencies.blobs.has(page.sealed.sha256))) throw pageSecretsErased(page);
  return (await unsealForRender(dependencies, id, page.sealed, 'The url_headers and url_cookies')) as PageSecrets;
};

/**
 * Erases the sealed box of an ended render. Returns the position of the event; null if there is nothing to erase. The event
 * comes last, so that the sweeper repeats an interrupted erasure.
 */
export const erasePageSecrets = async (
  blobs: { delete(sha256: BlobRef['sha256']): Promise<unknown> },
  render: Aggregate<RenderState, RenderCommand, RenderEvent>,
  cause: Cause,
): Promise<number | null> => {
  const sha256 = pageSecretsHash(render.state);
  if ((render.state.status !== 'DONE' && render.state.status !== 'FAILED') || sha256 === null) return null;
  await blobs.delete(sha256);
  return (await render.execute({ type: 'erasePageSecrets', sha256 }, cause)).position;
};
