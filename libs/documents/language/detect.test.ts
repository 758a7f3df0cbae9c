import { expect, test } from 'vitest';
import { detectLanguage } from './detect.ts';

test.each([
  ['en', 'The invoice is payable within 30 days from the date of the delivery.'],
  ['de', 'Die Rechnung ist innerhalb von 30 Tagen nach dem Datum der Lieferung zu zahlen.'],
  ['fr', 'La facture est payable dans les 30 jours qui suivent la date de la livraison, avec escompte pour vous.'],
  ['es', 'La factura se paga en un plazo de 30 días a partir de la fecha de entrega, y los gastos son del cliente.'],
  ['it', 'La fattura è pagabile entro 30 giorni dalla data della consegna, e le spese sono a carico del cliente.'],
  [
    'nl',
    'De factuur moet binnen 30 dagen na de datum van de levering worden betaald, en dat is niet voor het bedrijf.',
  ],
  ['pl', 'Faktura jest płatna w ciągu 30 dni od daty dostawy i nie może być zapłacona przez inną osobę.'],
  ['ja', '請求書は30日以内にお支払いください。'],
  ['zh', '发票应在三十天内支付。'],
  ['el', 'Το τιμολόγιο είναι πληρωτέο'],
])('%s is detected', (language, text) => expect(detectLanguage(text)).toBe(language));

const grades = 'Name,Grade\nAnna,A\nBen,A\nCarla,A\nDan,B';
const columns = '{"k":1,"v":2} {"k":3,"v":4} {"i":1,"o":2} {"i":1,"o":2} {"i":1,"o":2}';
const repeated = 'von,12\nvon,13\nvon,14\nvon,15';
test.each([
  '',
  '12.50 EUR',
  'const a = b;',
  'name,price,quantity\nPen,1.20,3',
  'Colophon GmbH',
  grades,
  columns,
  repeated,
])('too few words are no language: %s', (text) => expect(detectLanguage(text)).toBe('und'));
