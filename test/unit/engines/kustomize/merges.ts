import fc from 'fast-check'
import type { KustomizeMerge } from '../../../bed/kustomize-oracle.ts'

/** Every way in which a field can stand, or not, in each of some documents: `field_ab…` is in the first as `a`, in the second as `b`. */
const documents = (forms: Readonly<Record<string, string>>, count: number): string[] => {
  let names = ['field_']
  for (let i = 0; i < count; i++) names = names.flatMap(name => Object.keys(forms).map(form => name + form))
  return Array.from({ length: count }, (_, i) =>
    names
      .map(name => [name, forms[name['field_'.length + i]!]!] as const)
      .map(([name, form]) => (form === '-' ? '' : `${name}:${form}\n`))
      .join(''),
  )
}

const patched = (forms: Readonly<Record<string, string>>, more: Partial<KustomizeMerge> = {}): KustomizeMerge => {
  const [dest, patch] = documents(forms, 2)
  return { dest: `kept: 1\n${dest}`, patch: `kept: 2\n${patch}`, ...more }
}

const updated = (forms: Readonly<Record<string, string>>, more: Partial<KustomizeMerge> = {}): KustomizeMerge => {
  const [dest, original, update] = documents(forms, 3)
  return { dest: `kept: 1\n${dest}`, original: `kept: 1\n${original}`, update: `kept: 1\n${update}`, ...more }
}

/** Missing, null in three ways. */
const NOTHING = { m: '-', n: ' null', t: ' ~', e: '' }
const SCALARS = { ...NOTHING, a: ' x', b: ' "x"', c: ' y', d: ' yes', f: " '5'", g: ' |\n  block' }
const TAGGED = {
  m: '-',
  a: ' !!str 1',
  b: ' 1',
  c: ' !!str on',
  d: ' "1"',
  f: ' null # why',
  g: ' !t x',
  h: ' &x !!str 1',
}
const MAPS = {
  ...NOTHING,
  a: ' {}',
  b: ' {k: 1}',
  c: '\n  k: 2\n  l: null',
  d: '\n  $patch: delete',
  f: '\n  $patch: replace\n  r: 1',
  g: '\n  $patch: merge\n  k: 5',
}
const LISTS = { ...NOTHING, a: ' []', b: ' [1]', c: '\n- 2', d: '\n- $patch: delete', f: '\n- {$patch: replace}\n- 3' }
const NAMED = {
  ...NOTHING,
  b: ' [{name: one, v: 1}]',
  c: '\n- name: one\n  v: 2\n- name: two',
  d: '\n- $patch: delete\n  name: one\n- name: three',
  f: '\n- $patch: replace\n- name: four',
}
const few = (forms: Readonly<Record<string, string>>, keys: string) =>
  Object.fromEntries(Object.entries(forms).filter(([key]) => keys.includes(key)))

const COMMENTED = `# document head

# head of a
a: 1 # line of a
# foot of a

b: # line of b
  # head of c
  c: [1]
  # foot of c
d: {}
"e": x # quoted
'f': y
empty: []
# tail
`
const COMMENTS = `# other head
# head of a, anew
a: 2
b:
  c: # on key
  # in list
  - 2 # line of 2
d:
  new: 1 # line of new
"e": z # again
g: 1 # line of g
"h": 2
'i': 3
empty:
- x: 1
# other tail
`

const both = (dest: string, patch: string): KustomizeMerge[] => [
  { dest, patch },
  { dest, patch, prepend: true },
  { dest, patch, inferKeys: true },
  { dest, patch, inferKeys: true, prepend: true },
]

const pod = (spec: string) => `apiVersion: v1\nkind: Pod\nspec:\n${spec}`

