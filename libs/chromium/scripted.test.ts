import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGroupMemory } from './browsers/memory.ts';
import { apiErrorFieldsOf, readPdf, requestFor, openTestPrinter } from './testing/printing.ts';
import { BrowserGone } from './cdp/errors.ts';
import { emptyPrintDiagnostics } from './print-request.ts';
import type { Printer } from './printer.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

type PrintRequestOptions = NonNullable<Parameters<typeof requestFor>[1]>;
const run = (script: string, options: PrintRequestOptions = {}) =>
  printer.print(requestFor(`<p>before</p><script>${script}</script><p>after</p>`, { scripts: true, ...options }));
const textOf = async (script: string, options: PrintRequestOptions = {}) =>
  (await readPdf((await run(script, options)).pdf)).map(({ text }) => text).join(' ');

test('the output of scripts is printed', async () => {
  expect(await textOf('document.write("written")')).toBe('before written after');
});

test('scripts get frames, promises, timers and the load event before the document is printed', async () => {
  const script =
    'addEventListener("load",()=>requestAnimationFrame(()=>requestAnimationFrame(async()=>{' +
    'await 1;document.body.append("framed");p.id="framed"})))';
  expect(
    await textOf(`const p=document.querySelector("p");${script}`, { options: { wait_for_selector: '#framed' } }),
  ).toContain('framed');
});

test('the wait time lets scripts finish later work', async () => {
  expect(await textOf('setTimeout(()=>document.body.append("late"),200)', { options: { wait_time: 1000 } })).toContain(
    'late',
  );
});

test('nothing that would wait for a person or open a window blocks the document', async () => {
  const scripts = [
    'print()',
    'alert(1)',
    'confirm(2)',
    'prompt(3)',
    'for(let i=0;i<50;i++)open("")',
    'open("http://other.example/")',
    'history.back()',
    'debugger',
    'document.body.requestFullscreen()',
    'navigator.geolocation.getCurrentPosition(()=>{})',
  ];
  const logged = scripts.map((script, index) => `console.log("start ${index}");${script}`);
  const diagnostics = emptyPrintDiagnostics();
  const text = await textOf(`${logged.join(';')};document.body.append("all done")`, {
    diagnostics,
    limits: { processingMs: 20_000 },
  }).catch(String);
  const steps = diagnostics.console.flatMap(({ text: said }) => /^start (\d+)$/.exec(said)?.[1] ?? []);
  expect(text, `the last script that started: ${scripts[Number(steps.at(-1))]}`).toMatch(/all done.*after/);
});

test.each([
  'setInterval(()=>alert(1),0)',
  'onbeforeunload=()=>"stay"',
  'document.write("<a download href=data:,x id=q>");q.click()',
  'new Worker(URL.createObjectURL(new Blob(["while(1);"])))',
])('%s does not block the document', async (script) => {
  expect(await textOf(script)).toContain('after');
});

test.each([
  'location.href="http://other.example/"',
  'location.reload()',
  'window.close()',
  'location="about:blank"',
  'document.write("<form action=http://other.example/ id=f>");f.submit()',
])('%s fails the document with a reason', async (script) => {
  expect(await apiErrorFieldsOf(run(script))).toMatchObject({
    name: 'conversion_failed',
    extra: { details: { reason: expect.stringMatching(/navigated_away|closed_itself/) } },
  });
});

test.each([
  'while(1);',
  'setInterval(()=>{const t=performance.now();while(performance.now()-t<200);},0)',
  'onbeforeprint=()=>{while(1);}',
  '/(a+)+b/.test("a".repeat(60))',
  'const f=()=>Promise.resolve().then(f);f()',
])('scripts that run too long fail the document: %s', async (script) => {
  // The others run before the document is printed.
  const wait_time = script.startsWith('setInterval') ? 5000 : 0;
  const error = await apiErrorFieldsOf(run(script, { limits: { scriptMs: 300 }, options: { wait_time } }));
  expect(error).toMatchObject({ name: 'javascript_timeout', extra: { timeout_seconds: 1 } });
  expect(await textOf('1')).toBe('before after');
});

