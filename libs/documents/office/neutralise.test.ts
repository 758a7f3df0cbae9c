import { describe, expect, it } from 'vitest';
import { checkXml, maxElementDepth } from './archive.ts';
import { withStoredResults } from './fields.ts';
import { neutralise, withOutlineLevels } from './neutralise.ts';
import { neutraliseRtf } from './rtf.ts';
import { readXml } from './xml-encoding.ts';

const cleaned = (path: string, xml: string, family: 'ooxml' | 'odf' = 'ooxml'): string =>
  Buffer.from(neutralise(new Map([[path, Buffer.from(xml)]]), family).get(path) ?? 'removed').toString();
const relationship = (type: string, target: string, mode = ''): string =>
  `<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"${mode}/>`;
const external = ' TargetMode="External"';
const stored = (xml: string): string => withStoredResults(xml, new Set(['a']));

describe('The relationships of a document', () => {
  it.each([
    ['an image inside', relationship('image', 'media/a.png')],
    ['a header', relationship('header', 'header1.xml')],
    ['a link within the document', relationship('hyperlink', '#Sheet2!A1')],
    ['a link to a page', relationship('hyperlink', 'https://example.com/', external)],
    ['a mail address', relationship('hyperlink', 'mailto:a@example.com', external)],
  ])('stay: %s', (_, xml) => expect(cleaned('word/_rels/document.xml.rels', xml)).toBe(xml));

  it.each([
    ['an image of a server', relationship('image', 'https://example.com/', external)],
    ['a target with a scheme that is not said to be external', relationship('image', 'http://example.com/')],
    ['a share', relationship('image', '\\\\server\\a.png')],
    ['a link to a file', relationship('hyperlink', 'file:///etc/passwd', external)],
    ['a template', relationship('attachedTemplate', 'https://example.com/a.dotm', external)],
    ['macros', relationship('vbaProject', 'vbaProject.bin')],
    ['a document that is not XML by its name', relationship('officeDocument', 'word/document.bin')],
    ['a header with another ending behind a mark', relationship('header', 'header.bin#.xml2')],
  ])('go: %s', (_, xml) => expect(cleaned('word/_rels/document.xml.rels', xml)).toBe(''));
});

describe('The parts of a document', () => {
  it.each(['word/vbaProject.bin', 'xl/externalLinks/externalLink1.xml', 'word/activeX/a.xml', 'xl/connections.xml'])(
    'go if they run or read something else: %s',
    (path) => expect(cleaned(path, 'x')).toBe('removed'),
  );
  it('may have elements with any name', () => {
    const xml = '<w:constructor link="a"/><w:__proto__ link="a"/>';
    expect(cleaned('word/document.xml', xml)).toBe(xml);
  });
  it('go from ODT if they are macros', () => {
    expect(cleaned('Basic/Standard/M.xml', 'x', 'odf')).toBe('removed');
  });
});

const begin = '<w:fldChar w:fldCharType="begin"/>';
const separate = '<w:fldChar w:fldCharType="separate"/>';
const end = '<w:fldChar w:fldCharType="end"/>';
const instruction = (text: string): string => `<w:instrText xml:space="preserve">${text}</w:instrText>`;

