import type { ReactElement } from 'react';
import { RenderOptionFields } from '../../../components/RenderOptionFields.tsx';
import { strings } from '../../../strings/strings.ts';
import type { EditProps } from '../draft.ts';

const prefix = 'default_options.';

type OptionsFormProps = EditProps & { errors: Record<string, string> };

/** The default options of the template. Options without a field here stay as they are. `errors` are those of the API. */
export const OptionsForm = ({ draft, onChange, isReadOnly, errors }: OptionsFormProps): ReactElement => (
  <div className="stack">
    <p className="muted">{strings.renderOptions.text}</p>
    <RenderOptionFields
      options={draft.default_options}
      onChange={(changed) => onChange({ default_options: changed })}
      isReadOnly={isReadOnly}
      hasInvoiceTemplate
      errors={Object.fromEntries(
        Object.entries(errors).flatMap(([field, message]) =>
          field.startsWith(prefix) ? [[field.slice(prefix.length), message]] : [],
        ),
      )}
    />
  </div>
);
