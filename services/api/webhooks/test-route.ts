import { testWebhookRequest, testWebhookResponse } from '#contracts/http/deliveries.ts';
import { testWebhook } from '#application/deliveries/test-webhook.ts';
import { nameSchema, route, ok } from '../server/route.ts';
import { requireRateLimitLeft } from '../server/rate-limit.ts';

/** So that the service cannot be used to flood an address. A test takes up to ten seconds. */
const maxTestsPerMinute = 10;

export const testWebhookRoute = route({
  method: 'POST',
  path: '/api/v1/webhooks/test',
  operationId: 'testWebhook',
  tag: 'Webhooks',
  summary: 'Send a test callback',
  description:
    'Sends one signed callback to a URL and returns the request and the response. The body is that of a finished PDF, ' +
    'with `"test": true` and the id of a job that does not exist. The rules are those of every callback: only public ' +
    'addresses, 10 seconds, no redirects; but there is one attempt only. An account may send ' +
    `${maxTestsPerMinute} a minute. Tests are recorded in the history of the account, without secrets.`,
  permission: 'render:create',
  request: {
    body: nameSchema('TestWebhook', testWebhookRequest),
    examples: { url: { summary: 'To one URL', value: { url: 'https://example.com/hooks' } } },
  },
  responses: [
    ok(
      'The request was sent, or could not be sent. `response` or `error` says how it ended.',
      nameSchema('TestedWebhook', testWebhookResponse),
    ),
  ],
  handle: async ({ id, account, body: { url, method = 'POST', headers = {} }, cause, reply }, dependencies) => {
    void reply.header('cache-control', 'no-store');
    const test = { id, accountId: account.id, target: { url, method, headers } };
    const now = dependencies.eventLog.now();
    const limit = { perMinute: maxTestsPerMinute, perMonth: null };
    const { rateLimit } = await dependencies.limits.countRequest(`webhook-test/${account.id}`, limit, now);
    requireRateLimitLeft(rateLimit, now, (perMinute) => `The account may send ${perMinute} test callbacks a minute.`);
    return testWebhook(dependencies, test, cause);
  },
});