describe('The fields of a document', () => {
  it.each([
    'INCLUDETEXT "a"',
    ' includepicture "http://x"',
    'DDEAUTO c',
    'LINK Excel.Sheet.8',
    '&#73;NCLUDETEXT "a"',
    ' IF 1 = 1 "a" "b"',
  ])('are emptied if they read something else, or data that is not in the file: %s', (text) => {
    const withText = (shown: string): string => `${begin}${instruction(shown)}${separate}<w:t>old</w:t>${end}`;
    expect(stored(withText(text))).toBe(withText(''));
  });
  it('are read with numbers that are of no character', () => {
    const field = (text: string): string => begin + instruction(text) + separate + end;
    expect(stored(field('PAGE &#x110000;'))).toBe(field('PAGE &#x110000;'));
    expect(stored(field('LINK &#99999999999;'))).toBe(field(''));
  });
  it('are emptied if their instruction is in pieces, or in an attribute', () => {
    expect(stored(begin + instruction('INCLUDE') + instruction('TEXT "a"') + end)).toBe(
      begin + instruction('') + instruction('') + end,
    );
    expect(stored('<w:fldSimple w:instr=" LINK a ">')).toBe('<w:fldSimple w:instr="">');
  });
  it.each([
    `${begin}<w:instrText><![CDATA[INCLUDETEXT "a"]]></w:instrText>${end}`,
    `${begin}<w:instrText>INCLUDE<!-- x -->TEXT "a"</w:instrText>${end}`,
    `${begin}<w:instrText x=">">INCLUDETEXT "a"</w:instrText>${end}`,
    `${begin}<w:instrText>INCLUDE<w:x/>TEXT "a"</w:instrText>${end}`,
    `<w:fldChar x=" fldCharType='end'" w:fldCharType="&#98;egin"/><w:instrText>INCLUDETEXT "a"</w:instrText>${end}`,
    '<ü.1:fldSimple ü.1:instr="&#76;INK a"/>',
  ])('are emptied however their instruction is written: %s', (xml) => {
    expect(cleaned('word/document.xml', `<w:document>${xml}</w:document>`)).not.toMatch(/TEXT|INK/);
  });
  const field = (text: string, inner = '', result = ''): string =>
    begin + instruction(text) + inner + (inner && instruction(' * 2')) + separate + result + end;
  const emptied = (inner: string, result = ''): string =>
    begin + instruction('') + inner + instruction('') + separate + result + end;
  it.each([
    ['', field('PAGE'), field('PAGE')],
    ['that is read from another file', field('LINK a'), field('')],
    ['in an attribute', '<w:fldSimple w:instr="REF a"/>', '<w:fldSimple w:instr="REF a"/>'],
    ['that contains one itself', field('= ', field('PAGE')), emptied(field('PAGE'))],
  ])('are emptied if their instruction contains a field %s', (_, inner, printed) => {
    expect(stored(field('= ', inner))).toBe(emptied(printed));
  });
  it.each([
    ['sums', field(' =SUM(ABOVE) ')],
    ['macro buttons with a field, whose instruction is their text', field('MACROBUTTON a ', field('PAGE'))],
    ['fields with a field in their result', field('TOC', '', field('PAGEREF a'))],
    ['fields after others', field('PAGE') + field('NUMPAGES')],
    ['references to a bookmark', field('REF a \\h') + field('PAGEREF "a"')],
    ['locked tables of contents', field('TOC').replace('/>', ' w:fldLock="1"/>')],
    ['locked macro buttons', field('MACROBUTTON a text').replace('/>', ' w:fldLock="1"/>')],
    ['fields that say they are not locked', field('DATE').replace('/>', ' w:fldLock="0"/>')],
  ])('stay in all other cases: %s', (_, xml) => expect(stored(xml)).toBe(xml));
  it.each(['REF b \\h', 'PAGEREF "b c"', ' noteref b'])(
    'are emptied if the document has no such bookmark: %s',
    (text) => {
      expect(stored(field(text))).toBe(field(''));
      expect(stored(`<w:fldSimple w:instr='${text}'/>`)).toBe('<w:fldSimple w:instr=""/>');
    },
  );
  it('are emptied if they are locked, because their values would change', () => {
    const locked = (text: string): string => field(text).replace('/>', ' w:fldLock="true"/>');
    expect(stored(locked('DATE'))).toBe(locked(''));
    expect(stored('<w:fldSimple w:instr="DATE" w:fldLock="1"/>')).toBe('<w:fldSimple w:instr="" w:fldLock="1"/>');
  });
  it('refer to bookmarks in all parts of the document', () => {
    const parts = new Map([
      ['word/document.xml', Buffer.from(field('REF b') + field('REF c'))],
      ['word/footnotes.xml', Buffer.from('<w:bookmarkStart w:id="1" w:name="b"/>')],
    ]);
    expect(Buffer.from(neutralise(parts, 'ooxml').get('word/document.xml')!).toString()).toBe(
      field('REF b') + field(''),
    );
  });
  it('that keep a value for others are emptied with a hidden result, because LibreOffice would show it', () => {
    const run = (hidden: string): string => `<x:r x:rsidR="1">${hidden}<x:t>5</x:t></x:r>`;
    const result = (hidden: string): string => `${run(hidden)}${field('PAGE', '', run(hidden))}`;
    const xml = (set: string): string => run('') + set + run('');
    const hidden = result('<x:rPr><x:vanish/></x:rPr>');
    expect(stored(xml(field(' SET a ', field('PAGE'), result(''))))).toBe(xml(emptied(field('PAGE'), hidden)));
    expect(stored(xml(field(' SET a 5', '', result(''))))).toBe(xml(field(' SET a 5', '', result(''))));
  });
});

