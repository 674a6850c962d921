import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analyzeAny, analyzeScalar } from '../../../../lib/engines/yaml/scalar-analysis.ts'

/** Every text of up to so many of these parts. */
function* texts(parts: readonly string[], length: number): Generator<string> {
  if (length === 0) return
  for (const part of parts) {
    yield part
    for (const rest of texts(parts, length - 1)) yield part + rest
  }
}

test('the patterns for usual texts agree with the analysis of each character', () => {
  let compared = 0
  for (const emitter of ['v2', 'v3'] as const)
    for (const text of texts([' ', '\n', 'a', '-', ':', '#', '?', ',', '.', '"', '\t', 'é'], 4)) {
      assert.deepEqual(analyzeScalar(text, emitter), analyzeAny(text, emitter), JSON.stringify(text))
      compared++
    }
  for (const text of texts(
    ['---', '...', '[', ']', '{', '}', '&', '*', '!', '|', '>', "'", '%', '@', '`', ' ', 'x'],
    3,
  )) {
    assert.deepEqual(analyzeScalar(text, 'v2'), analyzeAny(text, 'v2'), JSON.stringify(text))
    compared++
  }
  assert.ok(compared > 40_000, `${compared} texts were compared`)
})
