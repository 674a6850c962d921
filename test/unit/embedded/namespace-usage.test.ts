import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embeddedPlatform } from '../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { NamespaceBound } from '../../../lib/platform/adapters/embedded/namespace-usage.ts'
import type { ObjectChange } from '../../../lib/platform/ports/objects.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const open = async (namespaceBound: NamespaceBound, path = tempDir()) => {
  const platform = await embeddedPlatform(path, { namespaceBound })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= platform.close())
  endWithTest({ [Symbol.asyncDispose]: close })
  return { objects: platform.objects, close }
}

const ref = (name: string, namespace = 'a') => ({ group: 'test', kind: 'Widget', namespace, name })
const creation = (name: string, body: string, namespace = 'a', isBounded = true): ObjectChange => ({
  ...{ op: 'create', ref: ref(name, namespace), body, refersTo: [], isBounded },
})
const bounded = (how: RegExp) => ({ code: 'bounded', message: how })

test('of many creations at a time as many come in as a namespace may hold', async () => {
  const { objects } = await open({ objects: 5, bytes: 0 })
  const tried = Array.from({ length: 20 }, (_, at) => objects.commit(creation(`w${at}`, 'x')))
  const outcomes = await Promise.allSettled(tried)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5)
  const [refused] = outcomes.filter(outcome => outcome.status === 'rejected')
  assert.match(refused!.reason.message, /^requested: objects=1, used: objects=5, limited: objects=5$/)
  await objects.commit(creation('elsewhere', 'x', 'b'))
  await objects.commit(creation('cluster', 'x', ''))
  await objects.commit(creation('by-the-hub', 'x', 'a', false))
})

test('bytes are counted as stored, by growth and shrinkage, and freed by deletion', async () => {
  const { objects } = await open({ objects: 0, bytes: 100 })
  const first = await objects.commit(creation('first', 'ö'.repeat(30)))
  await assert.rejects(
    objects.commit(creation('second', 'x'.repeat(41))),
    bounded(/requested: bytes=41, used: bytes=60/),
  )
  const grow = (expect: string, body: string) =>
    objects.commit({ op: 'update', ref: ref('first'), expect, body, refersTo: [], isBounded: true })
  await assert.rejects(grow(first.version, 'x'.repeat(101)), bounded(/requested: bytes=41/))
  const smaller = await grow(first.version, 'x'.repeat(10))
  const second = await objects.commit(creation('second', 'x'.repeat(90)))
  await grow(smaller.version, 'x')
  await objects.commit({ op: 'delete', ref: ref('second'), expect: second.version, body: second.body })
  await objects.commit(creation('third', 'x'.repeat(99)))
})

test('a process that starts counts what an earlier one has stored', async () => {
  const path = tempDir()
  const before = await open({ objects: 2, bytes: 0 }, path)
  await before.objects.commit(creation('one', 'x'))
  await before.objects.commit(creation('two', 'x'))
  await before.close()
  const { objects } = await open({ objects: 2, bytes: 0 }, path)
  await assert.rejects(objects.commit(creation('three', 'x')), bounded(/used: objects=2/))
})