describe('A tick box of a form', () => {
  const box = (state: string, text = ''): string =>
    `<w:r>${text}<w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>${state}</w:checkBox></w:ffData></w:fldChar></w:r>` +
    `<w:r>${instruction(text ? '' : ' FORMCHECKBOX ')}</w:r><w:r>${end}</w:r>`;
  it.each([
    ['☐', ''],
    ['☒', '<w:checked/>'],
    ['☐', '<w:default w:val="1"/><w:checked w:val="0"/>'],
    ['☒', '<w:default w:val="1"/>'],
    ['☐', '<w:default w:val="false"/>'],
  ])('becomes %s in the run of its beginning: %s', (text, state) => {
    expect(stored(box(state))).toBe(box(state, `<w:t>${text}</w:t>`));
  });
  it('is printed also without the end of its field', () => {
    const cut = (text: string): string => box('<w:checked/>', text).slice(0, -`<w:r>${end}</w:r>`.length);
    expect(stored(cut(''))).toBe(cut('<w:t>☒</w:t>'));
  });
  it('in the instruction of another field is not printed beside the result of that field', () => {
    const condition = (inner: string): string => begin + instruction('') + inner + separate + end;
    const xml = begin + instruction('IF ') + box('<w:checked/>') + separate + end;
    expect(stored(xml)).toBe(condition(box('<w:checked/>').replace(' FORMCHECKBOX ', '')));
  });
});

describe('A link that is written unusually', () => {
  const server = 'http://example.com/a.png';
  it.each([
    ['another prefix', `<draw:image x:href="${server}"/>`],
    ['a reference', '<draw:image xlink:href="&#104;ttp://example.com/a.png"/>'],
    ['an attribute before it that looks like it', `<draw:image a=" href=" b="1" xlink:href="${server}"/>`],
    ['a comment before it', `<!-- <x:y " --><draw:image a="1" xlink:href="a.png"/><d:image xlink:href="${server}"/>`],
    ['an end tag of its own', `<t:section-source xlink:href="${server}"></t:section-source>`],
  ])('goes from an ODT in spite of %s', (_, xml) => expect(cleaned('content.xml', xml, 'odf')).not.toMatch(/example/));
  it.each([
    ['a reference', 'Target="&#104;ttp://example.com/" TargetMode="Ext&#101;rnal"'],
    ['a second target', `Target="${server}" x:target="media/a.png"`],
    ['single quotes', `Target='${server}' Id='">'`],
  ])('goes from the relationships in spite of %s', (_, attributes) =>
    expect(cleaned('word/_rels/document.xml.rels', `<Relationship Type="x/image" ${attributes}/>`)).toBe(''),
  );
});

