import { type Trees, tree } from './tree.ts'

const configMap = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n${data}`
const built = (data: string, kustomization = '') =>
  tree(`resources: [r.yaml]\n${kustomization}`, {
    'r.yaml': configMap(data),
    'p.yaml': configMap('  p: >\n    u\n     v\n'),
  })

/** Of a text in a block: as an entry and as an item of a list. */
const blocks = (...texts: readonly string[]) =>
  texts.flatMap(text => [built(`  k: ${text}`), built(`  l:\n  - ${text}  z: q\n`)])

const body = (...lines: readonly string[]) => lines.map(line => (line === '' ? '\n' : `    ${line}\n`)).join('')
const code = body('items.all(item,', '  has(item.a) &&', '  item.a', ')')

const addsEntry = `patches: [{target: {kind: ConfigMap}, patch: '[{"op": "add", "path": "/data/n", "value": "n"}]'}]\n`

export const trees: Trees = {
  'a more indented line of a folded text is set off by an empty line': [
    ...blocks(`>\n${code}`, `>-\n${code}`, `>+\n${code}`, `>2\n${body('a', '  b', '', '  c', 'd')}`),
    ...blocks(`>\n${body('a', '', '  b', '', '', '  c')}`, `>-\n${body('a', '\tb', 'c')}`, `> # why\n${code}`),
  ],
  'lines of a folded text that begins with white space run together': blocks(
    `>2\n${body('  a', 'b', 'c')}`,
    `>-2\n${body('  a', 'b', '', 'c')}`,
    `>\n\n${body('a', '  b')}`,
    `>+2\n\n${body('  a', 'b')}\n`,
  ),
  'a folded text that keeps empty lines has one more of them': blocks(
    `>+\n${body('a', '', '')}`,
    `>+\n${body('a', '  b', '')}`,
    `>+\n${body('  ', '  b', 'c', '')}`,
  ),
  'literal and quoted texts stay as they are': [
    ...blocks(`|\n${code}`, `|-\n${code}`, `|+\n${code}\n\n`, `|2\n${body('  a', 'b')}`, `|\n${body('a  ', '  b  ')}`),
    built(`  k: "a\n\n    b\\n  c"\n  l: 'a\n\n    b'\n  m: a\n\n    b\n  f: {a: "b\\n  c"}\n`),
  ],
  'a comment behind a text that keeps its empty lines adds one': [
    built('  k: |+\n    a\n\n# end\n'),
    built('  k: >+\n    a\n\n# end\n'),
    built('  k: |+\n    a\n\n  # of z\n  z: q\n'),
    built('  k: |+\n    a\n\n# end\n', 'nameSuffix: -s\n'),
    built('  k: |-\n    a\n\n# end\n'),
  ],
  'each time that an object is written, texts change anew': [
    built(`  k: >+\n${code}`, addsEntry),
    built(`  k: >\n${code}`, 'patches: [{path: p.yaml}]\ncommonAnnotations: {a: b}\n'),
    built(`  k: >\n${code}`, 'configMapGenerator: [{name: x, behavior: merge, literals: [a=b]}]\n'),
    built(`  k: >\n${code}`, 'configMapGenerator: [{name: g, files: [r.yaml]}]\n'),
  ],
  'a text that begins with a tab is written so that it cannot be read': [
    ...blocks(`|2\n${body('\ta', 'b')}`, `>-2\n${body('\ta')}`),
    built('  k: "\\ta\\nb"\n'),
    built('  k: "\\ta"\n'),
    built(
      '  k: v\n',
      'patches: [{patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {n: \\"\\\\ta\\\\nb\\"}}"}]\n',
    ),
  ],
  'what a JSON patch cannot read is told without the object': [
    ...['k: 1\n  k: 2\n', 'k: .nan\n', 'k: |2\n    \ta\n'].map(data => built(`  ${data}`, addsEntry)),
  ],
}
