/** Places that a file may claim. */
export const PATHS: readonly string[] = [
  ...['../PATH', '/etc/PATH', 'templates/../../PATH', 'C:\\PATH', 'templates/_PATH', 'crds/PATH', 'templates/a\0b'],
  ...[
    '__proto__/PATH',
    'charts/__proto__/Chart.yaml',
    'charts/constructor/PATH',
    'charts/x.tgz',
    'charts/x/charts/x/PATH',
  ],
  ...['values.yaml', 'Chart.lock', 'requirements.yaml', 'templates/NOTES.txt', `templates/${'d/'.repeat(200)}x.yaml`],
]

const deep = (open: string, close: string, count = 20_000) => open.repeat(count) + close.repeat(count)

/** Pieces that want time, memory, a prototype, or a file of somebody else. */
export const HOSTILE: readonly string[] = [
  ...[
    '{{',
    '}}',
    '{{ end }}',
    '{{ if',
    '{{- /*',
    '{{ define "h" }}',
    '{{ template "h" . }}',
    '{{ block "b" . }}',
    '\0',
    '\ufeff',
    '---\n',
    '...\n',
  ],
  ...[
    '{{ range until 2000000000 }}x{{ end }}',
    '{{ range $i := until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}',
  ],
  ...[
    '{{ repeat 2000000000 "x" }}',
    '{{ repeat 100000 (repeat 100000 "x") }}',
    '{{ printf "%999999999d" 1 }}',
    '{{ indent 999999999 "x" }}',
  ],
  ...[
    '{{ define "me" }}{{ include "me" . }}{{ include "me" . }}{{ end }}{{ include "me" . }}',
    '{{ tpl (printf "{{ tpl %q . }}" .Values.a) . }}',
  ],
  ...[
    '{{ $s := "{{ tpl .Values.self . }}" }}{{ $_ := set .Values "self" $s }}{{ tpl $s . }}',
    '{{ $_ := set .Values "me" .Values }}{{ toYaml .Values }}',
  ],
  ...[
    '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toJson $d }}',
    '{{ $_ := merge .Values .Values }}{{ deepCopy . }}',
    '{{ toYaml . }}',
  ],
  ...[
    '{{ set (dict) "__proto__" (dict "polluted" true) }}',
    '{{ index .Values "__proto__" "polluted" }}',
    '{{ .Values.constructor.prototype }}',
  ],
  ...[
    '{{ fromYaml "__proto__: {polluted: 1}" }}',
    '{{ fromJson "{\\"__proto__\\": {\\"polluted\\": 1}}" | toJson }}',
    '{{ .Values.__proto__ }}',
  ],
  ...[
    '{{ .Files.Get "../../../../etc/passwd" }}',
    '{{ .Files.Get "/etc/passwd" }}',
    '{{ (.Files.Glob "/**").AsConfig }}',
    '{{ .Files.Glob "[" }}',
  ],
  ...[
    '{{ regexMatch "(a+)+$" (repeat 5000 "a") }}',
    '{{ regexReplaceAll "(.*)*" (repeat 3000 "ab") "${1}${1}" }}',
    '{{ regexFind "(" "x" }}',
  ],
  ...[
    '{{ regexMatch "((((a{1,1000}){1,1000}){1,1000}){1,1000})" "a" }}',
    '{{ genCA "x" 99999999999 }}',
    '{{ genPrivateKey "rsa-99999" }}',
  ],
  ...[
    '{{ semverCompare "^x" "y" }}',
    '{{ date "2006" 1e300 }}',
    '{{ dateModify "-99999999999h" now }}',
    '{{ atoi "9e99" | add 1 }}',
  ],
  ...[
    '{{ div 1 0 }}',
    '{{ slice "x" 5 1 }}',
    '{{ substr -1 99 "x" }}',
    '{{ splitList "" (repeat 1000000 "x") | len }}',
    '{{ untilStep 0 9 0 }}',
  ],
  ...[
    '{{ include (print $.Template.Name) . }}',
    '{{ getHostByName "localhost" }}',
    '{{ env "HOME" }}',
    '{{ lookup "v1" "Secret" "" "" }}',
  ],
  ...[
    '&a [*a, *a]',
    `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*a, *a, *a, *a]\n`).join('')}`,
    '<<: *a\n',
    '&a {<<: *a}',
  ],
  ...[`a: &a0 [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`).join('')}`],
  ...[
    '__proto__: {polluted: true}\n',
    'constructor: {prototype: {polluted: true}}\n',
    '"__proto__": 1\n',
    'toString: x\n',
    '? [a]\n: b\n',
  ],
  ...[
    '!!binary x',
    '!!python/object:os x',
    'a: 1e999999999\n',
    `a: ${'9'.repeat(100_000)}\n`,
    '0x'.padEnd(5000, 'f'),
    '- - - - - a',
  ],
  ...[
    deep('[', ']'),
    deep('{"a":', '}'),
    deep('- ', ''),
    deep('{{ if . }}', '{{ end }}', 3000),
    deep('(', ')'),
    `{{ ${deep('(', ')')} }}`,
  ],
  ...[
    '{"$ref": "#"}',
    '{"$ref": "file:///etc/passwd"}',
    '{"$ref": "http://127.0.0.1:1/x"}',
    '{"pattern": "(a+)+$"}',
    '{"$dynamicRef": "#x"}',
  ],
  ...[
    '{"allOf": [{"$ref": "#"}]}',
    '{"properties": {"__proto__": {"type": "string"}}}',
    '{"multipleOf": 1e-320}',
    '{"enum": 1}',
  ],
  ...[
    'dependencies: [{name: sub, version: "*", alias: __proto__, import-values: [{child: __proto__, parent: constructor}]}]\n',
  ],
  ...[
    'dependencies: [{name: ../x, version: ">=0 <0 || ^^1", repository: "file:///etc", condition: ",,..", tags: [__proto__]}]\n',
  ],
  ...[
    'name: ../../x\n',
    'name: __proto__\n',
    'kubeVersion: ">>>1"\n',
    'type: library\n',
    'apiVersion: v1\n',
    'version: 99999999999999999999.0.0\n',
  ],
  ...[
    'metadata: {annotations: {helm.sh/hook: "x,,pre-install", helm.sh/hook-weight: "9e9"}}\n',
    'kind: [1]\n',
    'kind: {}\n',
  ],
]