describe('The links of an ODT', () => {
  const image = (target: string): string => `<draw:image xlink:href="${target}" xlink:type="simple"/>`;
  const link = (target: string): string => `<text:a xlink:href="${target}">x</text:a>`;
  it('to images stay if they are inside, to pages if a reader may follow them', () => {
    for (const xml of [image('Pictures/a.png'), image('./Object 1'), link('https://example.com/')])
      expect(cleaned('content.xml', xml, 'odf')).toBe(xml);
    for (const target of ['http://x/', 'file:///etc/passwd', '../a.png', '/etc/passwd'])
      expect(cleaned('content.xml', image(target), 'odf')).toBe(image(''));
    expect(cleaned('content.xml', link('vnd.sun.star.script:a'), 'odf')).toBe(link(''));
  });
});

describe('The fields of RTF', () => {
  const rtf = (instruction: string): Buffer =>
    Buffer.from(`{\\rtf1 {\\field{\\*\\fldinst ${instruction}}{\\fldrslt LINK}}\\par}`, 'latin1');
  it.each([
    'INCLUDEPICTURE "secret"',
    'INC{}LUDETEXT "secret"',
    '{\\b INC}{\\i LUDE}\nTEXT "secret"',
    '\\\'49NCLUDETEXT "secret"',
    '\\u73?NCLUDETEXT "secret"',
    '\\uc3\\u73XYZNCLUDETEXT "secret"',
    '{\\bin3 }}}INC}LUDETEXT "secret"',
    'PAGE {\\field{\\*\\fldinst DDEAUTO "secret"}}',
    '= {\\field{\\*\\fldinst REF net}{\\fldrslt secret}} * 2',
  ])('are emptied if they read something else or contain a field, and keep their length: %s', (instruction) => {
    const result = neutraliseRtf(rtf(instruction));
    expect([result.includes('secret'), result.length]).toEqual([false, rtf(instruction).length]);
    expect(result.includes('{\\fldrslt LINK}')).toBe(true);
  });
  it('stay in all other cases', () => {
    const file = Buffer.concat([rtf('PAGE \\\\* MERGEFORMAT'), Buffer.from('INCLUDETEXT of a text, DDEAUTO')]);
    expect(neutraliseRtf(file).equals(file)).toBe(true);
  });
  it('that keep a value for others become hidden text, because LibreOffice would show it', () => {
    const set = (field: string, inst: string, result: string, text: string): string =>
      `{\\rtf1 {\\${field}{\\*\\${inst} ${text}{\\field{\\*\\fldinst PAGE}{\\fldrslt 5}}}{\\${result} {\\b 5}}}` +
      '{\\field{\\*\\fldinst REF a}{\\fldrslt 5}}}';
    const printed = set('xxxxx', 'xxxxxxx', String.raw`v\v\v\v`, '     ').replace('{\\fldrslt 5}', '{\\fldrslt  }');
    expect(neutraliseRtf(Buffer.from(set('field', 'fldinst', 'fldrslt', 'SET a'))).toString()).toBe(printed);
    const alone = '{\\rtf1 {\\*\\fldinst SET a{\\*\\fldinst PAGE}}}';
    expect(neutraliseRtf(Buffer.from(alone)).toString()).toBe(alone.replace('SET a', '     '));
  });
  it('show tracked changes as accepted', () => {
    expect(neutraliseRtf(Buffer.from('{\\deleted\\revauthdel1 old}{\\revised1 new}')).toString()).toBe(
      '{\\v\\v\\v\\v\\revauthdel1 old}{\\xxxxxxx1 new}',
    );
  });
  it.each([
    ['{\\deleted gone\\deleted0 kept}', '{\\v\\v\\v\\v gone\\v\\v\\v\\v0 kept}'],
    ['{\\v\\deleted0 hidden}', '{\\v\\xxxxxxx0 hidden}'],
    ['{\\v a{\\deleted b\\deleted0 c}}', '{\\v a{\\v\\v\\v\\v b\\xxxxxxx0 c}}'],
    ['{\\deleted a{\\v0 b}c}\\deleted0 d', '{\\v\\v\\v\\v a{\\x0 b}c}\\xxxxxxx0 d'],
    ['{\\deleted\\v\\v0 a\\deleted0 b}', '{\\v\\v\\v\\v\\v\\x0 a\\v\\v\\v\\v0 b}'],
    ['{\\deleted\\plain\\v0 shown\\deleted0 }', '{\\v\\v\\v\\v\\plain\\v0 shown\\xxxxxxx0 }'],
  ])('show no other hidden text where a deletion ends: %s', (file, expected) => {
    expect(neutraliseRtf(Buffer.from(file)).toString()).toBe(expected);
  });
  it('update no objects', () => {
    expect(neutraliseRtf(Buffer.from('{\\object\\objautlink\\objupdate}')).toString()).not.toMatch(
      /objautlink|objupdate/,
    );
  });
});

