import { type ReactElement, type ReactNode, useId } from 'react';

type CardProps = {
  title: string;
  /** One sentence below the title. */
  text?: string;
  /** Beside the title. */
  aside?: ReactNode;
  children: ReactNode;
};

/** A part of a page on a surface of its own, named by its heading. */
export const Card = ({ title, text, aside, children }: CardProps): ReactElement => {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-title">
        <div>
          <h2 id={id}>{title}</h2>
          {text && <p className="muted">{text}</p>}
        </div>
        {aside}
      </div>
      {children}
    </section>
  );
};
