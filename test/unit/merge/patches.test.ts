/** Patches of all types, with what a real kube-apiserver made of them (`test/recorders/patches.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { builtInKinds } from '../../../lib/kinds/all.ts'
import { wholeSchemaOf } from '../../../lib/kinds/metadata.ts'
import type { KubernetesObject } from '../../../lib/kinds/object.ts'
import { decode } from '../../../lib/kinds/schema/decode.ts'
import { validateSchema } from '../../../lib/kinds/schema/validate-schema.ts'
import { JsonPatchError, jsonPatch } from '../../../lib/merge/json-patch.ts'
import { mergePatch } from '../../../lib/merge/merge-patch.ts'
import { StrategicPatchError, strategicMergePatch } from '../../../lib/merge/strategic-merge-patch.ts'
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

/** Of the Secrets of a ServiceAccount Kubernetes keeps the names only, which is the hub's to do. */
const stable = (object: KubernetesObject): unknown => {
  const secrets = object.secrets as readonly { name: string }[] | undefined
  return { ...object, ...(secrets && { secrets: secrets.map(({ name }) => ({ name })) }) }
}

test('says what is wrong with a JSON patch', () => {
  const problem = (...operations: unknown[]) => {
    try {
      return jsonPatch({ a: { b: [1] }, c: 'x' }, operations)
    } catch (error) {
      return (error as Error).message
    }
  }
  assert.deepEqual(
    [
      problem({ op: 'add', path: '/x/y', value: 1 }),
      problem({ op: 'remove', path: '/x' }),
      problem({ op: 'replace', path: '/a/b/5', value: 1 }),
      problem({ op: 'add', path: '/a/b/x', value: 1 }),
      problem({ op: 'move', from: '/c', path: '/x/y' }),
      problem({ op: 'test', path: '/c', value: 'y' }),
      problem({ op: 'add', path: '/__proto__/polluted', value: true }),
    ],
    [
      'add operation does not apply: doc is missing path: "/x/y": missing value',
      "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
      'replace operation does not apply: doc is missing key: /a/b/5: missing value',
      "error in add for path: '/a/b/x': value was not a proper array index: 'x'",
      'move operation does not apply: doc is missing destination path: /x/y: missing value',
      'testing value /c failed: test failed',
      'add operation does not apply: doc is missing path: "/__proto__/polluted": missing value',
    ],
  )
})

test('bounds what a JSON patch may do', () => {
  const nothing = { op: 'test', path: '/a', value: 1 }
  assert.throws(() => jsonPatch({ a: 1 }, Array(10_001).fill(nothing)), { code: 'tooLarge' })
  const doubling = Array.from({ length: 30 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }))
  assert.throws(() => jsonPatch({ a: ['x'.repeat(1000)] }, doubling), /accumulated size increase of copy/)
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
