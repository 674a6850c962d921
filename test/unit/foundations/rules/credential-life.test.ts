import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiresSoon } from '../../../../lib/foundations/rules/credential-life.ts'

const hour = 3_600_000
const day = 24 * hour

test('a credential of a year expires soon in its last week', () => {
  const life = { issued: 0, expires: 365 * day }
  assert.equal(expiresSoon(life, 357 * day), false)
  assert.equal(expiresSoon(life, 358 * day), true)
})

test('one of an hour in its last twelve minutes, so that it does not always lapse', () => {
  const life = { issued: 0, expires: hour }
  assert.equal(expiresSoon(life, 0.79 * hour), false)
  assert.equal(expiresSoon(life, 0.8 * hour), true)
})

test('one that does not say when it was issued in its last week, and one without an end never', () => {
  assert.equal(expiresSoon({ expires: 8 * day }, 0), false)
  assert.equal(expiresSoon({ expires: 6 * day }, 0), true)
  assert.equal(expiresSoon({ issued: 0 }, 1e15), false)
})

test('one that has expired counts as well', () => {
  assert.equal(expiresSoon({ issued: 0, expires: hour }, 2 * hour), true)
})
