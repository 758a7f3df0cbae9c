import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasLooseText, markArtifacts, readOperations, withoutMarks } from './content-stream.ts';

const operatorsOf = (content: string): string[] => [...readOperations(content)].map(({ operator }) => operator);
const asItIs = (xObject: string): string => xObject;

describe('The operators of a content stream', () => {
  it.each([
    ['1 0 0 1 5 6 cm\n/X1 Do', ['cm', 'Do']],
    ['(a\\) ET (b) c) Tj <0041> Tj [(x) -5 <42>] TJ', ['Tj', 'Tj', 'TJ']],
    ['/P <</MCID 0 /Lang (de)>> BDC 0 0 10 10 re f EMC', ['BDC', 're', 'f', 'EMC']],
    ['% comment f\nq Q', ['q', 'Q']],
    ['BI /W 1 /H 1 ID \u0001EI\u0002f EI Q', ['EI', 'Q']],
    ['-.5 +3 w 1 J', ['w', 'J']],
    ['(never closed', []],
    ['', []],
  ])('in %j are found', (content, expected) => {
    expect(operatorsOf(content)).toEqual(expected);
  });

  it('of any bytes are read without an endless loop', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (content) => {
        const operations = [...readOperations(content)];
        for (const { start, end } of operations) expect(start).toBeLessThan(end);
      }),
    );
  });
});

describe('Content that belongs to no structure', () => {
  it.each([
    ['q 0 0 9 9 re f Q', 'q /Artifact BMC\n0 0 9 9 re f\nEMC\n Q'],
    ['0 0 9 9 re W n', '0 0 9 9 re W n'],
    ['/P <</MCID 0>> BDC 0 0 m 1 1 l S EMC', '/P <</MCID 0>> BDC 0 0 m 1 1 l S EMC'],
    ['BT (header) Tj ET', '/Artifact BMC\nBT (header) Tj ET\nEMC\n'],
    ['BT /P <</MCID 0>> BDC (text) Tj EMC ET', 'BT /P <</MCID 0>> BDC (text) Tj EMC ET'],
    [
      'BT /Span <</ActualText <FEFF>>> BDC (footer) Tj EMC ET',
      '/Artifact BMC\nBT /Span <</ActualText <FEFF>>> BDC (footer) Tj EMC ET\nEMC\n',
    ],
    [
      'BT /ReversedChars BMC /Span <</ActualText <FEFF>>> BDC (footer) Tj EMC EMC ET 0 0 9 9 re f',
      '/Artifact BMC\nBT /ReversedChars BMC /Span <</ActualText <FEFF>>> BDC (footer) Tj EMC EMC ET\nEMC\n ' +
        '/Artifact BMC\n0 0 9 9 re f\nEMC\n',
    ],
    [
      '/P <</MCID 0>> BDC BT /Span <</ActualText <FEFF>>> BDC (text) Tj EMC (more) Tj ET EMC',
      '/P <</MCID 0>> BDC BT /Span <</ActualText <FEFF>>> BDC (text) Tj EMC (more) Tj ET EMC',
    ],
    ['/Artifact BMC BT /Span BMC (a) Tj EMC (b) Tj ET EMC', '/Artifact BMC BT /Span BMC (a) Tj EMC (b) Tj ET EMC'],
    ['/Form Do /Tagged Do', '/Artifact BMC\n/Form Do\nEMC\n /Tagged Do'],
  ])('in %j is marked as an artifact', (content, expected) => {
    expect(markArtifacts(content, (name) => (name === 'Tagged' ? null : name))).toBe(expected);
  });

  it.each([
    ['BT (cell) Tj ET', true],
    ['BT ET 0 0 9 9 re f', false],
    ['/P <</MCID 0>> BDC BT (text) Tj ET EMC /Artifact BMC BT (footer) Tj ET EMC', false],
    ['/P <</MCID 0>> BDC BT (footer) Tj ET EMC BT [<01>2<02>] TJ ET', true],
  ])('in %j can be text: %j', (content, expected) => {
    expect(hasLooseText(content)).toBe(expected);
  });

  it('can be a form that is drawn under another name', () => {
    expect(markArtifacts('/X1 Do', () => 'X2')).toBe('/Artifact BMC\n/X2 Do\nEMC\n');
  });

  it('is all that is left without marks', () => {
    const content = '/P <</MCID 0>>BDC BT /Span <</ActualText <FE>>> BDC (a) Tj EMC ET EMC /Artifact BMC f EMC EMC';
    expect(withoutMarks(content)).toBe(' BT /Span <</ActualText <FE>>> BDC (a) Tj EMC ET   f  EMC');
  });

  it('can be marked content, which is then an artifact, too', () => {
    const marked = [
      '/TR <</MCID 0>> BDC 0 0 9 9 re f EMC',
      '/P <</MCID 1>> BDC BT <41> Tj <42> Tj ET EMC',
      '/P <</MCID 2>> BDC BT ET EMC',
      '/P <</MCID 3>> BDC /Span <</MCID 4>> BDC 0 0 9 9 re f EMC EMC',
      '/Form Do',
    ];
    const seen: unknown[] = [];
    const result = markArtifacts(marked.join(' '), asItIs, ({ id, paints, text }) => {
      seen.push([id, paints, text()]);
      return id === 0;
    });
    expect(seen).toEqual([
      [0, 'paths', ''],
      [1, 'more', '<41><42>'],
      [2, 'nothing', ''],
      [3, 'more', ''],
    ]);
    const [, ...others] = marked.slice(0, -1);
    const expected = ['/Artifact BMC 0 0 9 9 re f EMC', ...others, '/Artifact BMC\n/Form Do\nEMC\n'];
    expect(result).toBe(expected.join(' '));
  });

  it('is marked in any content stream, and everything else stays', () => {
    const painting = fc.constantFrom('0 0 9 9 re f', '0 0 m 1 1 l S', 'BT (a) Tj ET', '/X1 Do', '/S1 sh');
    const other = fc.constantFrom('q', 'Q', '1 0 0 1 0 0 cm', '0 0 9 9 re W n', '/G3 gs');
    const marked = painting.map((content) => `/P <</MCID 0>> BDC ${content} EMC`);
    fc.assert(
      fc.property(fc.array(fc.oneof(painting, other, marked)), (parts) => {
        const result = markArtifacts(parts.join('\n'), asItIs);
        expect(markArtifacts(result, asItIs)).toBe(result);
        expect(result.replaceAll('/Artifact BMC\n', '').replaceAll('\nEMC\n', '')).toBe(parts.join('\n'));
      }),
    );
  });
});
