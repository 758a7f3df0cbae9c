import type { ComponentProps, ReactElement } from 'react';

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit: () => void };

/** A form that the page sends, not the browser. */
export const Form = ({ onSubmit, ...props }: FormProps): ReactElement => (
  <form
    {...props}
    onSubmit={(event) => {
      event.preventDefault();
      // React lets the event of a form in a dialog reach a form around the dialog.
      event.stopPropagation();
      onSubmit();
    }}
  />
);
