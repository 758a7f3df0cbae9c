import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { readRenderEvents } from '../support/service/render-events.ts';
import { creationDateOf, pdfBytes } from '../support/documents/read-pdf.ts';
import { reproducibleDocuments } from '../support/documents/reproducible-documents.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { sha256Of } from '../support/sha256.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

/** Two renders of the same request that were accepted within the same second. */
const twins = (ask: () => Promise<RenderResult>): Promise<[RenderResult, RenderResult]> =>
  waitUntil('two renders of one second', async () => {
    const pair: [RenderResult, RenderResult] = await Promise.all([ask(), ask()]);
    return pair[0].created_at.slice(0, 19) === pair[1].created_at.slice(0, 19) && pair;
  });

describe('The same request', () => {
  it.each(reproducibleDocuments)(
    'gives the same bytes within the same second (%s %#)',
    async (inputType, data, options) => {
      const [one, other] = await twins(() => caller.render(inputType, data, options));
      expect(other.pdf_base64).toBe(one.pdf_base64);
      const [first, second] = await Promise.all(
        [one, other].map(async ({ id }) => (await readRenderEvents(at.installation, id)).at(-1)!.data.pdf),
      );
      expect(first).toEqual(second);
      expect(first).toMatchObject({ sha256: sha256Of(pdfBytes(one.pdf_base64)) });
      expect(creationDateOf(one.pdf_base64)).toBe(one.created_at.slice(0, 19).replaceAll(/\D/g, ''));
    },
  );
});
