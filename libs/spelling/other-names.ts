import { pageSizes } from '#contracts/http/page-sizes.ts';
import { plainFormOf } from './similar.ts';
import { marginHint, marginsIn, type Suggestion } from './suggestion.ts';

type Suggest = (value: unknown) => Suggestion;

const field =
  (name: string, example: unknown): Suggest =>
  () => ({ fields: [name], example: { [name]: example } });
const data =
  (example: Record<string, unknown>): Suggest =>
  () => ({ fields: ['data'], example });
const hint =
  (text: string): Suggest =>
  () => ({ fields: [], hint: text });

const textOf = (value: unknown): string => (typeof value === 'string' ? plainFormOf(value.slice(0, 64)) : '');
const isOff = (value: unknown): boolean => value === false || textOf(value) === 'false';

const orientation: Suggest = (value) => field('orientation', isOff(value) ? 'portrait' : 'landscape')(value);
const pageSize: Suggest = (value) =>
  field('page_size', pageSizes.find((size) => plainFormOf(size) === textOf(value)) ?? 'A4')(value);
const sheet =
  (name: string): Suggest =>
  () => ({ fields: [name], example: { width: '210mm', height: '297mm' } });
const margins: Suggest = (value) => {
  const example = marginsIn(value);
  return { fields: Object.keys(example), example, hint: marginHint };
};
const header = field('header_html', '<p>Invoice</p>');
const footer = field('footer_html', '<p>{{page}} of {{total}}</p>');
const html = data({ input_type: 'html', data: '<h1>Invoice</h1>' });
const pageUrl = data({ input_type: 'url', data: 'https://example.com/' });
const values = data({ data: { customer: 'Ines Prado' } });
const content = field('content', '<h1>{{title}}</h1>');
const inputType = field('input_type', 'html');
const templateId = field('template_id', 'tpl_01JQZX3C5V8Y2N6T4R7W9K0MHB');
const templateIdByName: Suggest = (value) => ({ ...templateId(value), hint: 'GET /api/v1/templates lists the ids.' });
const fileName = field('file_name', 'invoice.pdf');
const webhookUrl = field('webhook_url', 'https://example.com/hooks/pdf');
const webhookHeaders = field('webhook_headers', { 'X-Tenant': 'north' });
const defaultOptions = field('default_options', { page_size: 'A4' });
const flatOptions = hint('Options are fields of the request itself, such as "page_size" and "orientation".');
const pdfResult = hint('The result is a PDF. With the header Accept: application/pdf the response is the PDF itself.');
const isImageType = (value: unknown): boolean => /^(?:png|jpe?g|webp)$/.test(textOf(value));
const output: Suggest = (value) => field('output', textOf(value) === 'jpg' ? 'jpeg' : textOf(value))(value);
const outputType: Suggest = (value) =>
  isImageType(value) || textOf(value) === 'pdf' ? output(value) : pdfResult(value);
const templateMode = hint('A stored template is rendered with "mode": "RENDER".');
const convertMode = hint('Content with an input_type is converted with "mode": "CONVERT".');
const authorization = hint('The API key belongs in the header Authorization: Bearer <API key>.');
const asynchronous = hint('For an asynchronous render use POST /api/v1/render/async, or send a webhook_url.');
const onePage = hint('For one long page send "width" and "height", up to "5000mm".');
const firstPage = hint(
  'For another header on the first page use boxes in CSS, such as @page :first { @top-center { content: "Cover" } }.',
);
const compose = hint('Several documents become one PDF with "mode": "COMPOSE".');
const contents = hint('A table of contents with page numbers needs "mode": "COMPOSE". Markdown can have [[toc]].');
const split = hint('For a PDF of some pages use "page_ranges", in a request for each PDF.');
const flatten = hint('The PDF has no form fields: their values are printed.');
const failOnMissing = hint(
  'An image that cannot be loaded is always an error, another resource the warning resource_failed. ' +
    'GET /api/v1/jobs/{job_id}?diagnostics=true has the messages of scripts.',
);
const testKey = hint('For tests use a key that begins with svc_test_.');
const format: Suggest = (value) => {
  if (textOf(value) === 'pdf') return pdfResult(value);
  if (isImageType(value)) return output(value);
  return /^(?:html|markdown|md|docx|doc|odt|rtf|xlsx|pptx|csv|json|xml)$/.test(textOf(value))
    ? inputType(value)
    : pageSize(value);
};

