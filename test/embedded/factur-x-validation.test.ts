import { beforeAll, expect, it } from 'vitest';
import { facturXProfiles } from '#contracts/http/factur-x.ts';
import { invoiceExample, readExample } from '#libs/templating/examples.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { invalidInvoices, isMustangAvailable } from '../support/documents/mustang.ts';
import { sampleInvoice } from '../support/documents/sample-invoices.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  // The time limit of other plans can end documents first on a busy machine.
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
});

const html = '<!doctype html><html lang="en"><title>Invoice</title><h1>Invoice R-1</h1>';
const pdfOf = ({ pdf_base64 }: RenderResult): Buffer => Buffer.from(pdf_base64, 'base64');

/** Starting the validator takes half a minute on a busy machine. */
const timeoutMs = 600_000;

// conformance-matrix.test.ts validates that of the example as PDF/A.
it.skipIf(!isMustangAvailable)(
  'An electronic invoice is valid for Mustang in every profile, and from the example template',
  async () => {
    const pdfs: Record<string, Buffer> = {};
    for (const profile of facturXProfiles)
      pdfs[profile] = pdfOf(await caller.render('html', html, { factur_x: { xml: sampleInvoice(profile), profile } }));
    const templates = createTemplateClient(caller);
    const { template, sample } = await readExample(invoiceExample);
    const { content, variables, labels, default_options } = template;
    const { id } = await templates.create(content, { variables, labels, default_options });
    const rendered = await templates.expectStatus<RenderResult>(200, templates.render(id, sample, { locale: 'ar' }));
    pdfs['example'] = pdfOf(rendered);
    // That the validator finds what is wrong.
    pdfs['without-invoice'] = pdfOf(await caller.render('html', html, { conformance: 'pdf/a-3b' }));
    expect(await invalidInvoices(pdfs)).toEqual({ 'without-invoice': expect.stringContaining('XML data not found') });
  },
  timeoutMs,
);
