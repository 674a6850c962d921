/** Patches of all types, with what a real kube-apiserver made of them (`test/recorders/patches.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { JsonPatchError, jsonPatch } from '../../../../lib/engines/merge/json-patch.ts'
import { mergePatch } from '../../../../lib/engines/merge/merge-patch.ts'
import { StrategicPatchError, strategicMergePatch } from '../../../../lib/engines/merge/strategic-merge-patch.ts'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import { wholeSchemaOf } from '../../../../lib/foundations/kinds/metadata.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { decode } from '../../../../lib/foundations/kinds/schema/decode.ts'
import { validateSchema } from '../../../../lib/foundations/kinds/schema/validate-schema.ts'
import { cases, originals, type PatchCase } from './patch-cases.ts'
import { thing } from './thing.ts'

interface Answer {
  readonly code: number
  readonly object?: KubernetesObject
  readonly message?: string
}

const recorded: Readonly<Record<string, Answer>> = JSON.parse(
  readFileSync(new URL('patches.recorded.json', import.meta.url), 'utf8'),
)

for (const one of cases)
  test(`patches as a kube-apiserver does: ${one.title}`, () => {
    const { code, object, message } = recorded[one.title]!
    const original = structuredClone(originals[one.kind])
    const answer = outcome(one)
    assert.deepEqual(originals[one.kind], original, 'the document stays as it is')
    if (object) return assert.deepEqual(answer, { object: stable(object) })
    // For these Kubernetes only says that something is wrong, or blames itself (500). Ours tells what.
    assert.equal(typeof answer.message, 'string')
    if (one.type === 'strategic') assert.equal(answer.message, withoutValues(message!))
    else if (code === 400) assert.match(answer.message!, /^error decoding patch: /)
  })

const outcome = (one: PatchCase): { object?: unknown; message?: string } => {
  const kind = one.kind === 'Thing' ? thing : builtInKinds.find(known => known.kind === one.kind)!
  const served = { kind, version: kind.versions[0]! }
  try {
    const { object } = decode(served, patched(one, wholeSchemaOf(served.version)))
    const [error] = kind.native ? [] : validateSchema(served.version.schema, { ...object, metadata: undefined })
    return error ? { message: `${error.field}: ${error.message}` } : { object: stable(object) }
  } catch (error) {
    if (error instanceof JsonPatchError || error instanceof StrategicPatchError) return { message: error.message }
    throw error
  }
}

const patched = ({ kind, type, patch }: PatchCase, schema: ReturnType<typeof wholeSchemaOf>) => {
  const original = originals[kind] as KubernetesObject
  if (type === 'json') return jsonPatch(original, patch) as KubernetesObject
  if (type === 'merge') return mergePatch(original, patch) as KubernetesObject
  return strategicMergePatch(schema, original, patch as KubernetesObject) as KubernetesObject
}

/** Kubernetes shows what was sent; that may be secret. */
const withoutValues = (message: string): string =>
  message
    .replace(/ in map: .*/s, '')
    .replace(/^map: .* does not/s, 'an item does not')
    .replace(/:\n.*?\n doesn't/s, " doesn't")
    .replace(/:\n.*\n$/s, '')
    .replace(/ identical: .*/s, ' identical')

/** Of the Secrets of a ServiceAccount Kubernetes keeps the names only, which is the hub's to do. */
const stable = (object: KubernetesObject): unknown => {
  const secrets = object.secrets as readonly { name: string }[] | undefined
  return { ...object, ...(secrets && { secrets: secrets.map(({ name }) => ({ name })) }) }
}

test('says what is wrong with a JSON patch', () => {
  const problem = (operation: object) => {
    try {
      return jsonPatch({ a: { b: [1] }, c: 'x' }, [operation])
    } catch (error) {
      assert.ok(error instanceof JsonPatchError && error.name === 'JsonPatchError')
      return error.message
    }
  }
  const missing = (what: string) => ` operation does not apply: doc is missing ${what}: missing value`
  const noIndex = (verb: string, path: string, key: string) =>
    `error in ${verb} for path: '${path}': value was not a proper array index: '${key}'`
  const beyond = (verb: string, path: string, index: number) =>
    `error in ${verb} for path: '${path}': Unable to access invalid index: ${index}: invalid index referenced`
  const problems: readonly (readonly [operation: object, message: string])[] = [
    [{ op: 'add', path: '/x/y', value: 1 }, `add${missing('path: "/x/y"')}`],
    [{ op: 'add', path: '/c/y', value: 1 }, `add${missing('path: "/c/y"')}`],
    [{ op: 'add', path: '/a/b/x', value: 1 }, noIndex('add', '/a/b/x', 'x')],
    [{ op: 'add', path: '/a/b/1x', value: 1 }, noIndex('add', '/a/b/1x', '1x')],
    [{ op: 'add', path: '/a/b/3', value: 1 }, beyond('add', '/a/b/3', 3)],
    [{ op: 'add', path: '/__proto__/polluted', value: true }, `add${missing('path: "/__proto__/polluted"')}`],
    [{ op: 'add', value: 1 }, 'add operation failed to decode path: missing value'],
    [{ op: 'remove', path: '/x/y' }, `remove${missing('path: "/x/y"')}`],
    [
      { op: 'remove', path: '/x' },
      "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
    ],
    [{ op: 'remove', path: '/a/b/x1' }, noIndex('remove', '/a/b/x1', 'x1')],
    [{ op: 'remove', path: '/a/b/-2' }, beyond('remove', '/a/b/-2', -2)],
    [{ op: 'replace', path: '/x/y', value: 1 }, `replace${missing('path: /x/y')}`],
    [{ op: 'replace', path: '/a/b/5', value: 1 }, `replace${missing('key: /a/b/5')}`],
    [{ op: 'replace', path: '', value: [] }, 'replace operation value must be object'],
    [{ op: 'move', from: '/x/y', path: '/z' }, `move${missing('from path: /x/y')}`],
    [{ op: 'move', from: '/a/b/1', path: '/z' }, beyond('move', '1', 1)],
    [
      { op: 'move', from: '/x', path: '/z' },
      "error in move for path: '/x': Unable to remove nonexistent key: x: missing value",
    ],
    [{ op: 'move', from: '/c', path: '/x/y' }, `move${missing('destination path: /x/y')}`],
    [{ op: 'move', from: '/c', path: '/a/b/3' }, beyond('move', '/a/b/3', 3)],
    [{ op: 'move', path: '/z' }, 'move operation failed to decode from: missing value'],
    [{ op: 'copy', from: '/x/y', path: '/z' }, `copy${missing('from path: /x/y')}`],
    [{ op: 'copy', from: '/c', path: '/x/y' }, `copy${missing('destination path: /x/y')}`],
    [{ op: 'test', path: '/x/y', value: 1 }, 'test operation does not apply: is missing path: /x/y: missing value'],
    [{ op: 'test', path: '/a/b/x', value: 1 }, noIndex('test', 'x', 'x')],
    [{ op: 'test', path: '/c', value: 'y' }, 'testing value /c failed: test failed'],
    [{ op: 'swap', path: '/c' }, 'Unexpected kind: swap'],
    [{ path: '/c' }, 'Unexpected kind: unknown'],
    [{ op: 5, path: '/c' }, 'error decoding patch: op, path and from of an operation are strings'],
    [{ op: 'add', path: 5 }, 'error decoding patch: op, path and from of an operation are strings'],
    [{ op: 'copy', from: 5, path: '/c' }, 'error decoding patch: op, path and from of an operation are strings'],
  ]
  for (const [operation, message] of problems) assert.equal(problem(operation), message)
})

test('a JSON patch may test and replace the whole, and reaches every item of a list', () => {
  const letters = [...'abcdefghijkl']
  const patched = jsonPatch({ a: 1 }, [
    { op: 'test', path: '', value: { a: 1 } },
    { op: 'replace', path: '', value: { letters } },
    { op: 'replace', path: '/letters/11', value: 'z' },
  ])
  assert.deepEqual(patched, { letters: letters.with(11, 'z') })
})

test('bounds what a JSON patch may do', () => {
  const nothing = { op: 'test', path: '/a', value: 1 }
  assert.deepEqual(jsonPatch({ a: 1 }, Array(10_000).fill(nothing)), { a: 1 })
  assert.throws(() => jsonPatch({ a: 1 }, Array(10_001).fill(nothing)), {
    code: 'tooLarge',
    message: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
  })
  const doubling = Array.from({ length: 30 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }))
  assert.throws(() => jsonPatch({ a: ['x'.repeat(1000)] }, doubling), /accumulated size increase of copy/)
  const copied = (bytes: number) =>
    jsonPatch({ a: 'x'.repeat(bytes - '""'.length) }, [{ op: 'copy', from: '/a', path: '/b' }])
  copied(3 * 1024 * 1024)
  assert.throws(() => copied(3 * 1024 * 1024 + 1), { code: 'inapplicable' })
  for (const none of [{}, ['add'], [{ op: 5 }]]) assert.throws(() => jsonPatch({}, none), { code: 'malformed' })
})

