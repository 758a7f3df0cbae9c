import { beforeAll, describe, expect, it } from 'vitest';
import type { FacturXProfile } from '#contracts/http/factur-x.ts';
import { invoiceExample, readExample } from '#libs/templating/examples.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient, type RenderResult } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { readAttachments } from '../support/documents/read-attachments.ts';
import { sampleInvoice } from '../support/documents/sample-invoices.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const html = '<!doctype html><html lang="en"><title>Invoice</title><h1>Invoice R-1</h1>';
const pdfOf = ({ pdf_base64 }: RenderResult): Buffer => Buffer.from(pdf_base64, 'base64');
const invoiceOf = (xml: string, profile: FacturXProfile = 'en16931'): Body => ({ factur_x: { xml, profile } });
const en16931 = sampleInvoice('en16931');
const example = await readExample(invoiceExample);

const renderExample = async (data: Body, options: Body = {}) => {
  const templates = createTemplateClient(caller);
  const { default_options, ...fields } = example.template;
  const { id } = await templates.create(fields.content, {
    variables: fields.variables,
    labels: fields.labels,
    default_options: { ...default_options, ...options },
  });
  return templates.render(id, data);
};
type ExampleData = { seller: Body; total: number };
const exampleWith = (change: (data: ExampleData) => void): Body => {
  const data = structuredClone(example.sample) as ExampleData;
  change(data);
  return data;
};

