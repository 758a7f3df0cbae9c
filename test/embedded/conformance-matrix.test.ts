import { beforeAll, describe, expect, it } from 'vitest';
import { exampleNames, invoiceExample, readExample } from '#libs/templating/examples.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type ApiResponse, type Body, createClient } from '../support/client/api-client.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import {
  composition,
  type Document,
  documents,
  documentsForLevels,
} from '../support/documents/conformance-documents.ts';
import { checkWithQpdf, isQpdfAvailable } from '../support/documents/qpdf.ts';
import { pdfBytes, readStructure } from '../support/documents/read-pdf.ts';
import { readReadingOrder } from '../support/documents/read-structure-text.ts';
import { conformsTo, type Flavour, isVeraPdfAvailable, validate } from '../support/documents/verapdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const both = ['pdf/a-3b', 'pdf/ua-1'];
const allExamples = [...exampleNames, invoiceExample] as const;
type ExampleName = (typeof allExamples)[number];

const created = new Map<ExampleName, Promise<string>>();
/** The id of an example template, which is stored once. */
const create = (name: ExampleName): Promise<string> => {
  const store = async (): Promise<string> => {
    const { content, variables, labels, default_options } = (await readExample(name)).template;
    return (await createTemplateClient(caller).create(content, { variables, labels, default_options })).id;
  };
  const id = created.get(name) ?? store();
  created.set(name, id);
  return id;
};

/** The PDF in a response, which must be a success. */
const pdfIn = (name: string, { status, text, body }: ApiResponse): string => {
  expect([name, status, text.slice(0, 300)]).toEqual([name, 200, expect.any(String)]);
  return String(body['pdf_base64']);
};

const samples = new Map<ExampleName, Promise<string>>();
/** The PDF of an example with its sample, for both standards, which is rendered once. */
const renderedSample = (name: ExampleName): Promise<string> => {
  const render = async (): Promise<string> => {
    const options = { conformance: both, outline: true };
    const { sample } = await readExample(name);
    const response = await createTemplateClient(caller).render(await create(name), sample, options);
    return pdfIn(name, response);
  };
  const pdf = samples.get(name) ?? render();
  samples.set(name, pdf);
  return pdf;
};

const render = async (name: string, [inputType, data, options]: Document, conformance: unknown): Promise<Uint8Array> =>
  pdfBytes(pdfIn(name, await caller.convert(inputType, data, { ...options, conformance })));

const levels: [level: string, flavour: Flavour][] = [
  ['pdf/a-2b', '2b'],
  ['pdf/a-2u', '2u'],
  ['pdf/a-3u', '3u'],
];

type Make = (conformance: unknown) => Promise<Uint8Array>;

/** Ways to make a PDF, by name. */
const makersForLevels = async (): Promise<Record<string, Make>> => {
  const { sample } = await readExample('invoice');
  const id = await create('invoice');
  const partOf = (name: string): Body => {
    const [inputType, data] = documentsForLevels[name]!;
    return { mode: 'CONVERT', input_type: inputType, data };
  };
  const parts = [partOf('xml'), partOf('csv'), { mode: 'RENDER', template_id: id, data: sample }];
  const whole = { mode: 'COMPOSE', parts, metadata: { title: 'Whole' }, contents: true, page_numbers: {} };
  return {
    ...Object.fromEntries(
      Object.entries(documentsForLevels).map(([name, document]): [string, Make] => [
        name,
        (conformance) => render(name, document, conformance),
      ]),
    ),
    template: async (conformance) =>
      pdfBytes(pdfIn('template', await createTemplateClient(caller).render(id, sample, { conformance }))),
    composition: async (conformance) =>
      pdfBytes(pdfIn('composition', await caller.postRender({ ...whole, conformance }))),
  };
};

type NamedPdf = { name: string; pdf: Uint8Array; flavours: Flavour[] };

