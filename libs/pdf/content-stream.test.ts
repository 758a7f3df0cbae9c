import { deflateSync } from 'node:zlib';
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

describe('An inline image', () => {
  const after = ['q', '1 0 0 1 5 5 cm', '/X1 Do', '[3 2] 0 d', '/Span <</ActualText (\u00e4)>> BDC', 'EMC', 'BT'];
  const follows = fc.constantFrom(...after, '% comment\nQ', '');
  /** Bytes in which also the end of an image and operators are likely. */
  const bytes = (length: number): fc.Arbitrary<string> =>
    fc
      .array(fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.constantFrom(' EI ', '\nEI\nQ ', '\u0080\u00ff')))
      .map((parts) => parts.join('').slice(0, length).padEnd(length, '\u00e9'));
  const read = (image: string, next: string): unknown[] => {
    const [, { operator, start, end } = {}, ...others] = readOperations(`q\n${image} ${next}`);
    return [operator, start, end, ...others.map((operation) => operation.operator)];
  };
  const whole = (image: string, next: string): unknown[] => ['EI', 2, 2 + image.length, ...operatorsOf(next)];

  const space = (names: string[], bits: number) => names.map((colours) => ({ colours, bits }));
  const colourSpaces = [
    ...space(['/CS /G /BPC 8', '/ColorSpace /DeviceGray /BitsPerComponent 8', '/CS [/I /RGB 1 <00ff>] /BPC 8'], 8),
    ...space(['/CS /RGB /BPC 8', '/CS /DeviceRGB /BPC 8 /DP << /K [1 2] >> /I true'], 24),
    ...space(['/CS /CMYK /BPC 4', '/BPC 4 /F [] /CS /DeviceCMYK'], 16),
    ...space(['/IM true', '/D [1 0] /ImageMask true', '/CS /Indexed /BPC 1'], 1),
  ];

  it('without a filter has the length that its size and colours give it, whatever its bytes', () => {
    const images = fc
      .record({ width: fc.nat(9), height: fc.nat(9), space: fc.constantFrom(...colourSpaces) })
      .chain(({ width, height, space: { colours, bits } }) =>
        bytes(Math.ceil((width * bits) / 8) * height).map(
          (data) => `BI /W ${width} /Height ${height} ${colours} ID ${data}`,
        ),
      );
    fc.assert(
      fc.property(images, fc.constantFrom('', '\n', '\r\n'), follows, (image, gap, next) => {
        const ended = `${image}${gap}EI`;
        expect(read(ended, next)).toEqual(whole(ended, next));
      }),
    );
  });

  it.each([
    ['BI /W 1 /H 1 /BPC 8 /CS /G /F /AHx ID ff>EI'],
    ['BI /W 1 /H 1 /BPC 8 /CS /G /Filter [/ASCIIHexDecode /Fl] ID f f >\nEI'],
    ['BI /W 1 /H 1 /BPC 8 /CS /G /F /A85 ID !!>EI Q EI Q~>EI'],
    ['BI /W 2 /H 2 /BPC 8 /CS /Named ID \u0001 EI \u0002EI'],
    ['BI /W 1 /H 1 /BPC 8 /CS /G ID more than a byte EI'],
    ['BI /W 9 /H 9 /BPC 8 /CS /G ID less EI'],
  ])('ends at its mark, or before a plain operator: %j', (image) => {
    for (const next of after) expect(read(image, next)).toEqual(whole(image, next));
  });

  it('that is compressed ends before a plain operator', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('', '\n'), follows, (data, gap, next) => {
        const compressed = deflateSync(data).toString('latin1');
        const image = `BI /W 9 /H 9 /BPC 8 /CS /G /F /Fl ID ${compressed}${gap}EI`;
        expect(read(image, next)).toEqual(whole(image, next));
      }),
    );
  });

  it('without an end is no image', () => {
    expect(operatorsOf('q BI /W 9 /H 9 /BPC 8 /CS /G ID abc EI \u0001 Q')).toEqual(['q', 'ID']);
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
    const result = markArtifacts(marked.join(' '), asItIs, (all) => {
      seen.push(...all.map(({ id, paints, text }) => [id, paints, text()]));
      return all.filter(({ id }) => id === 0);
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
