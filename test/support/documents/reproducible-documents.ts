import type { Body } from '../client/api-client.ts';
import { sampleDocument } from './sample-documents.ts';

/** A document of each input type, and one with scripts. */
export const reproducibleDocuments: [inputType: string, data: string, options: Body][] = [
  ['html', sampleDocument('invoice.html'), { header_html: 'Page {{page}} of {{total}}, {{date}}' }],
  [
    'html',
    '<canvas id="c"></canvas><p id="p"></p><script>document.getElementById("p").textContent = "x".repeat(200); ' +
      'document.getElementById("c").getContext("2d").fillRect(0, 0, 9, 9)</script>',
    {},
  ],
  ['docx', sampleDocument('agreement.docx'), {}],
  ['markdown', sampleDocument('release-notes.md'), { scale: 0.8 }],
  ['csv', sampleDocument('orders.csv'), {}],
  ['json', sampleDocument('order.json'), {}],
  ['xml', sampleDocument('catalogue.xml'), {}],
];
