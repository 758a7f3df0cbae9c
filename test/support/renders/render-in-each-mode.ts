import type { ApiClient } from '../client/api-client.ts';

const scripts = ['', '<script>1</script>', '<script>requestAnimationFrame(() => 1)</script>'];

/** Renders a document in each render mode, so that the service has a browser for each. Returns the responses. */
export const renderInEachMode = async (client: ApiClient) => {
  const rendered: Awaited<ReturnType<ApiClient['render']>>[] = [];
  for (const script of scripts) rendered.push(await client.render('html', `<p>x</p>${script}`));
  return rendered;
};