it('The styles of headings get the outline level that Word has built in', () => {
  const style = (properties: string): string =>
    `<w:style w:styleId="a"><w:name w:val="heading 2"/>${properties}</w:style>`;
  expect(withOutlineLevels(style('<w:rPr/>'))).toBe(style('<w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:rPr/>'));
  expect(withOutlineLevels(style('<w:pPr><w:jc/></w:pPr>'))).toBe(
    style('<w:pPr><w:jc/><w:outlineLvl w:val="1"/></w:pPr>'),
  );
  expect(withOutlineLevels(`<w:style a=''><w:name w:val = 'heading 2' /></w:style>`)).toContain(
    '<w:outlineLvl w:val="1"/>',
  );
  const own = style('<w:pPr><w:outlineLvl w:val="5"/></w:pPr>');
  expect(withOutlineLevels(own)).toBe(own);
});

// Searching again from each start would take hours.
describe('A part that repeats a start without its end is read once', () => {
  const times = 400_000;
  it.each([
    '<w:fldChar ',
    '<w:fldChar w:fldCharType="begin" ',
    '<w:instrText ',
    '<w:instrText>',
    '<w:fldSimple w:instr="a" ',
    '<w:commentRangeStart ',
    '<a:blip ',
    '<a:blip r:link="a" ',
    '<v:imagedata src="',
    '<w:subDoc ',
    '<w:style ',
    '<w:style w:styleId="a"><w:name w:val="heading 1"/>',
  ])('%s', (start) => {
    const xml = start.repeat(times);
    expect(cleaned('word/styles.xml', xml)).toBe(xml);
  });
  it.each(['<sheetPr ', '<worksheet ', '<f>[1]A!', '<f t="shared" ', '<f>"', '[1'])('%s of a sheet', (start) => {
    const xml = `${start.repeat(times)}</worksheet>`;
    expect(cleaned('xl/worksheets/sheet1.xml', xml)).toContain('<pageSetup ');
  });
  it.each(['<office:annotation>', '<office:annotation ', '<office:event-listener ', '<office:dde-source '])(
    '%s',
    (start) => expect(cleaned('content.xml', start.repeat(times), 'odf')).toHaveLength(start.length * times),
  );
  it.each(['<', '</', '<b '])('%s with a long name', (start) => {
    const xml = start + 'a'.repeat(times);
    expect(cleaned('word/document.xml', xml)).toBe(xml);
  });
  const settingsWith = (path: string, xml: string, change: string, family: 'ooxml' | 'odf'): string => {
    const files = { [family === 'odf' ? 'content.xml' : 'word/document.xml']: change, [path]: xml };
    const parts = new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]));
    return Buffer.from(neutralise(parts, family).get(path)!).toString();
  };
  it.each(['settings', '<settings ', '<settings"', "<settings '"])('%s in the settings of a DOCX', (part) => {
    const xml = `<${part.repeat(times)}`;
    expect(settingsWith('word/settings.xml', xml, '<w:del w:id="1"/>', 'ooxml')).toContain(xml.slice(0, 20));
  });
  it.each([
    ['config-item', '"ShowRedlineChanges"'],
    ['config-item-set', '"view-settings"'],
    ['config-item', "'<config:config-item '"],
  ])('%s with %s in the settings of an ODT', (name, part) => {
    const xml = `<config:${name} a='${part.repeat(times)}'>`;
    const hidden = settingsWith('settings.xml', xml, '<text:tracked-changes>', 'odf');
    expect(hidden).toMatch(/"ShowRedlineChanges" config:type="boolean">false</);
    expect(hidden.length).toBeLessThan(1000);
  });
  it.each(['<!--', '<![CDATA[', '<?', '<!DOCTYPE ', '<a "', '<a \'<b "'])('%s of any XML', (start) => {
    expect(() => checkXml('docx', 'a.xml', start.repeat(times))).not.toThrow();
  });
});

