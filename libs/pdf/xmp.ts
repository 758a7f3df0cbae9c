import { escapeMarkup } from '#libs/markup/escape.ts';

/** What a PDF says about itself. Dates are ISO 8601 in UTC. */
export type PdfMetadata = {
  title: string | null;
  authors: string[];
  subject: string | null;
  keywords: string[];
  creator: string;
  producer: string;
  createdAt: string;
  custom: Record<string, string>;
};

/** What a PDF claims to conform to: `pdf/a-3b` is part 3, level B. */
export type PdfaLevel = { part: 2 | 3; conformance: 'B' | 'U' };

// XML 1.0 allows no other control characters, and no lone surrogates.
const invalid = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const escaped = (value: string): string => escapeMarkup(value.replaceAll(invalid, '\u{fffd}'));

const element = (name: string, value: string | null): string =>
  value === null || value === '' ? '' : `<${name}>${escaped(value)}</${name}>\n`;
const alternatives = (name: string, value: string | null): string =>
  value === null || value === ''
    ? ''
    : `<${name}><rdf:Alt><rdf:li xml:lang="x-default">${escaped(value)}</rdf:li></rdf:Alt></${name}>\n`;
const list = (name: string, kind: 'Seq' | 'Bag', values: readonly string[]): string =>
  values.length === 0
    ? ''
    : `<${name}><rdf:${kind}>${values.map((value) => `<rdf:li>${escaped(value)}</rdf:li>`).join('')}</rdf:${kind}></${name}>\n`;

const namespaces = {
  dc: 'http://purl.org/dc/elements/1.1/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  pdf: 'http://ns.adobe.com/pdf/1.3/',
  pdfx: 'http://ns.adobe.com/pdfx/1.3/',
  pdfaid: 'http://www.aiim.org/pdfa/ns/id/',
  pdfuaid: 'http://www.aiim.org/pdfua/ns/id/',
};
const facturXNamespaces = { fx: 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#' };
const allNamespaces = { ...namespaces, ...facturXNamespaces };

/** What the PDF says about the electronic invoice in it. */
export type FacturXMetadata = { fileName: string; level: string };

type Property = { name: string; valueType: string; category?: 'external'; description: string };
type Schema = { title: string; prefix: keyof typeof allNamespaces; properties: readonly Property[] };

/** PDF/A requires a description of every property that its own standard does not define (ISO 19005-3, 6.6.2.3). */
const schemaDescription = ({ title, prefix, properties }: Schema): string =>
  `<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>${title}</pdfaSchema:schema>` +
  `<pdfaSchema:namespaceURI>${allNamespaces[prefix]}</pdfaSchema:namespaceURI><pdfaSchema:prefix>${prefix}</pdfaSchema:prefix>` +
  `<pdfaSchema:property><rdf:Seq>${properties
    .map(
      ({ name, valueType, category = 'internal', description }) =>
        `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${escaped(name)}</pdfaProperty:name>` +
        `<pdfaProperty:valueType>${valueType}</pdfaProperty:valueType><pdfaProperty:category>${category}</pdfaProperty:category>` +
        `<pdfaProperty:description>${escaped(description)}</pdfaProperty:description></rdf:li>`,
    )
    .join('')}</rdf:Seq></pdfaSchema:property></rdf:li>`;

const extensionSchemas = (schemas: readonly Schema[]): string =>
  schemas.length === 0
    ? ''
    : '<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" ' +
      'xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">\n' +
      `<pdfaExtension:schemas><rdf:Bag>${schemas.map(schemaDescription).join('')}</rdf:Bag></pdfaExtension:schemas>\n` +
      '</rdf:Description>\n';

const facturXProperty = (name: string, description: string): Property => ({
  name,
  valueType: 'Text',
  category: 'external',
  description,
});
const facturXSchema: Schema = {
  title: 'Factur-X PDFA Extension Schema',
  prefix: 'fx',
  properties: [
    facturXProperty('DocumentFileName', 'The name of the embedded XML document'),
    facturXProperty('DocumentType', 'The type of the hybrid document in capital letters, e.g. INVOICE or ORDER'),
    facturXProperty('Version', 'The actual version of the standard applying to the embedded XML document'),
    facturXProperty('ConformanceLevel', 'The conformance level of the embedded XML document'),
  ],
};

/** The names of custom metadata that are XML names; others are only in the information dictionary. */
const xmlName = /^[A-Za-z_][\w.-]{0,126}$/;

/** The XMP packet of a PDF (ISO 16684-1). */
export const xmpPacket = (
  metadata: PdfMetadata,
  pdfa: PdfaLevel | null,
  isPdfUa: boolean,
  facturX: FacturXMetadata | null = null,
): string => {
  const custom = Object.entries(metadata.custom).filter(([name]) => xmlName.test(name));
  const schemas: Schema[] = [
    ...(isPdfUa
      ? [
          {
            title: 'PDF/UA identification schema',
            prefix: 'pdfuaid',
            properties: [{ name: 'part', valueType: 'Integer', description: 'Part of ISO 14289' }],
          } as const,
        ]
      : []),
    ...(custom.length > 0
      ? [
          {
            title: 'Custom properties',
            prefix: 'pdfx',
            properties: custom.map(([name]) => ({ name, valueType: 'Text', description: name })),
          } as const,
        ]
      : []),
    ...(facturX ? [facturXSchema] : []),
  ];
  const declarations = Object.entries(facturX ? allNamespaces : namespaces)
    .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
    .join(' ');
  return (
    '<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>\n' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n' +
    `<rdf:Description rdf:about="" ${declarations}>\n<dc:format>application/pdf</dc:format>\n` +
    alternatives('dc:title', metadata.title) +
    list('dc:creator', 'Seq', metadata.authors) +
    alternatives('dc:description', metadata.subject) +
    list('dc:subject', 'Bag', metadata.keywords) +
    element('pdf:Keywords', metadata.keywords.join(', ')) +
    element('xmp:CreatorTool', metadata.creator) +
    element('pdf:Producer', metadata.producer) +
    element('xmp:CreateDate', metadata.createdAt) +
    element('xmp:ModifyDate', metadata.createdAt) +
    custom.map(([name, value]) => element(`pdfx:${name}`, value)).join('') +
    (pdfa
      ? `<pdfaid:part>${pdfa.part}</pdfaid:part>\n<pdfaid:conformance>${pdfa.conformance}</pdfaid:conformance>\n`
      : '') +
    (isPdfUa ? '<pdfuaid:part>1</pdfuaid:part>\n' : '') +
    (facturX
      ? element('fx:DocumentType', 'INVOICE') +
        element('fx:DocumentFileName', facturX.fileName) +
        element('fx:Version', '1.0') +
        element('fx:ConformanceLevel', facturX.level)
      : '') +
    '</rdf:Description>\n' +
    (pdfa ? extensionSchemas(schemas) : '') +
    '</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end="r"?>'
  );
};
