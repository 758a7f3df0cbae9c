import type { Page } from '@playwright/test';

/** Lets the page of renders get this many in one response, which is made in the page itself. */
export const showManyRenders = (page: Page, count: number): Promise<unknown> =>
  page.addInitScript((total) => {
    const sendRequest = window.fetch;
    const renderAt = (index: number) => ({
      id: `render_${String(total - index).padStart(26, '0')}`,
      status: index % 50 === 49 ? 'FAILED' : 'DONE',
      ...(index % 50 === 49 ? { error: 'conversion_failed' } : { pages: 1 }),
      mode: 'CONVERT',
      input_type: 'html',
      file_name: `document-${total - index}.pdf`,
      created_at: new Date(Date.UTC(2026, 0, 1) - index * 1000).toISOString(),
      duration_ms: 9,
      asynchronous: false,
      template_test: false,
      key_id: null,
      requested_by: { kind: 'service', name: 'colophon' },
    });
    window.fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input), window.location.href);
      if (pathname !== '/api/v1/renders') return sendRequest(input, init);
      const renders = Array.from({ length: total }, (_, index) => renderAt(index));
      return Promise.resolve(Response.json({ renders, next_cursor: null }));
    };
  }, count);