/**
 * Options of other services and libraries, in the form of `plainFormOf`: Gotenberg, DocRaptor, PDFMonkey, Carbone,
 * jsreport, PDFShift, Puppeteer, Playwright and wkhtmltopdf. Of several suggestions the first whose fields the request
 * can have applies.
 */
const suggestions: [names: string, ...Suggest[]][] = [
  ['landscape islandscape paperorientation pageorientation', orientation],
  ['portrait', (value) => field('orientation', isOff(value) ? 'landscape' : 'portrait')(value)],
  ['format', format, inputType],
  ['papersize paperformat pageformat paper sheetsize sheet size', pageSize, field('limit', 20)],
  ['paperwidth pagewidth sheetwidth', sheet('width')],
  ['paperheight pageheight sheetheight', sheet('height')],
  ['margin margins pagemargin pagemargins', margins],
  ['header headertemplate headercontent headerhtmlcontent headertext pageheader', header],
  ['footer footertemplate footercontent footerhtmlcontent footertext pagefooter', footer],
  [
    'displayheaderfooter showheaderfooter headerfooter',
    () => ({
      fields: ['header_html', 'footer_html'],
      example: { header_html: '<p>Invoice</p>', footer_html: '<p>{{page}} of {{total}}</p>' },
    }),
  ],
  ['background backgrounds printbackgrounds', field('print_background', true)],
  ['disablebackgrounds nobackground omitbackground', field('print_background', false)],
  ['zoom scalefactor pagescale', field('scale', 0.8)],
  ['media mediatype emulatedmediatype emulatemediatype cssmedia', field('emulate_media', 'screen')],
  ['useprint printmediatype', field('emulate_media', 'print')],
  ['delay waitdelay javascriptdelay waitfortimeout renderdelay wait sleep pause', field('wait_time', 500)],
  ['waituntil waitfornetworkidle waitfornetworkiddle networkidle', field('wait_for', 'networkidle')],
  ['selector waitforelement', field('wait_for_selector', '#ready')],
  ['waitforexpression waitforjs waitforfunction windowstatus', field('wait_for_selector', '#ready')],
  ['pages nativepageranges pagerange ranges range', field('page_ranges', '1-3')],
  ['baseuri base rooturl', field('base_url', 'https://example.com/')],
  ['extrahttpheaders httpheaders requestheaders', field('url_headers', { 'X-Tenant': 'north' })],
  ['cookie cookies', field('url_cookies', [{ name: 'session', value: '...' }])],
  [
    'filename name outputfilename reportname outputname outputfile documentname pdfname saveas path',
    fileName,
    field('name', 'Invoice'),
  ],
  ['title', field('name', 'Invoice')],
  ['templatename', field('name', 'Invoice'), templateIdByName, templateMode],
  ['title', field('metadata', { title: 'Offer 118' })],
  ['author authors', field('metadata', { author: 'Ines Prado' })],
  ['subject', field('metadata', { subject: 'Invoice 2026-118' })],
  ['keywords', field('metadata', { keywords: ['invoice', '2026'] })],
  ['pdfa pdfaconformance pdfastandard pdfaversion pdfprofile', field('conformance', 'pdf/a-3b')],
  ['pdfua accessible', field('conformance', 'pdf/ua-1')],
  ['bookmarks bookmark generatedocumentoutline exportbookmarks', field('outline', true)],
  ['generatetaggedpdf taggedpdf', field('tagged', true)],
  ['toc tableofcontents', field('contents', true), contents],
  ['html rawhtml htmlcontent markup htmlbody', html, content],
  ['markdown md', data({ input_type: 'markdown', data: '# Minutes' })],
  ['csv', data({ input_type: 'csv', data: 'Item,Price\nPaper,4.20\n' })],
  ['json', data({ input_type: 'json', data: [{ city: 'Graz' }] })],
  ['xml', data({ input_type: 'xml', data: '<list/>' })],
  ['docx word', data({ input_type: 'docx', data: 'UEsDB...' })],
  ['content source body text document documentcontent layout', html, content],
  ['input inputdata file files base64 dataurl', html],
  ['payload context substitutions mergefields mergevars params values model', values, field('variables', [])],
  ['fields placeholders schema', field('variables', [{ name: 'customer', type: 'string' }]), values],
  ['variables', values],
  ['url uri href link website address page documenturl targeturl sourceurl', pageUrl, webhookUrl],
  ['type kind', inputType, field('category', 'invoice')],
  ['sourcetype contenttype mimetype documenttype doctype inputformat', inputType],
  ['from', field('since', '2026-03-02'), inputType],
  ['template templateuid templateuuid documenttemplateid shortid design', templateId, content, templateMode],
  ['templateid', templateMode],
  ['inputtype', convertMode],
  ['version templateversion templateversionid', field('template_version', 2), templateMode],
  ['callback callbackurl webhook notifyurl notificationurl hook posturl responseurl', webhookUrl],
  ['callbackmethod webhookhttpmethod', field('webhook_method', 'POST')],
  ['callbackheaders webhookextrahttpheaders headers', webhookHeaders, field('url_headers', { 'X-Tenant': 'north' })],
  [
    'userpassword password openpassword encryptionpassword encrypt protect',
    () => ({ fields: ['encryption'], example: { encryption: { user_password: '...' } } }),
  ],
  [
    'ownerpassword permissionspassword masterpassword permissions',
    () => ({ fields: ['encryption'], example: { encryption: { owner_password: '...' } } }),
  ],
  ['password openpassword documentpassword userpass', field('user_password', '...')],
  ['permissionspassword masterpassword adminpassword ownerpass', field('owner_password', '...')],
  ['stamp watermarktext watermarkimage', field('watermark', { text: 'DRAFT' })],
  ['pagenumbers pagenumber pagination numbering', field('page_numbers', {})],
  ['singlepage onepage fullpage', onePage],
  ['singlepagesheets', field('one_page_per_sheet', true)],
  ['headerfirst firstheader headerfirstpage firstpageheader differentfirstpage headerhtmlfirst', firstPage],
  ['merge combine append concat', compose],
  ['split splitmode splitspan splitunify', split],
  ['flatten flattenforms exportformfields', flatten],
  ['embed embeds embedfiles', field('attachments', [{ name: 'values.csv', data: 'YSxiCjEsMgo=' }])],
  [
    'failonhttpstatuscodes failonresourcehttpstatuscodes failonresourceloadingfailed failonconsoleexceptions',
    failOnMissing,
  ],
  ['keep store persist hosted save', field('keep_pdf', true)],
  ['lang language localeid culture', field('locale', 'de-AT')],
  ['tz zone', field('time_zone', 'Europe/Vienna')],
  ['category tag tags', field('category', 'invoice')],
  ['note comment changelog', field('changes', 'new address')],
  ['options settings printoptions pdfoptions pdf chrome princeoptions config', defaultOptions, flatOptions],
  ['defaults presets', defaultOptions],
  ['key label', field('name', 'customer')],
  ['datatype valuetype', field('type', 'string')],
  ['mandatory isrequired', field('required', true)],
  ['perpage pagesize count maxresults', field('limit', 20)],
  ['after createdafter start startdate begin', field('since', '2026-03-02')],
  ['to before createdbefore end enddate', field('until', '2026-03-02')],
  ['state jobstatus', field('status', 'DONE')],
  ['nextcursor pagetoken continuationtoken offset', field('cursor', 'job_01JR04W1PD2M5S8V3Q6X9Z7TKF')],
  [
    'output outputtype outputformat convertto responsetype encode encoding exporttype recipe imagetype imageformat',
    outputType,
    pdfResult,
  ],
  ['resolution ppi dotsperinch density', field('dpi', 150)],
  ['imagequality jpegquality compression', field('quality', 85)],
  ['transparentbackground', field('transparent', true)],
  ['preview previewimage thumb', field('thumbnail', true)],
  ['async asynchronous background', asynchronous],
  ['test testmode sandbox', testKey],
  ['apikey apitoken accesstoken token auth authorization usercredentials', authorization],
  ['idempotencykey', hint('The idempotency key belongs in the header Idempotency-Key.')],
  ['diagnostics debug', hint('For diagnostics add diagnostics=true to the URL.')],
  ['webhookurl callbackurl endpoint', field('url', 'https://example.com/hooks/pdf')],
  // Fields of attachments, encryption, factur_x, metadata, page_numbers, watermark and contents.
  ['filename title', field('name', 'values.csv')],
  ['type contenttype mediatype mime format', field('mime_type', 'text/csv')],
  ['content base64 bytes file body', field('data', 'YSxiCjEsMgo=')],
  ['afrelationship relation rel', field('relationship', 'Data')],
  ['desc alt caption', field('description', 'What the chart shows')],
  ['modified modificationdate moddate lastmodified date updatedat', field('modified_at', '2026-05-31T09:30:00Z')],
  ['printing allowprinting', field('print', 'low')],
  ['copying allowcopying extract copycontent', field('copy', false)],
  ['modifying modification edit editing change changing modifycontents', field('modify', false)],
  ['annotations comment comments commenting', field('annotate', false)],
  ['forms fillinforms fillingforms formfilling', field('fill_forms', false)],
  ['screenreader screenreaders extractforaccessibility contentaccessibility', field('accessibility', true)],
  ['assembly documentassembly', field('assemble', false)],
  ['level conformancelevel standard', field('profile', 'en16931')],
  ['invoice data content facturx cii', field('xml', '...')],
  ['tags keyword', field('keywords', ['invoice', '2026'])],
  ['application producer generator', field('creator', 'Accounting 4')],
  ['description', field('subject', 'Invoice 2026-118')],
  ['properties extra additional others', field('custom', { CaseNumber: '2026-118' })],
  ['content value label string message', field('text', 'DRAFT')],
  ['url src logo picture file data', field('image', 'iVBORw0KGgo...')],
  ['angle rotate degrees', field('rotation', 45)],
  ['alpha transparency', field('opacity', 0.2)],
  ['colour fontcolor textcolor fill', field('color', '#cc0000')],
  ['align alignment placement location', field('position', 'center')],
  ['zindex order behind above below', field('layer', 'under')],
  ['size textsize', field('font_size', 12)],
  ['template pattern text', field('format', '{page} / {total}')],
  ['first startat startfrom from offset begin', field('start', 1)],
  ['restart perpart bypart restarteachpart', field('restart_by_part', true)],
  ['levels maxdepth maxlevel', field('depth', 2)],
  ['lang locale', field('language', 'de')],
  ['heading name', field('title', 'Contents')],
  [
    'asset image images font fonts resource resources',
    hint('Send images, style sheets and fonts of the document in a form (multipart/form-data), as parts "assets".'),
  ],
  [
    'css style styles stylesheet stylesheets',
    hint('Styles belong in the document, in a <style> element, or in parts "assets" of a form.'),
  ],
];

const byName = new Map<string, Suggest[]>();
for (const [names, ...suggests] of suggestions)
  for (const name of names.split(' ')) byName.set(name, [...(byName.get(name) ?? []), ...suggests]);

/** Only the fields that the request can have. */
const restrict = ({ fields, example, ...rest }: Suggestion, allowed: ReadonlySet<string>): Suggestion => ({
  ...rest,
  fields: fields.filter((name) => allowed.has(name)),
  ...(example ? { example: Object.fromEntries(Object.entries(example).filter(([name]) => allowed.has(name))) } : {}),
});

/**
 * The suggestion for the name of an option of another service; null for other names. `value` is what was sent for it.
 */
export const suggestForOtherName = (name: string, value: unknown, allowed: ReadonlySet<string>): Suggestion | null => {
  for (const suggest of byName.get(plainFormOf(name)) ?? []) {
    const suggestion = suggest(value);
    // Hints are for requests with data.
    if (suggestion.fields.length === 0 ? allowed.has('data') : suggestion.fields.some((field) => allowed.has(field)))
      return restrict(suggestion, allowed);
  }
  return null;
};
