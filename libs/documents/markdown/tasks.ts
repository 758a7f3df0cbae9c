import type { MarkdownIt, Token } from 'markdown-it';

const box = /^\[([ xX])\]\s+/;

/** List items that begin with `[ ]` or `[x]` get a box (task lists, as in GitHub Flavored Markdown section 5.3). */
export const taskLists = (markdown: MarkdownIt): void => {
  markdown.core.ruler.after('inline', 'task-lists', ({ tokens, Token: TokenOf }) => {
    const lists: Token[] = [];
    tokens.forEach((token, index) => {
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token);
      if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop();
      const text = token.type === 'inline' && tokens[index - 2]?.type === 'list_item_open' ? token.children?.[0] : undefined;
      const match = text?.type === 'text' ? box.exec(text.content) : null;
      if (!text || !match) return;
      text.content = text.content.slice(match[0].length);
      const drawn = new TokenOf('html_inline', '', 0);
      drawn.content = match[1] === ' ' ? '<span class="task"></span>' : '<span class="task done"></span>';
      token.children?.unshift(drawn);
      const list = lists.at(-1);
      if (list && list.attrGet('class') === null) list.attrSet('class', 'task-list');
    });
  });
};
