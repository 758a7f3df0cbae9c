import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classify } from '#libs/documents/html/classify.ts';
import { readPdf, requestFor, openTestPrinter } from './testing/printing.ts';
import type { Printer } from './printer.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

type PrintRequestOptions = NonNullable<Parameters<typeof requestFor>[1]>;
const documentsOf = (kind: string) => printer.health().find((browser) => browser.renderMode === kind)!.documents;
const textOf = async (html: string, options: PrintRequestOptions = {}) =>
  (await readPdf((await printer.print(requestFor(html, { scripts: true, ...options }))).pdf))
    .map(({ text }) => text)
    .join(' ');

describe('a document with scripts', () => {
  test('is printed without screen frames if its scripts need none', async () => {
    const before = documentsOf('scripted');
    expect(
      await textOf('<p id=p></p><script>p.textContent=[3,1,2].sort().join("-");setTimeout(()=>{},1)</script>'),
    ).toBe('1-2-3');
    expect(documentsOf('scripted')).toBe(before + 1);
  });

  test.each([
    'requestAnimationFrame(()=>p.textContent=p.id="came")',
    'new IntersectionObserver(()=>p.textContent=p.id="came").observe(p)',
    'new ResizeObserver(()=>p.textContent=p.id="came").observe(p)',
    'p.animate([{opacity:0},{opacity:1}],10).onfinish=()=>p.textContent=p.id="came"',
    'const i=new Image();i.src="data:image/gif;base64,' +
      'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";i.decode().then(()=>' +
      'p.textContent=p.id="came")',
    'eval("request"+"AnimationFrame")(()=>p.textContent=p.id="came")',
    'onscroll=()=>p.textContent=p.id="came";document.body.style.height="9000px";scrollTo(0,500)',
  ])('has screen frames if its scripts may need them: %s', async (script) => {
    const before = documentsOf('animated');
    const html = `<p id=p>waits</p><script>${script}</script>`;
    expect(await textOf(html, { options: { wait_for_selector: '#came' } })).toContain('came');
    expect(classify(html).classification.needsFrames).toBe(true);
    expect(documentsOf('animated')).toBe(before + 1);
  });

  test.each([
    { external: true },
    { options: { wait_time: 1 } },
    { options: { wait_for: 'networkidle' } },
  ] as PrintRequestOptions[])('has screen frames if it has a wait time or fetches: %j', async (options) => {
    const before = documentsOf('animated');
    await printer.print(requestFor('<script>1</script>', { scripts: true, ...options }));
    expect(documentsOf('animated')).toBe(before + 1);
  });

  test('prints what it drew, the same with and without screen frames', async () => {
    const drawing =
      '<canvas id=c width=80 height=40></canvas><svg width=40 height=40 id=s></svg><script>' +
      'const x=c.getContext("2d");x.fillStyle="teal";x.fillRect(5,5,60,30);s.innerHTML="<circle r=15 ' +
      'cx=20 cy=20 fill=tomato />"</script>';
    const [without, withFrames] = await Promise.all(
      [drawing, `${drawing}<!-- requestAnimationFrame -->`].map((html) =>
        printer.print(requestFor(html, { scripts: true })),
      ),
    );
    expect(Buffer.compare(without!.pdf, withFrames!.pdf)).toBe(0);
    const blank = await printer.print(
      requestFor('<canvas width=80 height=40></canvas><svg width=40 height=40></svg><script>1</script>', {
        scripts: true,
      }),
    );
    expect(without!.pdf.byteLength).toBeGreaterThan(blank.pdf.byteLength + 100);
  });
});

test('the wait time of any document counts as loading, not as waiting for a page', async () => {
  for (const scripts of [false, true]) {
    const { timings } = await printer.print(requestFor('<p>x', { scripts, options: { wait_time: 300 } }));
    expect(timings.loadMs).toBeGreaterThanOrEqual(299);
  }
});
