import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slimSprigFunctions } from '../../../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import { sprig } from '../../../bed/sprig.ts'

/** What comes of a call when chance gives these numbers, one after the other and then again. */
const drawn = (call: string, numbers: readonly number[]): string => {
  let draws = 0
  const functions = slimSprigFunctions({ now: () => 0, random: () => numbers[draws++ % numbers.length]! })
  return parseTemplate('t', `{{ ${call} }}`, { functions }).execute(null)
}
const between = (from: string, to: string): string =>
  Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_, i) =>
    String.fromCharCode(from.charCodeAt(0) + i),
  ).join('')
const evenly = (count: number) => Array.from({ length: count }, (_, i) => (i + 0.5) / count)
const sorted = (text: string) => [...text].sort().join('')

test('every character of the alphabet comes up as often as any other, and none besides', () => {
  const letters = between('A', 'Z') + between('a', 'z')
  const alphabets = {
    randAlpha: letters,
    randNumeric: between('0', '9'),
    randAlphaNum: between('0', '9') + letters,
    randAscii: between(' ', '~'),
  }
  for (const [name, alphabet] of Object.entries(alphabets))
    assert.equal(sorted(drawn(`${name} ${alphabet.length}`, evenly(alphabet.length))), alphabet, name)
})

test('as many characters are drawn as requested, and none for a negative number', () => {
  for (const name of ['randAlpha', 'randNumeric', 'randAlphaNum', 'randAscii'])
    assert.deepEqual(
      ['7', '0', '-3'].map(count => drawn(`${name} ${count} | len`, [0.5])),
      ['7', '0', '0'],
      name,
    )
})

test('random bytes are any, in base64', () => {
  assert.equal(drawn('randBytes 3', [0, 0.5, 0.999999]), Buffer.of(0, 128, 255).toString('base64'))
  assert.equal(drawn('randBytes 0', [0]), '')
  assert.throws(
    () => drawn('randBytes -1', [0]),
    /error calling randBytes: runtime error: makeslice: len out of range$/,
  )
})

test('a UUID is of version 4 and of the variant of RFC 9562, whatever is drawn', () => {
  assert.equal(drawn('uuidv4', [0]), '00000000-0000-4000-8000-000000000000')
  assert.equal(drawn('uuidv4', [0.999999]), 'ffffffff-ffff-4fff-bfff-ffffffffffff')
  assert.equal(drawn('uuidv4', evenly(16)), '08182838-4858-4878-8898-a8b8c8d8e8f8')
})

test('a random integer is at least the minimum, and below the maximum', () => {
  assert.deepEqual(
    [0, 0.5, 0.999].map(number => drawn('randInt -2 4', [number])),
    ['-2', '1', '3'],
  )
  assert.equal(drawn('randInt 3 4', [0.999]), '3')
})

test('letters are shuffled in every order, by bytes that nobody can guess', () => {
  const asked: number[] = []
  const shuffled = (...bytes: number[]): string => {
    let draws = 0
    const functions = sprig({
      bytes: count => {
        asked.push(count)
        return new Uint8Array(count).fill(bytes[draws++]!)
      },
    })
    return parseTemplate('t', '{{ shuffle "abé" }}', { functions }).execute(null)
  }
  const thirds = [0, 100, 200]
  const orders = thirds.flatMap(first => [0, 200].map(second => shuffled(first, second)))
  assert.deepEqual(orders.sort(), ['abé', 'aéb', 'baé', 'béa', 'éab', 'éba'])
  assert.deepEqual(new Set(asked), new Set([6]), 'a number of 48 bits for each letter but the first')
  assert.equal(asked.length, 12)
})
