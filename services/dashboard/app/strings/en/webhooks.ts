/** The texts of the page Webhooks. */
export const webhooks = {
  text: 'Callbacks that the service sends when an asynchronous render has ended.',
  tabs: { deliveries: 'Deliveries', secret: 'Webhook secret', test: 'Test callback' },
  tabsLabel: 'Webhooks',
  columns: {
    job: 'Job',
    receiver: 'Receiver',
    status: 'Status',
    attempts: 'Attempts',
    result: 'Last result',
    time: 'Job created',
  },
  filters: { status: 'Status', receiver: 'Receiver', receiverHint: 'Host or URL of the receiver', time: 'Time' },
  responded: (status: number) => `Status ${status}`,
  nextAttempt: 'Next attempt',
  empty: {
    title: 'No callbacks yet',
    text: 'Send a render with a webhook_url. Its callback appears here, with every attempt.',
    filteredTitle: 'No callback matches',
  },
  delivery: {
    notFoundTitle: 'There is no such callback',
    notFoundText: 'The id may have a typing mistake, or the callback may belong to another account.',
    title: (jobId: string) => `Callback of ${jobId}`,
    receiver: 'Receiver',
    render: 'Render',
    webhookId: 'webhook-id',
    created: 'Job created',
    attempts: 'Attempts',
    lastError: 'Last error',
    nextAttempt: 'Next attempt',
    body: 'Body',
    bodyText: 'The exact bytes that every attempt sends.',
    bodyLost: 'The service has lost the body of this callback.',
    attemptsTitle: 'Attempts',
    round: (round: number) => (round === 1 ? 'First round' : `Redelivery ${round - 1}`),
    requestedBy: { service: 'at the end of the render', key: 'by key', person: 'by' },
    attempt: (attempt: number) => `Attempt ${attempt}`,
    underWay: 'In progress',
    notStarted: 'The first attempt has not started yet.',
    request: 'Request',
    response: 'Response',
    noRequest: 'Nothing was sent.',
    noResponse: 'No response',
    omittedRounds: (count: number) =>
      count === 1 ? '1 older round is not shown.' : `${count} older rounds are not shown.`,
    kinds: { timeout: 'Timed out', blocked: 'Blocked', failed: 'No connection' },
  },
  redeliver: {
    action: 'Redeliver',
    title: 'Send the callback again',
    text: 'It gets a new round of up to three attempts, with the same body and the same webhook-id.',
    erased:
      'Headers and parts of the URL may be credentials, so they were erased when the delivery ended. ' +
      'Send them again.',
    url: 'URL',
    started: 'The callback is sent again',
    inProgress: 'The delivery has not ended yet.',
  },
  redeliverAll: {
    action: 'Redeliver failed',
    title: 'Send failed callbacks again',
    since: 'Failed since',
    url: 'Receiver',
    urlHint: 'The URL as the list shows it. Empty: all receivers.',
    matching: (count: number) =>
      count === 0
        ? 'No failed callback matches.'
        : count > 1000
          ? 'More than 1,000 callbacks are sent again.'
          : count === 1
            ? '1 callback is sent again.'
            : `${count} callbacks are sent again.`,
    erased: (count: number) =>
      count === 1
        ? '1 more callback is left out, because its secrets are erased. Redeliver it on its own page.'
        : `${count >= 200 ? 'At least 200' : count} more callbacks are left out, because their secrets ` +
          'are erased. Redeliver each on its own page.',
    pace: 'Attempts start one after the other, 20 a second at each receiver.',
    confirm: (count: number) => (count > 1000 ? 'Redeliver all' : `Redeliver ${count}`),
    done: (count: number) => (count === 1 ? '1 callback is sent again' : `${count} callbacks are sent again`),
    paused: (count: number) => `${count} callbacks are sent again. The next minute is full: repeat this for the rest.`,
  },
  secret: {
    title: 'Webhook secret',
    text: 'Receivers verify with it that a callback comes from this account. Keep it like a password.',
    reveal: 'Show',
    hide: 'Hide',
    rotate: 'Rotate',
    hidden: 'The secret is hidden',
    current: 'Current secret',
    previous: 'Previous secret',
    created: 'Since',
    validUntil: 'Valid until',
    hides: 'It is hidden again after a minute.',
    copy: 'Copy the secret',
    rotateTitle: 'Rotate the webhook secret?',
    rotateText: [
      'The account gets a new secret at once.',
      'The old one stays valid for 24 hours. Until then every callback is signed with both, so ' +
        'receivers with either one accept it.',
      'Give the new secret to all receivers within 24 hours. After that they reject callbacks if they ' +
        'only know the old one.',
    ],
    headerNote:
      'X-Service-Signature keeps the old secret until its end. A receiver that compares this header ' +
      'alone must accept both secrets in between. X-Service-Signature-All and webhook-signature have ' +
      'both.',
    rotateConfirm: 'Rotate the secret',
    rotated: 'The secret was rotated',
  },
  verify: {
    title: 'Verify a callback',
    text:
      'Verify the raw bytes of the body, before any JSON parser. The code accepts any secret that is ' +
      'valid, so it works during a rotation.',
    label: 'Language',
  },
  test: {
    title: 'Send a test callback',
    text:
      'One signed request with the body of a finished PDF and "test": true. At most 10 a minute. It ' +
      'is recorded in the audit history.',
    url: 'URL',
    urlHint: 'A public https address.',
    method: 'Method',
    headers: 'Headers',
    headersHint: 'One per line: Name: value. They are not stored.',
    headersError: (line: string) => `This line is not of the form Name: value: ${line}`,
    send: 'Send',
    result: 'Result',
    accepted: 'Accepted',
    rejected: 'Rejected',
  },
};