test('chained promises that run too long fail the document also if its processes seldom get a processor', async () => {
  const failed = apiErrorFieldsOf(run('const f=()=>Promise.resolve().then(f);f()', { limits: { scriptMs: 300 } }));
  const scripted = printer.health().find(({ renderMode }) => renderMode === 'scripted')!;
  const signal = async (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const { pid, isRenderer } of await readGroupMemory(new Set([scripted.processGroup!]))) {
      try {
        if (isRenderer) process.kill(pid, name);
      } catch {
        // It has ended in the meantime.
      }
    }
  };
  let ended = false;
  const error = failed.finally(() => (ended = true));
  while (!ended) {
    await signal('SIGSTOP');
    await pause(600);
    await signal('SIGCONT');
    await pause(60);
  }
  expect(await error).toMatchObject({ name: 'javascript_timeout', extra: { timeout_seconds: 1 } });
});

test('a document that only waits does not count as running scripts', async () => {
  expect(
    await apiErrorFieldsOf(run('1', { limits: { scriptMs: 100, processingMs: 700 }, options: { wait_time: 5000 } })),
  ).toMatchObject({ name: 'processing_timeout' });
});

test('nothing remains from one scripted document to the next', async () => {
  const script =
    'document.cookie="a=1";try{localStorage.a=1}catch{};window.name="left";' +
    'document.body.append("["+document.cookie+window.name.length+"]")';
  expect(await textOf(script)).toBe(await textOf(script));
});

test.each([
  'fetch("file:///etc/passwd").then(r=>r.text()).then(t=>document.body.append(t),()=>document.body.append("refused"))',
  'document.write("<iframe src=file:///etc/passwd width=600 height=600></iframe>refused")',
  'document.write("<iframe src=chrome://version></iframe>refused")',
  'document.write("<object data=file:///etc/passwd></object><embed src=view-source:file:///etc/passwd>refused")',
])('files and the browser’s own pages cannot be read: %s', async (script) => {
  const text = await textOf(script, { options: { wait_for: 'networkidle' }, external: true });
  expect(text).toContain('refused');
  expect(text).not.toMatch(/root:|Chromium/);
});

test('the window of a document is as wide as its text on paper', async () => {
  expect(
    await textOf('document.body.append("w"+innerWidth)', { options: { margin_left: 10, margin_right: 10 } }),
  ).toContain(`w${Math.round((190 / 25.4) * 96)}`);
});

test('scripts that fill their heap fail with an error about memory, and other documents continue', async () => {
  const small = await openTestPrinter({ memoryMb: 400 });
  const print = (html: string) => {
    const request = requestFor(html, { scripts: true, limits: { scriptMs: 150_000 } });
    // As the service does: V8 may end the process before its heap is measured.
    return small.print(request).catch((error: unknown) => {
      if (error instanceof BrowserGone) return small.print(request);
      throw error;
    });
  };
  const [largeDocument, smallDocument] = [
    apiErrorFieldsOf(print('<script>const a=[];for(;;)a.push({x:Math.random()+""})</script>')),
    print('<p>modest'),
  ];
  expect(await largeDocument).toMatchObject({ name: 'conversion_failed', message: expect.stringContaining('memory') });
  expect((await smallDocument).pages).toBe(1);
  await small.close();
});

test('networkidle waits for consecutive fetches of scripts', async () => {
  const script =
    'const get=()=>fetch("data:,x").then(r=>r.text());onload=()=>setTimeout(()=>get().then(()=>' +
    'setTimeout(()=>get().then(()=>document.body.append("fetched")),20)),20)';
  expect(await textOf(script, { options: { wait_for: 'networkidle' } })).toContain('fetched');
});
