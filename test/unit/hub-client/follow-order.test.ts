import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followOrder } from '../../../lib/hub-client/follow-order.ts'

/** A hub that responds with these, one after another. */
const scene = (...responses: readonly object[]) => {
  const asked: object[] = []
  const get = async (more: object) => {
    asked.push(more)
    return responses[asked.length - 1]!
  }
  return { asked, get }
}

const running = new AbortController().signal

test('a report is passed on as it is, also one that has a field of the same name', async () => {
  for (const report of [{ objects: [] }, { order: 'a', kind: 'Order' }, { order: 1 }, {}]) {
    const { asked, get } = scene(report)
    assert.deepEqual(await followOrder(get, running), report)
    assert.deepEqual(asked, [{}])
  }
})

test('an order is followed until its result is there', async () => {
  const { asked, get } = scene({ order: 'a' }, { waiting: true }, { waiting: true, kind: 'Report' })
  assert.deepEqual(await followOrder(get, running), { waiting: true, kind: 'Report' })
  assert.deepEqual(asked, [{}, { order: 'a' }, { order: 'a' }])
})

test('who does not want to know it any more does not wait', async () => {
  const leaving = new AbortController()
  const { asked, get } = scene({ order: 'a' }, { waiting: true })
  const following = followOrder(async more => {
    if (asked.length === 1) setImmediate(() => leaving.abort(new Error('gone')))
    return get(more)
  }, leaving.signal)
  await assert.rejects(following, /gone/)
  assert.equal(asked.length, 2)
})
