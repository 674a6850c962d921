import type { FluxQuestion } from '../bed/flux-oracle.ts'
import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'

/** One question for each seed, about variables, ignore files and version ranges in turn. */
export const generatedQuestion = (seed: number): FluxQuestion => {
  const random = seededRandom(seed)
  return [substitution, ignoreFile, range][seed % 3]!(random)
}

const joined = (random: SeededRandom, parts: readonly string[], most: number): string =>
  Array.from({ length: random.below(most) }, () => random.pick(parts)).join('')

// ---- variables ----

const variables: Readonly<Record<string, string>> = {
  A: 'alpha',
  B: '',
  c: 'Foo.Bar.baz',
  path: '/usr/local/lib/x.tar.gz',
  n: '12345',
  star: 'a*b?[c]',
  lines: 'l1\nl2',
  D: '$A',
  E: '${A}',
  up: 'ABC',
  sp: ' a b ',
}
const names = [...Object.keys(variables), 'missing', 'A1', '1', 'a-b', '', 'A.b', 'é']
const operators = [
  ...[':-', '-', '=', ':=', ':+', '+', ':?', '?', '#', '##', '%', '%%', '/', '//', '/#', '/%', '^', '^^', ',', ',,'],
  ...[':', '@', '*', '~'],
]
const operandParts = [
  ...['a', 'b', '*', '?', '[a-c]', '.', '/', '\\', '\\}', '}', '{', '$', '$$', '${A}', '${B:-x}', ' ', '"', "'"],
  ...[
    '\n',
    '0',
    '1',
    '-2',
    ' -1',
    '+2',
    '99999999999999999',
    ':',
    '3',
    'é',
    '[',
    ']',
    '!',
    '$A',
    '$(x)',
    '/x',
    '**',
    '=',
  ],
]
const texts = ['text', ' ', '$$', '$', '$$$', '{', '}', '$A', '$c.', '$${A}', '\n', '# x', "'", '"', '\\', '$1', '\\$A']

const substitution = (random: SeededRandom): FluxQuestion => {
  const part = (): string => {
    const chance = random.below(6)
    if (chance === 0) return random.pick(texts)
    if (chance === 1) return `\${${random.pick(['', '#'])}${random.pick(names)}}`
    const operator = random.pick(operators)
    const separator = operator === ':' ? ':' : operator.startsWith('/') ? '/' : ''
    const second = separator && random.below(3) ? separator + joined(random, operandParts, 4) : ''
    return `\${${random.pick(names)}${operator}${joined(random, operandParts, 4)}${second}${random.below(12) ? '}' : ''}`
  }
  const substitute = Array.from({ length: 1 + random.below(4) }, part).join('')
  return { substitute, variables, strict: random.below(3) === 0 }
}

// ---- ignore files ----

const patternParts = [
  ...['a', 'b', '*', '**', '?', '/', '[ab]', '[!a]', '[^a]', '[a-c]', '\\', '!', '#', ' ', '.', 'x.md', 'dir', '\\*'],
  ...['[', ']', 'é', '-', '**/', '/**', '\t'],
]
const paths = [
  ...['a', 'b', 'a/', 'a/b', 'a/b/', 'a/b/c', 'dir/x.md', 'dir/', 'x.md', 'a/x.md', 'a/dir/x.md', 'dir/dir/', '.x'],
  ...[
    'a b',
    'ab',
    'abc',
    'c',
    'é',
    'a/é',
    '*',
    'a*',
    '#a',
    '!a',
    'a\\b',
    '[',
    ']',
    'a-b',
    '-',
    'dir/a/b/c',
    ' a',
    'a ',
  ],
]

const ignoreFile = (random: SeededRandom): FluxQuestion => {
  const line = () => (random.below(5) ? '' : '!') + random.pick(patternParts) + joined(random, patternParts, 4)
  const ignore = Array.from({ length: 1 + random.below(3) }, line).join(random.below(6) ? '\n' : '\r\n')
  return { ignore, domain: random.below(4) ? [] : ['a'], paths }
}

// ---- version ranges ----

const bounds = [
  ...[
    '1',
    '2',
    '0',
    '1.2',
    '1.2.3',
    '1.0.0-rc.1',
    'v1',
    'x',
    '*',
    '1.x',
    '1.2.*',
    '2.0.0+b',
    '10',
    '01',
    '1.2.3-alpha',
  ],
  ...['0.1', '0.0.3', '99999999999', '1.2.3.4', 'X', '1.*.3', '2-beta', ''],
]
const comparisons = ['', '=', '!=', '>', '<', '>=', '<=', '=>', '=<', '~', '~>', '^', '==', '> ', ' >=', '!']
const versions = [
  ...['0.0.0', '0.0.1', '0.0.3', '0.1.0', '0.1.5', '1', '1.0.0', '1.0.0-rc.1', '1.0.0-rc.2', '1.2.0', 'v1.2', '1.2.3'],
  ...[
    '1.2.3-alpha',
    '1.2.3+meta',
    '1.2.4-beta.1',
    '1.2.4',
    '1.3.0',
    '2.0.0',
    '2.0.0-beta',
    '2.0.0+b',
    '2.1.0',
    '10.0.0',
  ],
]

const range = (random: SeededRandom): FluxQuestion => {
  const bound = () => random.pick(bounds)
  const part = () => (random.below(6) ? random.pick(comparisons) + bound() : `${bound()} - ${bound()}`)
  const separator = random.pick([', ', ' ', ' || ', ',', '||', '  '])
  return { constraint: Array.from({ length: 1 + random.below(3) }, part).join(separator), versions }
}
