import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emitJson } from '../../../../lib/engines/yaml/emit-json.ts'
import { emitNode } from '../../../../lib/engines/yaml/emit-node.ts'
import { parseYaml } from '../../../../lib/engines/yaml/parse.ts'
import { parseWithComments } from '../../../../lib/engines/yaml/parse-with-comments.ts'

test('names a hundred keys that occur twice, however many there are, in one mapping or in many', () => {
  const twice = (count: number) => Array.from({ length: count }, (_, i) => `k${i}: 1`).join('\n')
  for (const text of [`a: 1\n`.repeat(3000), `${twice(3000)}\n${twice(3000)}\n`, '- {a: 1, a: 1}\n'.repeat(3000)])
    assert.throws(
      () => parseYaml(text),
      ({ message }: Error) => message.split('already defined').length === 101,
    )
})

test('reads yes and no as Kubernetes does, or as text for kyaml', () => {
  assert.deepEqual(parseYaml('a: yes\nb: "yes"\nc: 0644\n'), [{ a: true, b: 'yes', c: 420 }])
  assert.deepEqual(parseYaml('a: yes\n', { schema: 'kyaml' }), [{ a: 'yes' }])
})

test('keeps integers beyond 2^53 exact', () => {
  assert.deepEqual(parseYaml('a: 9007199254740993\n'), [{ a: 9007199254740993n }])
  assert.equal(emitJson({ a: 9007199254740993n }), 'a: 9007199254740993\n')
})

test('leaves empty documents out', () => {
  assert.deepEqual(parseYaml('---\n# nothing\n---\na: 1\n---\n'), [{ a: 1 }])
})

test('names file and line of a fault', () => {
  assert.throws(() => parseYaml('a: 1\nb: c: d\n', { file: 'x.yaml' }), {
    name: 'YamlError',
    message: 'x.yaml: yaml: line 2: mapping values are not allowed in this context',
  })
})

test('refuses keys that occur twice', () => {
  assert.throws(() => parseYaml('a: 1\nb: 2\na: 3\n'), /line 3: mapping key "a" already defined at line 1/)
})

test('refuses aliases that blow a document up', () => {
  const levels = ['a: &a [x,x,x,x,x,x,x,x,x,x]']
  for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg'])
    levels.push(`${to}: &${to} [${Array(10).fill(`*${from}`)}]`)
  assert.throws(() => parseYaml(levels.join('\n')), /excessive aliasing/)
})

test('bounds aliases as go-yaml does: by how much of a document they make', () => {
  const repeated = (items: number, aliases: number): string =>
    `a: &a [${Array(items).fill('x')}]\nb: [${Array(aliases).fill('*a')}]\n`
  // As many as go-yaml and kyaml take.
  for (const [items, most] of [
    [49, 8613],
    [1000, 110],
    [100_000, 7],
  ] as const) {
    assert.equal(parseYaml(repeated(items, most)).length, 1, `${items} ${most}`)
    assert.throws(() => parseYaml(repeated(items, most + 1)), /excessive aliasing/, `${items} ${most + 1}`)
  }
})

test('refuses an alias to an ancestor', () => {
  assert.throws(() => parseYaml('a: &a\n  b: *a\n'), /contains itself/)
})

test('refuses nesting beyond a thousand levels', () => {
  assert.throws(() => parseYaml('- '.repeat(1001)), /exceeded max depth of 1000/)
  assert.throws(() => parseYaml('['.repeat(1001)), /exceeded max depth of 1000/)
  assert.equal(parseYaml('- '.repeat(1000)).length, 1)
  assert.equal(parseYaml('['.repeat(1000) + ']'.repeat(1000)).length, 1)
})

test('takes __proto__ for a key like any other', () => {
  const [value] = parseYaml('__proto__: {polluted: 1}\n') as [Record<string, unknown>]
  assert.deepEqual(Object.keys(value), ['__proto__'])
  assert.equal((value as { polluted?: unknown }).polluted, undefined)
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})

test('gives comments back where they stood', () => {
  const text = '# head\na: 1 # line\n# foot\n\nb:\n# item\n- x # one\n'
  const document = parseWithComments(text)!
  assert.equal(emitNode(document.root, document), '# head\na: 1 # line\n# foot\n\nb:\n# item\n- x # one\n')
})

test('reads bytes of UTF-8, with its mark or without, and refuses others', () => {
  const marked = [...Buffer.from('\ufeffa: é\n')]
  for (const text of [Uint8Array.from(marked), Uint8Array.from(marked.slice(3)), '\ufeffa: é\n', 'a: é\n'])
    assert.deepEqual(parseYaml(text), [{ a: 'é' }])
  assert.throws(() => parseYaml(Uint8Array.of(97, 0xff)), { message: 'yaml: invalid leading UTF-8 octet' })
})

test('names what JSON does not have', () => {
  assert.throws(() => parseYaml('a: .inf\n'), { name: 'UnsupportedData', message: 'json: unsupported value: +Inf' })
})

test('takes a text for a key while no more than 1,024 characters precede its colon', () => {
  const key = 'x'.repeat(1024)
  assert.deepEqual(parseYaml(`${key}: 1\n`), [{ [key]: 1 }])
  assert.throws(() => parseYaml(`${key}x: 1\n`), { message: 'yaml: mapping values are not allowed in this context' })
})

// Go keeps the octets, which no text of JavaScript can: as data it is the same.
test('reads over a tag whose octets are of a character that begins as none may', () => {
  assert.deepEqual(parseYaml('a: !%C0%80 x\n'), [{ a: 'x' }])
})

test('refuses aliases that lead deeper than 2,100 levels, and none before', () => {
  const deep = (levels: number, inner: string) => '['.repeat(levels) + inner + ']'.repeat(levels)
  const text = (last: number) => `a: &a ${deep(900, '1')}\nb: &b ${deep(900, '*a')}\nc: ${deep(last, '*b')}\n`
  // The mapping, both aliases and the number are levels too.
  assert.equal(parseYaml(text(2100 - 1800 - 4)).length, 1)
  assert.throws(() => parseYaml(text(2101 - 1800 - 4)), { message: 'yaml: exceeded max depth of 2100' })
})