describe('An electronic invoice', () => {
  it('of the example counts its lines as the page does, and has no empty element without a date of delivery', async () => {
    const { body } = await renderExample(exampleWith((data) => delete (data as Body)['delivery_date']));
    const [attached] = await readAttachments(Buffer.from(String(body['pdf_base64']), 'base64'));
    const xml = attached!.content.toString();
    const lines = [...xml.matchAll(/<ram:LineID>(.*?)<\/ram:LineID>/g)].map(([, line]) => line);
    expect(lines).toEqual((example.sample['items'] as unknown[]).map((_, index) => String(index + 1)));
    expect(xml).not.toMatch(/<([\w:]+)[^>]*>\s*<\/\1>|\/>/);
  });

  it.each<[FacturXProfile, string, string]>([
    ['minimum', 'MINIMUM', 'Data'],
    ['basicwl', 'BASIC WL', 'Data'],
    ['basic', 'BASIC', 'Alternative'],
    ['en16931', 'EN 16931', 'Alternative'],
    ['extended', 'EXTENDED', 'Alternative'],
    ['xrechnung', 'XRECHNUNG', 'Alternative'],
  ])('of the profile %s is attached to a PDF/A-3 that names it', async (profile, level, relationship) => {
    const xml = sampleInvoice(profile);
    const name = profile === 'xrechnung' ? 'xrechnung.xml' : 'factur-x.xml';
    const pdf = pdfOf(await caller.render('html', html, invoiceOf(xml, profile)));
    expect(await readAttachments(pdf)).toEqual([
      expect.objectContaining({ name, mimeType: 'text/xml', relationship, content: Buffer.from(xml) }),
    ]);
    const text = pdf.toString('latin1');
    expect(text).toContain(`<fx:DocumentFileName>${name}</fx:DocumentFileName>`);
    expect(text).toContain(`<fx:ConformanceLevel>${level}</fx:ConformanceLevel>`);
    expect(text).toMatch(/<pdfaid:part>3<.*\n<pdfaid:conformance>B</);
  });

  it('keeps the level of PDF/A-3 and the other attachments of the request', async () => {
    const options = { conformance: ['pdf/a-3u', 'pdf/ua-1'], attachments: [{ name: 'terms.txt', data: 'VGVybXM=' }] };
    const pdf = pdfOf(await caller.render('html', html, { ...invoiceOf(en16931), ...options }));
    expect(pdf.toString('latin1')).toMatch(/<pdfaid:conformance>U<[\s\S]*<pdfuaid:part>1</);
    expect((await readAttachments(pdf)).map(({ name }) => name)).toEqual(['factur-x.xml', 'terms.txt']);
  });

  it('is made of the same data as the PDF by the example template, with every character escaped', async () => {
    const name = `"O'Hara" & Söhne <GmbH>`;
    const response = await renderExample(exampleWith((data) => (data.seller['name'] = name)));
    expect(response.status, response.text.slice(0, 800)).toBe(200);
    const [attached] = await readAttachments(pdfOf(response.body as unknown as RenderResult));
    const xml = attached!.content.toString();
    expect(xml).toMatch(/<ram:Name>&quot;O&#x27;Hara&quot; &amp; Söhne &lt;GmbH&gt;<\/ram:Name>/);
    expect(xml).toContain('<ram:GrandTotalAmount>13880.24</ram:GrandTotalAmount>');
    expect(xml).toContain('<udt:DateTimeString format="102">20260331</udt:DateTimeString>');
  });

  it.each<[string, [string, string][]]>([
    [
      'without a digit before the point, with a sign, and with zeros at the start',
      [
        ['<ram:CalculatedAmount>19.00', '<ram:CalculatedAmount>.50'],
        ['>19.00</ram:Rate', '>.5</ram:Rate'],
        ['"EUR">19.00', '"EUR">+.5'],
        ['>119.00</ram:Grand', '>\n00100.5 </ram:Grand'],
        ['>119.00</ram:Due', '>100.50000</ram:Due'],
        ['>100.00</ram:TaxBasis', '>100.</ram:TaxBasis'],
      ],
    ],
    [
      'whose sum is rounded to two decimals',
      [
        ['<ram:CalculatedAmount>19.00', '<ram:CalculatedAmount>19.00001'],
        ['"EUR">19.00', '"EUR">19.00001'],
      ],
    ],
  ])('may have amounts %s', async (_, changes) => {
    const xml = changes.reduce((changed, [from, to]) => changed.replaceAll(from, to), en16931);
    const { status, text } = await caller.convert('html', html, invoiceOf(xml));
    expect(status, text.slice(0, 500)).toBe(200);
  });

  it('gives the same bytes when it is verified', async () => {
    const { id } = await caller.render('html', html, invoiceOf(en16931));
    const { body, text } = await caller.request('POST', `/api/v1/renders/${id}/verify`);
    expect(body, text).toMatchObject({ matches: true });
  });
});

describe('The XML of an invoice is refused', () => {
  const changed = (from: string | RegExp, to: string): string => {
    const xml = en16931.replace(from, to);
    expect(xml).not.toBe(en16931);
    return xml;
  };
  const doctype = (inner: string): string => en16931.replace('<rsm:Cross', `<!DOCTYPE a [${inner}]>\n<rsm:Cross`);

  it.each<[string, string, RegExp, Body?]>([
    ['that is no XML', '<a', /line 1: .*Start Tag/],
    ['that is empty text', ' ', /Start tag|empty/i],
    [
      'of another kind',
      '<Invoice/>',
      /line 1, Invoice: The root element must be CrossIndustryInvoice of the namespace/,
    ],
    [
      'in UBL',
      '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>',
      /Invoice: The XML is an invoice in UBL\. Send the same invoice as a CrossIndustryInvoice/,
    ],
    [
      'of another namespace',
      '<CrossIndustryInvoice xmlns="urn:other"/>',
      /The root element must be CrossIndustryInvoice of the namespace urn:un:unece/,
    ],
    [
      'with an unknown element',
      changed('<ram:TypeCode>380', '<ram:Kind>x</ram:Kind>\n<ram:TypeCode>380'),
      /line 13, Kind: .*not expected.*Expected is.*TypeCode/,
      { line: 13, element: 'Kind' },
    ],
    ['without a mandatory element', changed('<ram:ID>R-1</ram:ID>', ''), /TypeCode: .*Expected is.*ID/],
    [
      'without a currency',
      changed('<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>', ''),
      /InvoiceCurrencyCode/,
    ],
    ['with an amount in words', changed('>119.00</ram:Grand', '>much</ram:Grand'), /GrandTotalAmount: 'much' is not/],
    ['of another profile', sampleInvoice('extended'), /For the profile en16931 it must be urn:cen.eu:en16931:2017/],
    [
      'whose lines do not add up',
      changed('100.00</ram:LineTotalAmount>', '99.99</ram:LineTotalAmount>'),
      /LineTotalAmount: It is 100.00, but the sum of the lines is 99.99/,
      { rule: 'BR-CO-10' },
    ],
    ['whose tax basis is wrong', changed('>100.00</ram:TaxBasis', '>90.00</ram:TaxBasis'), /without allowances/],
    [
      'whose tax amounts do not add up',
      changed('currencyID="EUR">19.00<', 'currencyID="EUR">18.00<'),
      /TaxTotalAmount: It is 18.00, but the sum of the tax amounts is 19.00/,
      { rule: 'BR-CO-14' },
    ],
    [
      'whose tax does not follow from the rate',
      changed(/(<ram:BasisAmount>[\s\S]*Percent>)19.00/, '$17.00'),
      /CalculatedAmount: It is 19.00, but 100.00 at this rate gives 7.00/,
      { rule: 'BR-CO-17' },
    ],
    [
      'whose total is wrong',
      changed('>119.00</ram:Grand', '>119.01</ram:Grand'),
      /GrandTotalAmount: It is 119.01, but .*119.00/,
    ],
    ['whose amount due is wrong', changed('>119.00</ram:Due', '>19.00</ram:Due'), /DuePayableAmount: It is 19.00/],
    [
      'whose totals are wrong in numbers with many decimals',
      changed('>119.00</ram:Grand', '>5000.00001</ram:Grand').replace('>119.00</ram:Due', '>1.00001</ram:Due'),
      /GrandTotalAmount: It is 5000.00001, but .*119.00.*1 more/,
      { element: 'DuePayableAmount', message: expect.stringContaining('It is 1.00001, but') },
    ],
    [
      'with an amount of a million digits',
      changed('>119.00</ram:Grand', `>${'9'.repeat(1e6)}</ram:Grand`),
      /GrandTotalAmount: It has more than 40 digits/,
    ],
    ['with a document type', doctype(''), /<!DOCTYPE/],
    ['with an external entity', doctype('<!ENTITY e SYSTEM "file:///etc/passwd">'), /<!DOCTYPE/],
    [
      'with a document type behind a comment that looks like an element',
      doctype('<!ENTITY a "aaaa">').replace('<!DOCTYPE', '<!-- <a --><!DOCTYPE'),
      /<!DOCTYPE/,
    ],
    ['in another encoding', changed('encoding="UTF-8"', 'encoding="ISO-8859-1"'), /must be UTF-8/],
    [
      'that names a schema of its own',
      changed(
        '<rsm:CrossIndustryInvoice',
        '<rsm:CrossIndustryInvoice xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
          'xsi:schemaLocation="urn:x file:///etc/passwd" foo="" ',
      ),
      /foo/,
    ],
  ])('%s', async (_, xml, message, fields = {}) => {
    const response = await caller.convert('html', html, invoiceOf(xml));
    const { violations } = expectErrorResponse(response, 'invalid_factur_x', {
      violations: expect.arrayContaining([expect.objectContaining(fields)]),
    }) as unknown as { violations: Body[] };
    expect(response.body.message).toMatch(message);
    expect(violations.length).toBeLessThanOrEqual(20);
    expect(response.text).not.toContain('root:');
  });

  it('whose entities would fill any memory, at once', async () => {
    const entities = Array.from({ length: 20 }, (_, at_) => `<!ENTITY e${at_ + 1} "&e${at_};&e${at_};&e${at_};">`).join(
      '',
    );
    const bomb = `<!-- <a --><!DOCTYPE a [<!ENTITY e0 "aaaaaaaaaa">${entities}]><a>&e20;</a>`;
    expectErrorResponse(await caller.convert('html', html, invoiceOf(bomb)), 'invalid_factur_x');
  });

  it('of a template whose data lack a value, or do not add up', async () => {
    const lacking = await renderExample(exampleWith((data) => delete data.seller['country']));
    expect(expectErrorResponse(lacking, 'template_render_error').message).toMatch(/seller\.country/);
    const wrong = await renderExample(exampleWith((data) => (data.total += 1)));
    expect(expectErrorResponse(wrong, 'invalid_factur_x').message).toMatch(/13881\.24.*13880\.24/);
  });

  it.each<[Body, RegExp]>([
    [{ factur_x: { profile: 'en16931' } }, /either xml or template/],
    [{ factur_x: { profile: 'en16931', xml: 'a', template: 'b' } }, /either xml or template/],
    [{ factur_x: { profile: 'comfort', xml: 'a' } }, /profile.*en16931/],
    [{ factur_x: { profile: 'en16931', template: en16931 } }, /factur_x\.template needs mode RENDER/],
    [{ ...invoiceOf(en16931), conformance: 'pdf/a-2b' }, /factur_x needs PDF\/A-3: use pdf\/a-3b/],
    [
      { ...invoiceOf(en16931), attachments: [{ name: 'Factur-X.xml', data: 'VGVybXM=' }] },
      /No other attachment.*factur-x\.xml/,
    ],
  ])('with options that contradict it (%#)', async (options, message) => {
    expect(expectErrorResponse(await caller.convert('html', html, options), 'invalid_request').message).toMatch(
      message,
    );
  });
});
