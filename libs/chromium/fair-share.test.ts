import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openEgress } from '#libs/egress/egress.ts';
import { openTestPrinter, requestFor, silentLogger } from './testing/printing.ts';

test.each(['', '<script></script>'])('Slow documents of one account leave pages to others, with %o', async (script) => {
  const held: (() => void)[] = [];
  let isReleased = false;
  const site = createServer((_, response) => {
    const end = (): unknown => response.writeHead(404).end();
    if (isReleased) end();
    else held.push(end);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const egress = await openEgress({ allowList: [address], logger: silentLogger });
  const printer = await openTestPrinter({ openProxy: egress.openProxy, pagesPerBrowser: 1 });
  const print = (group: string, html: string) =>
    printer.print(requestFor(html + script, { external: true, scripts: script !== '', group }));

  let ended = 0;
  const slow = Array.from({ length: 8 }, (_, at) =>
    print('acc_a', `<img src="http://${address}/${at}.png">`).finally(() => (ended += 1)),
  );
  await expect.poll(() => held.length).toBeGreaterThan(0);
  for (const group of ['acc_b', 'acc_c']) expect((await print(group, '<p>quick')).pages).toBe(1);
  expect(ended).toBe(0);

  isReleased = true;
  for (const release of held) release();
  await Promise.allSettled(slow);
  await printer.close();
  await egress.close();
  site.close().closeAllConnections();
});
