import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { isPageIn } from '#libs/pdf/stamp-places.ts';
import type { StampOptions } from './print-stamps.ts';

/** Names the stamps whose `pages` select none of the pages. No error: `2-` is right for letters that may have one page. */
export const stampWarnings = (options: StampOptions, pages: number): RenderWarning[] =>
  (['watermark', 'page_numbers'] as const).flatMap((name) => {
    const ranges = options[name]?.pages ?? null;
    const isDrawn = Array.from({ length: pages }, (_, index) => index + 1).some(isPageIn(ranges));
    const count = pages === 1 ? '1 page' : `${pages} pages`;
    const reason = `The PDF has ${count}; "${ranges}" selects none of them.`;
    return isDrawn ? [] : [{ kind: 'option_ignored', option: `${name}.pages`, reason }];
  });
