import { type ReactElement, type ReactNode, use } from 'react';
import { Focusable } from 'react-aria-components';
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components';
import { WithoutControlsContext } from './without-controls.ts';

/** Shows a text when its child has the pointer or the focus. The child is a button or a link. */
export const Tooltip = ({ text, children }: { text: string; children: ReactElement }): ReactElement => (
  <TooltipTrigger delay={400} closeDelay={100}>
    {children}
    <AriaTooltip className="tooltip" offset={6}>
      {text}
    </AriaTooltip>
  </TooltipTrigger>
);

/** The same for a text that is neither button nor link; it becomes focusable. */
export const TextTooltip = ({ text, children }: { text: ReactNode; children: ReactNode }): ReactElement =>
  use(WithoutControlsContext) ? (
    <span className="has-tooltip">{children}</span>
  ) : (
    <TooltipTrigger delay={300} closeDelay={100}>
      <Focusable>
        <span role="note" className="has-tooltip">
          {children}
        </span>
      </Focusable>
      <AriaTooltip className="tooltip" offset={6}>
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  );
