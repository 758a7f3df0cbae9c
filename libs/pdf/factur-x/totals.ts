import { type XmlDocument, XmlElement, type XmlNode } from 'libxml2-wasm';
import type { FacturXViolation } from '#contracts/http/factur-x.ts';
import { decimalText, hasTooManyDigits, maxDigits, one, readDecimal, roundToCents } from './decimal.ts';

const namespaces = {
  rsm: 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  ram: 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  udt: 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
};

/** The nodes at an XPath with the prefixes rsm, ram and udt. */
export const findNodes = (document: XmlDocument, path: string): XmlNode[] => document.find(path, namespaces);

const settlement = '/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement';
const totals = `${settlement}/ram:SpecifiedTradeSettlementHeaderMonetarySummation`;
const lines = '/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem';

const localName = (path: string): string => /ram:(\w+)(?:\[.*\])?$/.exec(path)?.[1] ?? path;

type Amounts = {
  /** The amount at a path; null if there is none. */
  at: (path: string) => bigint | null;
  /** The sum of all amounts at a path: 0 if there are none. */
  sum: (path: string) => bigint;
  check: (rule: string, path: string, expected: bigint, is: string) => void;
};

const amountsOf = (document: XmlDocument, found: FacturXViolation[]): Amounts => {
  const valuesAt = (path: string): bigint[] => findNodes(document, path).map(({ content }) => readDecimal(content));
  const at = (path: string): bigint | null => valuesAt(path)[0] ?? null;
  return {
    at,
    sum: (path) => valuesAt(path).reduce((sum, value) => sum + value, 0n),
    check: (rule, path, expected, is) => {
      const value = at(path);
      // The rules say "equal", but the Schematron of EN 16931 rounds what it expects.
      if (value === null || value === expected || value === roundToCents(expected)) return;
      found.push({
        line: findNodes(document, path)[0]!.line,
        element: localName(path),
        rule,
        message: `It is ${decimalText(value)}, but ${is} is ${decimalText(expected)}.`,
      });
    },
  };
};

/** The tax amounts may differ by a cent for each line, because some sellers round each line. */
const checkTaxes = (document: XmlDocument, { sum, check }: Amounts, found: FacturXViolation[]): void => {
  const taxes = `${settlement}/ram:ApplicableTradeTax`;
  if (findNodes(document, taxes).length > 0) {
    const total = `${totals}/ram:TaxTotalAmount[not(@currencyID) or @currencyID = ${settlement}/ram:InvoiceCurrencyCode]`;
    check('BR-CO-14', total, sum(`${taxes}/ram:CalculatedAmount`), 'the sum of the tax amounts');
  }
  for (const tax of findNodes(document, taxes)) {
    const valueOf = (child: string): bigint | null => {
      const node = tax.get(`ram:${child}`, namespaces);
      return node && readDecimal(node.content);
    };
    const [basis, rate, amount] = [
      valueOf('BasisAmount'),
      valueOf('RateApplicablePercent'),
      valueOf('CalculatedAmount'),
    ];
    if (basis === null || rate === null || amount === null) continue;
    const exact = (basis * rate) / (100n * one);
    const difference = exact > amount ? exact - amount : amount - exact;
    // One cent for each line would hide errors; EN 16931 accepts a difference of less than one unit of the currency.
    if (difference >= one)
      found.push({
        line: tax.line,
        element: 'CalculatedAmount',
        rule: 'BR-CO-17',
        message: `It is ${decimalText(amount)}, but ${decimalText(basis)} at this rate gives ${decimalText(exact)}.`,
      });
  }
};

const findLongAmounts = (document: XmlDocument): FacturXViolation[] =>
  findNodes(document, `//ram:*[not(*) and string-length() > ${maxDigits}]`)
    .filter((node) => node instanceof XmlElement)
    .filter(({ name, content }) => /(?:Amount|Percent)$/.test(name) && hasTooManyDigits(content))
    .map(({ line, name }) => ({ line, element: name, rule: null, message: `It has more than ${maxDigits} digits.` }));

/** Whether the totals of an invoice add up, by the rules of EN 16931 (BR-CO-10 to BR-CO-17). */
export const findWrongTotals = (document: XmlDocument): FacturXViolation[] => {
  const found = findLongAmounts(document);
  if (found.length > 0) return found;
  const amounts = amountsOf(document, found);
  const { at, sum, check } = amounts;
  const ofTotals = (name: string): bigint => at(`${totals}/ram:${name}`) ?? 0n;
  if (findNodes(document, lines).length > 0)
    check(
      'BR-CO-10',
      `${totals}/ram:LineTotalAmount`,
      sum(
        `${lines}/ram:SpecifiedLineTradeSettlement/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount`,
      ),
      'the sum of the lines',
    );
  const allowances = `${settlement}/ram:SpecifiedTradeAllowanceCharge`;
  const isCharge = (value: string): string =>
    `${allowances}[ram:ChargeIndicator/udt:Indicator = '${value}']/ram:ActualAmount`;
  check('BR-CO-11', `${totals}/ram:AllowanceTotalAmount`, sum(isCharge('false')), 'the sum of the allowances');
  check('BR-CO-12', `${totals}/ram:ChargeTotalAmount`, sum(isCharge('true')), 'the sum of the charges');
  if (at(`${totals}/ram:LineTotalAmount`) !== null)
    check(
      'BR-CO-13',
      `${totals}/ram:TaxBasisTotalAmount`,
      ofTotals('LineTotalAmount') - ofTotals('AllowanceTotalAmount') + ofTotals('ChargeTotalAmount'),
      'the sum of the lines without allowances and with charges',
    );
  checkTaxes(document, amounts, found);
  const currency = `[not(@currencyID) or @currencyID = ${settlement}/ram:InvoiceCurrencyCode]`;
  check(
    'BR-CO-15',
    `${totals}/ram:GrandTotalAmount`,
    ofTotals('TaxBasisTotalAmount') + ofTotals(`TaxTotalAmount${currency}`),
    'the sum of tax basis and tax',
  );
  check(
    'BR-CO-16',
    `${totals}/ram:DuePayableAmount`,
    ofTotals('GrandTotalAmount') - ofTotals('TotalPrepaidAmount') + ofTotals('RoundingAmount'),
    'the grand total without what is paid',
  );
  return found;
};