const keyless = { type: 'array', items: {}, 'x-kubernetes-patch-strategy': 'merge' } as const

test('says what is wrong with a strategic merge patch, and no value', () => {
  const schema = wholeSchemaOf(builtInKinds.find(({ kind }) => kind === 'ServiceAccount')!.versions[0]!)
  const document = originals.ServiceAccount as KubernetesObject
  const refused = (patch: object, message: string) =>
    assert.throws(() => strategicMergePatch(schema, document, patch as KubernetesObject), {
      ...{ name: 'StrategicPatchError', message },
    })
  refused({ secrets: [{ name: 'a', $patch: 'merge' }] }, 'merging lists cannot yet be specified in the patch')
  refused({ secrets: [{ name: 'a', $patch: 'other' }] }, 'unknown patch type: other')
  assert.throws(() => strategicMergePatch({ properties: { a: keyless } }, { a: [{ b: 1 }] }, { a: [{ b: 2 }] }), {
    message: 'cannot merge lists without merge key',
  })
  refused({ secrets: ['hush'] }, 'list element types are not identical')
  refused({ $retainKeys: ['secrets'], secrets: [], hush: {} }, 'invalid patch format of retainKeys')
  refused({ $retainKeys: 'hush' }, 'invalid patch format of retainKeys')
  refused({ '$setElementOrder/secrets': true }, 'expected a []interface {}, but received a boolean')
})

