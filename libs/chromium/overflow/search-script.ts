/** The prefix of the ids of the marks that {@link searchExpression} puts before lost content. */
export const markPrefix = 'colophon-overflow-';

/** Documents with more elements are not searched. */
const maxElements = 100_000;

const isOutsideFunction = String.raw`const isOutside = ({ left, top, height }) =>
  height > 0 && (left + scrollX < -1.5 || top + scrollY < Math.min(-1.5, -0.3 * height));`;

// The lines of a heading can be lower than its font, so that its first box begins above the page.
const outsideExpression = String.raw`
  const range = document.createRange();
  range.selectNodeContents(document.body);
  const { left, top } = range.getBoundingClientRect();
  if (left + scrollX < -1.5 || top + scrollY < -10) return true;
  if (top + scrollY < -1.5) {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let count = 0; count < 50 && texts.nextNode(); count += 1) {
      range.selectNodeContents(texts.currentNode);
      if (isOutside(range.getClientRects()[0] ?? {})) return true;
    }
  }
  for (const image of document.images) if (isOutside(image.getBoundingClientRect())) return true;`;

const cutExpression = String.raw`
  for (const element of document.body.getElementsByTagName('*')) {
    const isCut = element.scrollWidth > element.clientWidth + 2 || element.scrollHeight > element.clientHeight + 2;
    if (isCut && /auto|scroll/.test(getComputedStyle(element).overflow)) return true;
    if (element.offsetParent !== null || getComputedStyle(element).position !== 'fixed') continue;
    const box = element.getBoundingClientRect();
    if (isOutside(box) || box.bottom > innerHeight + 1.5) return true;
  }`;

/**
 * Runs in the page. Whether content lies left of the page or above it, and with `allBoxes` also whether it is cut by a
 * box that scrolls on a screen, or is in a fixed box below the page. It may also be true if nothing is lost.
 */
export const lossCheckExpression = (allBoxes: boolean): string => String.raw`(() => {
  if (!document.body || document.getElementsByTagName('*').length > ${maxElements}) return false;
  ${isOutsideFunction}${outsideExpression}${allBoxes ? cutExpression : ''}
  return false;
})()`;

/** A search in the page. Lengths are in CSS pixels; marks get their place in the PDF when it is printed again. */
export type Search = { width: number; height: number; maxFound: number; purpose: 'mark lost content' | 'find widest' };

/**
 * Runs in the page, laid out at the printed width. Finds text and images outside the page, but not what is hidden on
 * purpose: by overflow hidden, far outside the page, transparent, or aria-hidden. Returns one entry for each element
 * that is the cause: the outermost one that exceeds the page. To mark lost content it changes the document; to find
 * what is widest it also counts boxes without text.
 */
