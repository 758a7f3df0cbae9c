import { expect, it } from 'vitest';
import { htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { issueToken, openBrowser } from '../support/people/browser.ts';

it('Renders of people count toward the rate limit of the account, but not toward its quota', async () => {
  const api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  try {
    const accountId = await api.createAccount('free', { requestsPerMinute: 5 });
    await api.catchUpReadModels();
    const browser = openBrowser(api.app);
    await browser.signIn(await issueToken(api.eventLog, { email: 'ada@example.com', accountId }));
    const statuses: number[] = [];
    for (let render = 0; render < 6; render += 1)
      statuses.push((await browser.request('POST', '/api/v1/render', { body: htmlRequest })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await browser.request('GET', '/api/v1/usage')).body).toMatchObject({ quota: { used: 0 } });
  } finally {
    await api.closeAndRemove();
  }
});