test('a list that is new comes in the order of the patch, without directives and nulls', () => {
  const schema = wholeSchemaOf(builtInKinds.find(({ kind }) => kind === 'ServiceAccount')!.versions[0]!)
  const patched = strategicMergePatch(
    schema,
    {},
    {
      '$setElementOrder/secrets': [{ name: 'b' }, { name: 'd' }, { name: 'a' }],
      secrets: [{ name: 'b', uid: null }, { name: 'c', $patch: 'delete' }, { name: 'a' }],
      imagePullSecrets: [{ name: 'x', extra: { gone: null, too: { $patch: 'delete' } } }, { $patch: 'replace' }],
      '$setElementOrder/metadata': [],
    },
  )
  assert.deepEqual(patched, { secrets: [{ name: 'b' }, { name: 'a' }], imagePullSecrets: [{ name: 'x', extra: {} }] })
})

test('an order moves what it names, and nothing by what is no item', () => {
  const patched = (list: object, live: unknown[], order: unknown[]) =>
    strategicMergePatch({ properties: { list } }, { list: live }, { '$setElementOrder/list': order }).list
  assert.deepEqual(patched(keyless, [{ b: 1 }, { b: 2 }], [{ b: 2 }, { b: 1 }]), [{ b: 2 }, { b: 1 }])
  const keyed = { ...keyless, 'x-kubernetes-patch-merge-key': 'name' }
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  assert.deepEqual(patched(keyed, [a, b, c], [null, 'c', c, 5, a, {}]), [b, c, a])
})

test('an object whose strategy is to be replaced is', () => {
  const replaced = { type: 'object', 'x-kubernetes-patch-strategy': 'replace' } as const
  const patch = { a: { c: 2 }, b: { c: 2 } }
  assert.deepEqual(strategicMergePatch({ properties: { a: replaced } }, { a: { b: 1 }, b: { b: 1 } }, patch), {
    ...{ a: { c: 2 }, b: { b: 1, c: 2 } },
  })
})

test('never pollutes prototypes', () => {
  const evil = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
  fc.assert(
    fc.property(fc.constantFrom(evil, { metadata: evil }, { data: evil }), patch => {
      mergePatch({}, patch)
      strategicMergePatch({}, { data: {} }, patch)
      jsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }])
      return (Object.prototype as { polluted?: unknown }).polluted === undefined
    }),
  )
})