const renderAll = async (): Promise<NamedPdf[]> => {
  const pdfs: NamedPdf[] = [];
  const add = (name: string, pdf: Uint8Array, ...flavours: Flavour[]) => void pdfs.push({ name, pdf, flavours });
  for (const [name, document] of Object.entries(documents)) add(name, await render(name, document, both), '3b', 'ua1');
  const composed = await caller.postRender({ ...composition, conformance: both });
  add('parts in several languages', pdfBytes(pdfIn('parts in several languages', composed)), '3b', 'ua1');
  for (const name of allExamples) add(`example ${name}`, pdfBytes(await renderedSample(name)), '3b', 'ua1');
  // Each at one level alone. The first three, which have different levels, also with PDF/UA.
  for (const [index, [name, make]] of Object.entries(await makersForLevels()).entries()) {
    const [level, flavour] = levels[index % 3]!;
    add(`${name} ${flavour}`, await make(level), flavour);
    if (index < 3) add(`${name} ${flavour} ua1`, await make([level, 'pdf/ua-1']), flavour, 'ua1');
  }
  return pdfs;
};
let all: Promise<NamedPdf[]> | undefined;
const renderedAll = (): Promise<NamedPdf[]> => (all ??= renderAll());

describe('A PDF from every input, in every script, with every kind of content, from each example, at every level', () => {
  // In one test, because the start of the validator takes longer than the validation of twenty files.
  it.skipIf(!isVeraPdfAvailable)(
    'conforms to the standards that it names',
    async () => {
      const pdfs = await renderedAll();
      const found = await validate(Object.fromEntries(pdfs.map(({ name, pdf }) => [name, pdf])));
      expect(found).toEqual(Object.fromEntries(pdfs.map(({ name, flavours }) => [name, conformsTo(...flavours)])));
    },
    600_000,
  );

  it.skipIf(!isQpdfAvailable)(
    'has no errors that qpdf finds',
    async () => {
      const problems: unknown[] = [];
      for (const { name, pdf } of await renderedAll()) {
        const { isGood, output } = await checkWithQpdf(pdf);
        if (!isGood) problems.push([name, output]);
      }
      expect(problems).toEqual([]);
    },
    600_000,
  );
});

describe('Assistive technology presents the example template', () => {
  /** Headings, tables with their header cells, lists and images, in reading order. */
  const expected: Record<ExampleName, string[]> = {
    invoice: [
      'H1: Invoice',
      'H2: BILLED TO',
      'Table 4x2: Invoice date | Service period | Your reference | Payment due',
      'Table 9x5: NO. | DESCRIPTION | QUANTITY | UNIT PRICE | AMOUNT | Subtotal | VAT 20% | Total due',
      'H2: PAYMENT',
      'H2: NOTES',
    ],
    contract: [
      'H1: Agreement on Translation Services',
      'L 2: (A)The Client is preparing',
      'H2: 1.The work',
      'H2: 2.Delivery and fees',
      'Table 5x3: Deliverable | Due | Fee',
      'H2: 3.Payment',
      'H2: 4.Rights',
      'H2: 5.Con',
      'H2: 6.Delay and defects',
      'H2: 7.Ending the agreement',
      'H2: 8.Final provisions',
    ],
    report: [
      'H1: Visitors and Revenue',
      'H2: Summary',
      'H2: What was sold',
      'Caption: Revenue by group, in euros',
      'H2: Month by month',
      'Table 5x6: Month | Visitors | Buyers | Share of buyers | Revenue | Per buyer',
      'H2: What follows',
    ],
    certificate: ['H1: Certificate of Completion', 'Figure: Seal'],
    letter: ['H1: Loan of twelve stencils', 'L 2: List of objects'],
    'e-invoice': [
      'H1: Invoice',
      'H2: BILLED TO',
      'Table 5x2: Invoice date | Delivery date | Service period | Your reference | Payment due',
      'Table 10x5: NO. | DESCRIPTION | QUANTITY | UNIT PRICE | AMOUNT | Subtotal | VAT 20% | VAT 10% | Total due',
      'H2: PAYMENT',
      'H2: NOTES',
    ],
    receipt: ['H1: Received with thanks', 'Table 9x2: ITEM | AMOUNT'],
  };

  it.each(allExamples)('%s with its headings, tables and images in order', async (name) => {
    const pdf = await renderedSample(name);
    const lines = await readReadingOrder(pdf);
    const found = lines.filter((line) => /^(?:H\d|Table|L \d|Figure|Caption).*: ./.test(line));
    expect(found).toEqual(expected[name].map((line) => expect.stringContaining(line) as unknown));
    const { outline } = await readStructure(pdf);
    expect(outline.map((title) => title.trim()).filter((title) => /^(.+)\1$/.test(title))).toEqual([]);
  });
});
