import { hasExactNumber } from '#contracts/http/exact-numbers.ts';
import { withoutPasswords } from '../../components/NestedOptionFields.tsx';
import { quoteForShell } from '../renders/curl.ts';
import { type Call, callOf, type FormFile, type PlaygroundRequest } from './request.ts';

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);
/** Longer texts are no arguments of a command, but its input. */
const maxArgumentCharacters = 100_000;

/** JSON as a text in a program, which has the digits that a number of the language would lose. */
const quotedJson = (fields: Call['fields']): string => JSON.stringify(JSON.stringify(fields));

const javaScriptJson = (fields: Call['fields']): string =>
  hasExactNumber(fields) ? quotedJson(fields) : `JSON.stringify(${JSON.stringify(fields, null, 2)})`;

/** A value of JSON as a literal of Python. */
const pythonLiteral = (value: unknown, margin = ''): string => {
  const inner = `${margin}    `;
  const block = (open: string, items: readonly string[], close: string): string =>
    items.length === 0
      ? `${open}${close}`
      : `${open}\n${items.map((item) => `${inner}${item}`).join(',\n')}\n${margin}${close}`;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value))
    return block(
      '[',
      value.map((item) => pythonLiteral(item, inner)),
      ']',
    );
  if (typeof value !== 'object') return JSON.stringify(value);
  return block(
    '{',
    Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, inner)}`),
    '}',
  );
};

type Result = { accept: string; file: string };

/** How a program receives the result: as a PDF, or as one image or a ZIP file of several. */
const resultOf = ({ fields: { output } }: Call): Result => {
  if (output !== 'png' && output !== 'jpeg' && output !== 'webp')
    return { accept: 'application/pdf', file: 'document.pdf' };
  return { accept: `image/${output}, application/zip`, file: `pages.${output === 'jpeg' ? 'jpg' : output}` };
};
const isImage = ({ accept }: Result): boolean => accept !== 'application/pdf';

/** A value in a form of curl, which reads ; and , as ends of a name. */
const curlName = (name: string): string =>
  /[;,"\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"` : name;

/** The media type of an attached file; those of documents follow from their names. */
const typeOf = ({ field, content }: FormFile): string | null =>
  field === 'attachments' && content.type !== '' ? content.type : null;

const curlFile = (file: FormFile): string => {
  const type = typeOf(file);
  const name = file.name === file.path ? '' : `;filename=${curlName(file.name)}`;
  return `-F ${quoteForShell(`${file.field}=@${curlName(file.path)}${type === null ? '' : `;type=${type}`}${name}`)}`;
};

const curlOf = (call: Call, origin: string): string => {
  const result = resultOf(call);
  const json = JSON.stringify(call.fields, null, 2);
  const isLong = json.length > maxArgumentCharacters;
  const body =
    call.files.length > 0
      ? [isLong ? "-F 'options=<-'" : `--form-string ${quoteForShell(`options=${json}`)}`, ...call.files.map(curlFile)]
      : ["-H 'Content-Type: application/json'", isLong ? '--data-binary @-' : `-d ${quoteForShell(json)}`];
  const lines = [
    `curl -sS --fail-with-body ${origin}/api/v1/render`,
    '-H "Authorization: Bearer $COLOPHON_KEY"',
    `-H 'Accept: ${result.accept}' ${isImage(result) ? '-OJ' : `-o ${result.file}`}`,
    ...body,
  ];
  return `${lines.join(' \\\n  ')}${isLong ? ` <<'JSON'\n${json}\nJSON` : ''}`;
};

const nodeFile = (file: FormFile): string => {
  const type = typeOf(file);
  const options = type === null ? '' : `, { type: ${JSON.stringify(type)} }`;
  const blob = `new Blob([await readFile(${JSON.stringify(file.path)})]${options})`;
  return `body.append('${file.field}', ${blob}, ${JSON.stringify(file.name)});`;
};

const nodeOf = (call: Call, origin: string): string => {
  const result = resultOf(call);
  const name = isImage(result)
    ? `response.headers.get('content-type') === 'application/zip' ? 'pages.zip' : '${result.file}'`
    : `'${result.file}'`;
  const hasFiles = call.files.length > 0;
  const json = javaScriptJson(call.fields);
  const body = hasFiles
    ? ['const body = new FormData();', `body.set('options', ${json});`, ...call.files.map(nodeFile)]
    : [`const body = ${json};`];
  return `import { ${hasFiles ? 'readFile, ' : ''}writeFile } from 'node:fs/promises';

${body.join('\n')}
const response = await fetch('${origin}/api/v1/render', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.COLOPHON_KEY}\`,${hasFiles ? '' : `\n    'Content-Type': 'application/json',`}
    Accept: '${result.accept}',
  },
  body,
});
if (!response.ok) throw new Error(await response.text());
await writeFile(${name}, Buffer.from(await response.arrayBuffer()));`;
};

const pythonFile = (file: FormFile): string => {
  const type = typeOf(file);
  const content = `open(${JSON.stringify(file.path)}, "rb")${type === null ? '' : `, ${JSON.stringify(type)}`}`;
  return `        ("${file.field}", (${JSON.stringify(file.name)}, ${content})),`;
};

const pythonOf = (call: Call, origin: string): string => {
  const result = resultOf(call);
  const name = isImage(result)
    ? `"pages.zip" if response.headers["content-type"] == "application/zip" else "${result.file}"`
    : `"${result.file}"`;
  const isExact = hasExactNumber(call.fields);
  const hasFiles = call.files.length > 0;
  const fields = isExact ? quotedJson(call.fields) : indent(pythonLiteral(call.fields), '    ');
  const options = isExact ? fields : `json.dumps(${fields})`;
  const body = isExact ? `data=${fields}.encode()` : `json=${fields}`;
  const type = isExact && !hasFiles ? ', "Content-Type": "application/json"' : '';
  const sent = hasFiles
    ? `    data={"options": ${options}},\n    files=[\n${call.files.map(pythonFile).join('\n')}\n    ],`
    : `    ${body},`;
  return `import ${hasFiles && !isExact ? 'json\nimport ' : ''}os
import requests

response = requests.post(
    "${origin}/api/v1/render",
    headers={"Authorization": f"Bearer {os.environ['COLOPHON_KEY']}", "Accept": "${result.accept}"${type}},
${sent}
)
if not response.ok:
    raise SystemExit(response.text)
open(${name}, "wb").write(response.content)`;
};

/** Programs that send the same request and write the result to a file. Passwords in it are `***`. */
export const samplesOf = (request: PlaygroundRequest, origin: string): { name: string; code: string }[] => {
  const call = callOf({ ...request, options: withoutPasswords(request.options) });
  return [
    { name: 'curl', code: curlOf(call, origin) },
    { name: 'Node.js', code: nodeOf(call, origin) },
    { name: 'Python', code: pythonOf(call, origin) },
  ];
};