describe('XML of a document is refused', () => {
  const depth = maxElementDepth + 1;
  it.each([
    ['nested too deeply', '<a>'.repeat(depth)],
    ['nested too deeply', `<!--</a>--><?x </a>?><![CDATA[</a>]]>${'<a b=">"><c/>'.repeat(depth)}`],
    ['document type declaration', '<!DOCTYPE a [<!ELEMENT b ANY>]>'],
    ['document type declaration', '<!doctype a><!DOCTYPE b SYSTEM "c" ['],
    ['document type declaration', '<!ENTITY a "b">'],
  ])('if it has: %s', (reason, xml) => {
    expect(() => checkXml('docx', 'a.xml', xml)).toThrow(
      expect.objectContaining({
        fields: expect.objectContaining({ extra: { details: expect.objectContaining({ reason }) } }),
      }),
    );
  });
  it('but not for brackets after a document type, nor for siblings and empty elements', () => {
    const xml = `<!DOCTYPE a PUBLIC "b" "c"><a>[${'<b/><c></c>'.repeat(depth)}</a>`;
    expect(() => checkXml('docx', 'a.xml', xml)).not.toThrow();
  });
});

describe('The encoding of a part', () => {
  const declared = (encoding: string, text = 'a'): string =>
    `<?xml version="1.0" encoding="${encoding}"?><p>${text}</p>`;

  it.each([
    ['UTF-8', Buffer.from(declared('UTF-8', 'ä'))],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${declared('utf-8', 'ä')}`)],
    ['none', Buffer.from('<p>ä</p>')],
    ['ISO-8859-1', Buffer.from(declared('ISO-8859-1', 'ä'), 'latin1')],
    ['Windows-1252', Buffer.from(declared('windows-1252', 'ä'), 'latin1')],
    ['UTF-16', Buffer.from(declared('UTF-16', 'ä'), 'utf16le')],
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${declared('UTF-16', 'ä')}`, 'utf16le')],
    ['UTF-16, other order', Buffer.from(declared('UTF-16', 'ä'), 'utf16le').swap16()],
  ])('is known: %s', (_, content) => expect(readXml(content)).toContain('<p>ä</p>'));

  it.each([
    ['UTF-7', Buffer.from(declared('UTF-7', '+ADw-b/+AD4-'))],
    ['HZ', Buffer.from(declared('HZ-GB-2312'))],
    ['EBCDIC', Buffer.from('4c6fa794934085958396848995877e7fc9c2d4f0f3f77f6f6e', 'hex')],
    ['UTF-32', Buffer.from([...declared('UCS-4')].flatMap((character) => [character.charCodeAt(0), 0, 0, 0]))],
    ['UTF-7 in UTF-16', Buffer.from(declared('UTF-7'), 'utf16le')],
  ])('is refused: %s', (_, content) => {
    const xml = readXml(content);
    expect(xml).toBeNull();
    expect(() => checkXml('odt', 'content.xml', xml)).toThrow('unknown encoding');
  });

  it('does not hide a document type or links', () => {
    const bomb = Buffer.from('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'utf16le');
    expect(() => checkXml('odt', 'content.xml', readXml(bomb))).toThrow('declares a document type');
    const link = Buffer.from('<text:section-source xlink:href="file:///etc/passwd"/>', 'utf16le');
    const result = neutralise(new Map([['content.xml', link]]), 'odf').get('content.xml')!;
    expect(Buffer.from(result).toString()).toBe('<text:section-source xlink:href=""/>');
  });
});