export const searchExpression = (search: Search): string => String.raw`(({ width, height, maxFound, purpose }) => {
  if (!document.body || document.getElementsByTagName('*').length > ${maxElements}) return [];
  const tolerance = 1.5;
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  const root = document.documentElement;
  const viewportElement = styleOf(root).overflowX === 'visible' ? document.body : root;
  const viewportClips = /hidden|clip/.test(styleOf(viewportElement).overflowX);
  const boxOf = ({ left, top, right, bottom }) =>
    ({ left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY });
  // The letters of a line without the space above and below them.
  const letterBoxOf = ({ left, top, right, bottom, height }) =>
    boxOf({ left, right, top: top + 0.3 * height, bottom: bottom - 0.2 * height });
  const isPositioned = (style) => style.position !== 'static' || style.transform !== 'none' || style.filter !== 'none';

  // What is left of a box after the clipping of its ancestors; null if it is hidden on purpose.
  const clip = (element, box) => {
    const kept = { ...box, scroller: null, lost: 0, side: null, fixed: false };
    let search = 'all';
    for (let ancestor = element; ancestor && ancestor !== root; ancestor = ancestor.parentElement) {
      const style = styleOf(ancestor);
      if (style.opacity === '0' || ancestor.getAttribute('aria-hidden') === 'true') return null;
      if (style.clipPath !== 'none' || (style.clip !== 'auto' && style.position === 'absolute')) return null;
      if (search === 'positioned' && isPositioned(style)) search = 'all';
      if (search === 'transformed' && style.transform !== 'none') [search, kept.fixed] = ['all', false];
      if (search !== 'all' || ancestor === viewportElement) continue;
      const { overflowX, overflowY } = style;
      if (overflowX !== 'visible' || overflowY !== 'visible') {
        const edge = boxOf(ancestor.getBoundingClientRect());
        const scrolls = /auto|scroll/;
        const cut = (side, by, scrollable) => {
          if (by <= 0) return;
          if (by > tolerance && scrollable && by > kept.lost)
            Object.assign(kept, { scroller: ancestor, lost: by, side });
          kept[side] = edge[side];
        };
        if (overflowX !== 'visible') {
          cut('left', edge.left - kept.left, false);
          cut('right', kept.right - edge.right, scrolls.test(overflowX));
        }
        if (overflowY !== 'visible') {
          cut('top', edge.top - kept.top, false);
          cut('bottom', kept.bottom - edge.bottom, scrolls.test(overflowY));
        }
      }
      if (style.position === 'absolute') search = 'positioned';
      if (style.position === 'fixed') [search, kept.fixed] = ['transformed', true];
    }
    return kept;
  };

  const excessOf = ({ left, top, right, bottom }, fixed) => {
    if (right < -width || bottom < -height) return null;
    const excess = { right: right - width, left: -left, top: -top, bottom: fixed ? bottom - height : 0 };
    if (viewportClips) excess.right = excess.left = 0;
    const side = Object.keys(excess).reduce((most, next) => (excess[next] > excess[most] ? next : most));
    return excess[side] > tolerance ? { side, by: excess[side] } : null;
  };

  const causeOf = (element, { side, fixed }) => {
    let cause = element;
    for (let next = element; next && next !== document.body && next !== root; next = next.parentElement) {
      const excess = excessOf(boxOf(next.getBoundingClientRect()), fixed);
      if (excess?.side === side) cause = next;
      else if (next !== element) break;
    }
    return cause;
  };

  const found = new Map();
  const reported = new Map();
  const maxSiblings = 3;
  const report = (cause, side, by, place) => {
    const known = found.get(cause);
    if (known) {
      if (by > known.by) Object.assign(known, { side, by });
      return;
    }
    // A few of equal siblings are enough.
    const siblings = cause.parentElement;
    const kinds = reported.get(siblings) ?? reported.set(siblings, new Map()).get(siblings);
    const count = (kinds.get(cause.localName) ?? 0) + 1;
    kinds.set(cause.localName, count);
    if (found.size < maxFound && count <= maxSiblings) found.set(cause, { side, by, ...place });
  };

  const inspect = (element, box, place) => {
    const kept = clip(element, box);
    if (!kept) return;
    if (kept.scroller) return report(kept.scroller, kept.side, kept.lost, { ...place, fixed: kept.fixed });
    if (kept.right - kept.left < 1 || kept.bottom - kept.top < 1) return;
    const excess = excessOf(kept, kept.fixed);
    if (!excess) return;
    const cause = causeOf(element, { ...excess, fixed: kept.fixed });
    report(cause, excess.side, excess.by, { ...place, fixed: kept.fixed });
  };

  const range = document.createRange();
  const mayExceed = ({ left, top, right, bottom }, element) =>
    left < -tolerance || top < -tolerance || right > width + tolerance || inspected.has(element);
  // Elements in boxes that scroll, and fixed ones, which can also exceed the page at the bottom.
  const inspected = new Set();
  for (const element of document.body.getElementsByTagName('*')) {
    if (inspected.has(element)) continue;
    const isCut = element.scrollWidth > element.clientWidth + 2 || element.scrollHeight > element.clientHeight + 2;
    const isScroller = isCut && /auto|scroll/.test(styleOf(element).overflow);
    if (!isScroller && (element.offsetParent !== null || styleOf(element).position !== 'fixed')) continue;
    inspected.add(element);
    for (const inner of element.getElementsByTagName('*')) inspected.add(inner);
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!element || !/\S/.test(text.data)) continue;
    range.selectNodeContents(text);
    const whole = range.getBoundingClientRect();
    if ((whole.width === 0 && whole.height === 0) || !mayExceed(boxOf(whole), element)) continue;
    const style = styleOf(element);
    if (style.visibility !== 'visible') continue;
    // The lines of fonts for formulas are several times as high as the formula around them.
    const formula = element.closest('math');
    const { top, bottom } = formula ? boxOf(formula.getBoundingClientRect()) : {};
    for (const rect of range.getClientRects()) {
      if (rect.width === 0 || rect.height === 0) continue;
      inspect(formula ?? element, { ...letterBoxOf(rect), ...(formula && { top, bottom }) }, { text, rect });
    }
  }

  const isDecoration = (element) =>
    element.getAttribute('alt') === '' || /^(?:presentation|none)$/.test(element.getAttribute('role') ?? '');
  for (const element of document.querySelectorAll('img,canvas,video,object,embed,input,select,button,svg')) {
    if (isDecoration(element) || element.parentElement?.closest('svg')) continue;
    if (element.localName === 'svg' && !element.querySelector('text')) continue;
    const rect = element.getBoundingClientRect();
    if (rect.width > 0 && rect.height > 0 && styleOf(element).visibility === 'visible')
      inspect(element, boxOf(rect), { element, rect });
  }
  // A text area shows its text in a box of its own that scrolls.
  for (const area of document.querySelectorAll('textarea')) {
    const by = area.scrollHeight - area.clientHeight;
    if (by > 2 && clip(area, boxOf(area.getBoundingClientRect()))) report(area, 'bottom', by, { element: area });
  }

  const nameOf = (element) => {
    const className = [...element.classList].find((name) => /^[\w-]{1,40}$/.test(name));
    const name = element.localName + (className ? '.' + className : '');
    const siblings = element.parentElement ? [...element.parentElement.children] : [];
    const isAmbiguous = siblings.some((other) => other !== element && other.matches(name));
    return isAmbiguous ? name + ':nth-child(' + (siblings.indexOf(element) + 1) + ')' : name;
  };
  const selectorOf = (element) => {
    const names = [];
    for (let next = element; next && next !== document.body && names.length < 5; next = next.parentElement) {
      if (/^[\w-]{1,60}$/.test(next.id)) return [next.localName + '#' + next.id, ...names].join(' > ');
      try { names.unshift(nameOf(next)); } catch { names.unshift(next.localName); }
      if (next.classList.length > 0 && names.length > 1) break;
    }
    return names.join(' > ') || 'body';
  };
  if (purpose === 'find widest' && ![...found.values()].some(({ side }) => side === 'right')) {
    let [widest, right] = [null, width + tolerance];
    for (const element of document.body.getElementsByTagName('*')) {
      const box = boxOf(element.getBoundingClientRect());
      if (box.right > right && (clip(element, box)?.right ?? 0) > right) [widest, right] = [element, box.right];
    }
    if (widest) report(widest, 'right', right - width, { element: widest });
  }
  const entries = [...found].map(([cause, entry]) => ({ ...entry, cause, selector: selectorOf(cause) }));

  // A mark is an element without a size, moved into the page, with a link to it: the PDF then has its place.
  const mark = ({ text, element, rect }, index) => {
    let place = element ?? text;
    if (text) {
      const isLost = (end) => {
        range.setStart(text, 0);
        range.setEnd(text, end);
        const { left, top, right } = boxOf(range.getBoundingClientRect());
        return left < -tolerance || top < -tolerance || right > width + tolerance;
      };
      if (isLost(text.length)) {
        let [low, high] = [1, text.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (isLost(middle)) high = middle;
          else low = middle + 1;
        }
        if (low > 1) place = text.splitText(low - 1);
      }
    }
    const mark = document.createElement('span');
    mark.id = ${JSON.stringify(markPrefix)} + index;
    mark.style.cssText = 'all:initial!important;position:absolute!important;width:0!important;height:0!important';
    place.parentNode.insertBefore(mark, place);
    const { left, top } = boxOf(mark.getBoundingClientRect());
    const [x, y] = [Math.min(width, Math.max(0, left)) - left, Math.max(0, -top)];
    const inside = x > 0 ? 2 : x < 0 ? -2 : left < 1 ? 1 : left > width - 1 ? -1 : 0;
    mark.style.setProperty('translate', (x + inside) + 'px ' + y + 'px', 'important');
    return mark.id;
  };
  if (purpose === 'mark lost content') {
    const links = document.createElement('div');
    links.style.cssText = 'display:none!important';
    entries.forEach((entry, index) => {
      if (entry.fixed) return;
      const link = document.createElement('a');
      // Relative, because the browser compares it with the base of the document.
      link.href = '#' + mark(entry, index);
      links.append(link);
    });
    document.body.append(links);
  }
  return entries.map(({ selector, side, by, fixed }) => ({ element: selector, side, by, isFixed: fixed === true }));
})(${JSON.stringify(search)})`;
