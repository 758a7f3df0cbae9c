/** A program that makes a PDF. `file` is its name, `run` the command that runs it. */
type Sample = {
  lang: string;
  label: string;
  fence: string;
  file?: string;
  run?: string;
  source: (url: string) => string;
};

const curl = (url: string): string => `curl --fail-with-body ${url}/api/v1/render -o hello.pdf \\
  -H "Authorization: Bearer $COLOPHON_KEY" -H 'Accept: application/pdf' \\
  -H 'Content-Type: application/json' \\
  -d '{"mode": "CONVERT", "input_type": "html", "data": "<h1>Hello</h1>"}'
`;

const node = (url: string): string => `import { writeFile } from 'node:fs/promises';

const response = await fetch('${url}/api/v1/render', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ' + process.env.COLOPHON_KEY,
    'Content-Type': 'application/json',
    Accept: 'application/pdf',
  },
  body: JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: '<h1>Hello</h1>' }),
});
if (!response.ok) throw new Error((await response.json()).message);
await writeFile('hello.pdf', Buffer.from(await response.arrayBuffer()));
`;

const python = (url: string): string => `import json, os, urllib.request

request = urllib.request.Request(
    "${url}/api/v1/render",
    headers={
        "Authorization": "Bearer " + os.environ["COLOPHON_KEY"],
        "Content-Type": "application/json",
        "Accept": "application/pdf",
    },
    data=json.dumps({"mode": "CONVERT", "input_type": "html", "data": "<h1>Hello</h1>"}).encode(),
)
with urllib.request.urlopen(request) as response, open("hello.pdf", "wb") as file:
    file.write(response.read())
`;

const php = (url: string): string => `<?php
$body = file_get_contents('${url}/api/v1/render', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer ' . getenv('COLOPHON_KEY'),
        'Content-Type: application/json',
        'Accept: application/pdf',
    ],
    'content' => json_encode(['mode' => 'CONVERT', 'input_type' => 'html', 'data' => '<h1>Hello</h1>']),
]]));
if ($body === false) exit(1);
file_put_contents('hello.pdf', $body);
`;

const go = (url: string): string => `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := strings.NewReader(\`{"mode": "CONVERT", "input_type": "html", "data": "<h1>Hello</h1>"}\`)
	request, err := http.NewRequest("POST", "${url}/api/v1/render", body)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("COLOPHON_KEY"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/pdf")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	result, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		log.Fatal(response.Status, string(result), err)
	}
	if err := os.WriteFile("hello.pdf", result, 0o644); err != nil {
		log.Fatal(err)
	}
}
`;

const samples: readonly Sample[] = [
  { lang: 'Shell', label: 'curl', fence: 'sh', source: curl },
  { lang: 'JavaScript', label: 'Node.js', fence: 'js', file: 'hello.mjs', run: 'node hello.mjs', source: node },
  { lang: 'Python', label: 'Python', fence: 'python', file: 'hello.py', run: 'python3 hello.py', source: python },
  { lang: 'PHP', label: 'PHP', fence: 'php', file: 'hello.php', run: 'php hello.php', source: php },
  { lang: 'Go', label: 'Go', fence: 'go', file: 'hello.go', run: 'go run hello.go', source: go },
];

/** `x-codeSamples` of the operation `render`. */
export const codeSamples = (url: string): { lang: string; label: string; source: string }[] =>
  samples.map(({ lang, label, source }) => ({ lang, label, source: source(url) }));

const fenceOf = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** The samples in Markdown: curl, then a section for each language that the reader can open. */
export const codeSampleSections = (url: string): string =>
  samples
    .map(({ label, fence, file, run, source }) =>
      file === undefined || run === undefined
        ? fenceOf(fence, source(url))
        : [
            `<details><summary>${label}</summary>`,
            fenceOf(`${fence} title="${file}"`, source(url)),
            fenceOf('sh', run),
            '</details>',
          ].join('\n\n'),
    )
    .join('\n\n');