export const merges: Readonly<Record<string, readonly KustomizeMerge[]>> = {
  'a patch decides about every field by what it says and what was there': [
    patched(SCALARS),
    patched(TAGGED),
    patched(MAPS),
    patched(LISTS),
    patched(LISTS, { inferKeys: true, prepend: true }),
    patched(NAMED),
    patched(NAMED, { inferKeys: true }),
    patched(NAMED, { inferKeys: true, prepend: true }),
  ],
  'what changed between two versions is carried over to what grew out of the first': [
    updated(few(SCALARS, 'mntabcdf')),
    updated(few(TAGGED, 'mabcd')),
    updated(few(MAPS, 'mnabc')),
    updated(few(LISTS, 'mnabc')),
    updated(few(NAMED, 'mnbc')),
    updated(few(NAMED, 'mnbc'), { inferKeys: true }),
    { dest: COMMENTED, original: COMMENTED, update: COMMENTS },
    { dest: COMMENTS, original: COMMENTED, update: COMMENTED },
    { dest: COMMENTED, original: '{}', update: COMMENTS },
    { dest: 'a: 1\n', original: 'a: 1\n', update: '{}' },
    { dest: 'a: 1\n', original: 'null', update: 'a: 2' },
    { dest: 'a: 1\n', original: 'a: 1', update: 'null' },
    { dest: 'null', original: 'a: 1', update: 'a: 2' },
    { dest: 'a: 2\n', original: 'a: 1 # x\n', update: 'a: 1 # y\n' },
    { dest: 'a: 1\n', original: 'a: 1\n', update: 'a: 1\n# head\nb: # line\n  c: 1\n# foot\n' },
    { dest: 'a: []\n', original: 'a: ~\n', update: 'a: ~ # {"x-kubernetes-patch-strategy": "merge"}\n' },
    { dest: 'a: {b: c}\n', original: 'a: {}\n', update: 'a: text\n' },
    { dest: 'a: [1]\n', original: 'a: [1]\n', update: 'a: {b: 1}\n' },
  ],
  'comments and styles of a patch win where it has any': [
    ...both(COMMENTED, COMMENTS),
    ...both(COMMENTS, COMMENTED),
    ...both('b: {c: 1} # old\ne: {f: 1}\n', 'b: {d: 2} # new\ne: {g: 1} # more\n'),
    ...both(
      pod('  containers:\n  # old head\n  - {name: a} # old line\n  # old foot\n'),
      pod('  containers:\n  # head\n  - {name: a, image: b} # line\n  # foot\n\n  - {name: c} # c\n'),
    ),
    ...['# head\n  - {name: a}\n', '- {name: a} # line\n', '- {name: a}\n  # foot\n'].map(item => ({
      dest: pod('  containers:\n  # old head\n  - {name: a, image: b} # old line\n  # old foot\n'),
      patch: pod(`  containers:\n  ${item}`),
    })),
    { dest: '# only\n{}\n', patch: '# head\na: 1 # line\n# foot\n' },
    { dest: 'a: {}\nb: []\nc: {d: 1}\ne: [1]\n', patch: 'a:\n  x: 1\nb:\n- y: 1\nc:\n  x: 1\ne:\n- 2\n' },
    { dest: 'a:\n  x: 1\n', patch: 'a: {y: 2}\nb: {z: 3}\n' },
    { dest: 'on: yes\ny: n\n0x10: 0o7\n', patch: 'on: no\noff: on\nt: "true"\nu: 1_000\n"no": 2\n' },
  ],
  'wrong kinds and unknown directives are refused': [
    ...[
      ['a: 1\n', 'a: {b: 1}\n'],
      ['a: {b: 1}\n', 'a: 1\n'],
      ['a: [1]\n', 'a: {b: 1}\n'],
      ['a: {b: 1}\n', 'a: [1]\n'],
      ['a: 1\n', 'a: [1]\n'],
      ['a: [1]\n', 'a: 1\n'],
      ['a: {b: 1}\n', 'a: {$patch: other}\n'],
      ['a: 1\n', 'b: {$patch: other, c: 1}\n'],
      ['a: 1\n', 'b: {$patch: replace, c: 1}\n'],
      ['a: 1\n', 'b: {$patch: delete, c: 1}\n'],
      ['a: 1\n', '$patch: delete\n'],
      ['a: 1\n', '$patch: replace\nb: 1\n'],
      ['a: &x {b: 1}\nc: *x\n', 'd: 1\n'],
      ['a: &x {b: 1}\nc: *x\n', 'a: {d: 1}\n'],
      ['a: 1\n', 'a: &x {b: 1}\nc: *x\n'],
    ].flatMap(([dest, patch]) => [{ dest, patch } as KustomizeMerge]),
    ...both(pod('  containers:\n  - name: a\n'), pod('  containers:\n  - $patch: other\n')),
    ...both(pod('  containers:\n  - name: a\n'), pod('  containers:\n  - $patch: [x]\n  - text\n')),
    ...both(pod('  containers:\n  - name: a\n  - name: b\n'), pod('  containers:\n  - name: a\n    $patch: other\n')),
    ...both(
      pod('  containers:\n  - name: a\n  - name: b\n'),
      pod('  containers:\n  - name: a\n    $patch: delete\n  - name: c\n    $patch: delete\n'),
    ),
    ...both('l: [{name: a}]\n', 'l: [{name: b}, {other: c}]\n'),
    ...both('l: [{other: c}]\n', 'l: [{name: b}]\n'),
    ...both('l: [{other: c}]\n', 'l: [{other: b}]\n'),
    ...both('l: []\n', 'l: [{name: b}]\n'),
    ...both('l: [{name: b}]\n', 'l: []\n'),
    ...both('l: [text]\n', 'l: [{name: b}]\n'),
    ...both('l: [{name: b}]\n', 'l: text\n'),
  ],
  'lists of known kinds are merged by the keys of their elements, or by value': [
    ...both(
      pod(
        '  containers:\n  - name: a\n    ports:\n    - containerPort: 80\n    - {containerPort: 80, protocol: UDP}\n    - {containerPort: 81, name: x}\n',
      ),
      pod(
        '  containers:\n  - name: a\n    ports:\n    - {containerPort: 80, protocol: TCP, name: y}\n    - {containerPort: 82}\n    - {protocol: UDP}\n    - {name: none}\n',
      ),
    ),
    ...both(
      pod('  containers: [{name: a}, {image: unnamed}, text, {}, null]\n  volumes: [{name: v, emptyDir: {}}]\n'),
      pod('  containers: [{name: b}, {name: a, image: x}]\n  volumes: [{name: v, emptyDir: null}, {name: w}]\n'),
    ),
    ...both(
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {finalizers: [a, b, c, a]}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {finalizers: [d, b, "", null]}\n',
    ),
    ...both(
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {finalizers: [a, b]}\n',
      'metadata: {finalizers: [{$patch: replace}, c]}\n',
    ),
    ...both(
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  finalizers: [!!str 1, &x !t b, \'a b\', "on", !!int 5, 7 # line\n  ]\n',
      'metadata:\n  finalizers:\n  # head\n  - c # line\n  - !!str on\n  - 7\n  # foot\n',
    ),
    ...both(pod('  containers: [{name: ""}, null]\n'), pod('  containers: [null, {name: "", image: a}]\n')),
    ...both('kind: Pod\nspec: {containers: [{name: a}]}\n', pod('  containers: [{name: b}]\n')),
    ...both('apiVersion: v1\nkind: Other\nspec: {containers: [{name: a}]}\n', pod('  containers: [{name: b}]\n')),
    ...both(pod('  containers: [null]\n'), pod('  volumes: [{emptyDir: {}}, null]\n')),
    ...both(
      'apiVersion: v1\nkind: Service\nspec: {ports: [{port: 1}, {port: 2, protocol: TCP}, {protocol: UDP}]}\n',
      'spec: {ports: [{port: 1, protocol: UDP}, {port: 2}, {port: 3, $patch: delete}, {port: 1, $patch: delete}]}\n',
    ),
  ],
  'comments may describe the types of fields': [
    ...[
      '{"items": {"$ref": "#/definitions/io.k8s.api.core.v1.Container"}, "type": "array", "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge"}',
      '{"type": "array", "x-kubernetes-patch-merge-key": "id", "x-kubernetes-patch-strategy": "merge"}',
      '{"$ref": "#/definitions/io.k8s.api.core.v1.PodSpec"}',
      '{broken',
      '5',
      'null',
      '[1]',
      '"x"',
      '{}',
      'words {"type": "array"}',
    ].flatMap(comment => [
      {
        dest: `l: # ${comment}\n- {id: a, name: a, v: 1}\n- {id: b, name: b}\n`,
        patch: 'l:\n- {id: b, name: b, v: 2}\n- {id: c, name: c}\n',
      },
      { dest: `## ${comment}\nl:\n- {id: a, name: a, v: 1}\n`, patch: 'l:\n- {id: a, name: a, w: 2}\n' },
      { dest: 'l:\n- {id: a, name: a, v: 1}\n', patch: `l: # ${comment}\n- {id: a, name: a, w: 2}\n` },
      { dest: `s: {} #${comment}\nt: x # ${comment}\n`, patch: 's: {containers: [{name: a}]}\nt: y\n' },
      { dest: `# ${comment}\ncontainers: [{name: a, v: 1}]\n`, patch: 'containers: [{name: a, w: 1}]\n' },
    ]),
  ],
}

const word = fc.constantFrom('a', 'b', 'c', '')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const directive = fc.option(fc.constantFrom('delete', 'replace', 'merge'), { nil: undefined, freq: 8 })
const port = fc.record(
  {
    containerPort: fc.constantFrom(80, 81, 82),
    protocol: fc.constantFrom('TCP', 'UDP', ''),
    name: word,
    $patch: directive,
  },
  { requiredKeys: [] },
)
const container = fc.record(
  {
    name: word,
    image: maybe(word),
    ports: fc.array(port, { maxLength: 4 }),
    env: fc.array(fc.record({ name: word, value: word }, { requiredKeys: [] }), { maxLength: 3 }),
    args: fc.array(word, { maxLength: 2 }),
    $patch: directive,
  },
  { requiredKeys: ['name'] },
)
const podOf = fc.record(
  {
    metadata: fc.record({ finalizers: fc.array(fc.oneof(word, fc.constant(null)), { maxLength: 4 }) }),
    spec: fc.record(
      {
        containers: fc.array(container, { maxLength: 4 }),
        volumes: fc.array(fc.record({ name: word, emptyDir: fc.constantFrom({}, null) }, { requiredKeys: ['name'] })),
        tolerations: fc.array(fc.record({ key: word })),
        hostAliases: fc.oneof(fc.constant(null), fc.array(fc.record({ ip: word, hostnames: fc.array(word) }))),
        $patch: directive,
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)

const textOf = (kind: string, document: object): string => JSON.stringify({ apiVersion: 'v1', kind, ...document })

const randomMerge: fc.Arbitrary<KustomizeMerge> = fc
  .record({
    kind: fc.constantFrom('Pod', 'Pod', 'Unknown'),
    documents: fc.tuple(podOf, podOf, podOf),
    isUpdate: fc.boolean(),
    prepend: fc.boolean(),
  })
  .map(({ kind, documents: [one, two, three], isUpdate, prepend }) => {
    const [dest, patch, update] = [one, two, three].map(document => textOf(kind, document))
    const inferKeys = kind === 'Unknown'
    return isUpdate
      ? { dest: dest!, original: patch!, update: update!, inferKeys }
      : { dest: dest!, patch: patch!, inferKeys, prepend }
  })

export const randomMerges = (): readonly KustomizeMerge[] => fc.sample(randomMerge, { seed: 1, numRuns: 400 })
