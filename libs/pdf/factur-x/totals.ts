import type { XmlDocument, XmlNode } from 'libxml2-wasm';
import type { FacturXViolation } from '#contracts/http/factur-x.ts';

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

/** Ten-thousandths, exactly: amounts have two decimals, rates up to four. */
const scale = 10_000n;
const toUnits = (text: string): bigint | null => {
  const match = /^\s*([+-]?)(\d{1,30})(?:\.(\d{0,4})0*)?\s*$/.exec(text);
  if (!match) return null;
  const [, sign, whole, fraction = ''] = match;
  const units = BigInt(whole!) * scale + BigInt(fraction.padEnd(4, '0'));
  return sign === '-' ? -units : units;
};

const amountText = (units: bigint): string => {
  const cents = units / 100n;
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const localName = (path: string): string => /ram:(\w+)(?:\[.*\])?$/.exec(path)?.[1] ?? path;

type Amounts = {
  /** The amount at a path; null if there is none. */
  at: (path: string) => bigint | null;
  /** The sum of all amounts at a path: 0 if there are none. */
  sum: (path: string) => bigint;
  check: (rule: string, path: string, expected: bigint, is: string) => void;
};

const amountsOf = (document: XmlDocument, found: FacturXViolation[]): Amounts => {
  const valuesAt = (path: string): bigint[] =>
    findNodes(document, path).flatMap(({ content }) => toUnits(content) ?? []);
  const at = (path: string): bigint | null => valuesAt(path)[0] ?? null;
  return {
    at,
    sum: (path) => valuesAt(path).reduce((sum, value) => sum + value, 0n),
    check: (rule, path, expected, is) => {
      const value = at(path);
      if (value === null || value === expected) return;
      found.push({
        line: findNodes(document, path)[0]!.line,
        element: localName(path),
        rule,
        message: `It is ${amountText(value)}, but ${is} is ${amountText(expected)}.`,
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
      return node && toUnits(node.content);
    };
    const [basis, rate, amount] = [
      valueOf('BasisAmount'),
      valueOf('RateApplicablePercent'),
      valueOf('CalculatedAmount'),
    ];
    if (basis === null || rate === null || amount === null) continue;
    const exact = (basis * rate) / (100n * scale);
    const difference = exact > amount ? exact - amount : amount - exact;
    // One cent for each line would hide errors; EN 16931 accepts a difference of less than one unit of the currency.
    if (difference >= scale)
      found.push({
        line: tax.line,
        element: 'CalculatedAmount',
        rule: 'BR-CO-17',
        message: `It is ${amountText(amount)}, but ${amountText(basis)} at this rate gives ${amountText(exact)}.`,
      });
  }
};

/** Whether the totals of an invoice add up, by the rules of EN 16931 (BR-CO-10 to BR-CO-17). */
export const findWrongTotals = (document: XmlDocument): FacturXViolation[] => {
  const found: FacturXViolation[] = [];
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
